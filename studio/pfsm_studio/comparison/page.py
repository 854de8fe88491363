"""The page of a comparison: one self-contained file, which needs no network."""

from collections.abc import Sequence

from pfsm.comparison.compared import Compared, MetricResult, agreement
from pfsm.data.segments import others
from pfsm.evaluation.comparison import Comparison, interval_entry, listed, number
from pfsm.runtime.charts import text as escaped
from pfsm.text.offsets import token_offsets
from pfsm_studio.comparison.buckets import Buckets, all_buckets
from pfsm_studio.comparison.explained import Explained, explained, explained_data
from pfsm_studio.explanation import asset
from pfsm_studio.html_page import embedded, filled, html_page, joined

# In the order in which they are joined: each file uses only what earlier files define.
SCRIPTS = (
    "names.js",
    "layout.js",
    "compare-data.js",
    "detail.js",
    "figure.js",
    "compare-charts.js",
    "compare-state.js",
    "compare-panels.js",
    "compare-table.js",
    "compare-detail.js",
    "compare-page.js",
)


def render_comparison(compared: Compared, title: str = "") -> str:
    """The page.

    Args:
        compared: What it shows.
        title: Its heading; the names of the systems if it is empty.

    Returns:
        The HTML document; the same arguments give the same text. It can be encoded as UTF-8 even if text contains lone
        surrogates.
    """
    style = asset("page.css") + asset("compare.css")
    slots = {"title": escaped(title or listed(compared.systems)), "verdict": escaped(compared.verdict)}
    data = embedded(comparison_data(compared), ascii_only=False)
    return html_page(
        slots["title"], style, joined(map(asset, SCRIPTS)), filled(asset("compare.html"), slots), data
    )


# Stands between two tokens without a space between them; a text that has it itself is written in full.
JOINT = "¦"


def comparison_data(compared: Compared) -> dict[str, object]:
    """What the script of the page reads."""
    buckets = all_buckets(compared)
    found = explained(compared)
    references, outputs = _texts(compared, found)
    return {
        "systems": list(compared.systems),
        "segments": compared.n_segments,
        "numbers": [
            row + 1 for row in others(compared.left_out, compared.n_segments + len(compared.left_out))
        ],
        "metrics": [_metric(result, buckets, compared) for result in compared.results],
        "buckets": [
            {
                "title": one.title,
                "note": one.note,
                "labels": [each.label for each in one.bins],
                "sizes": [int(each.rows.size) for each in one.bins],
                "of": one.places(compared.n_segments),
            }
            for one in buckets
        ],
        "references": references,
        "outputs": outputs,
        "source": None if compared.facts.source is None else list(compared.facts.source),
        "human": _human(compared),
        "explained": None if found is None else explained_data(found, compared),
    }


def _metric(result: MetricResult, buckets: Sequence[Buckets], compared: Compared) -> dict[str, object]:
    return {
        "label": result.metric.name,
        "lowerIsBetter": result.comparison.lower_is_better,
        "method": f"{result.comparison.drawn}; {result.comparison.method}",
        "pooled": result.statistics is not None,
        "result": result.document,
        "scores": [values.tolist() for values in result.scores],
        "buckets": [[_short(result.within(one.rows)) for one in each.bins] for each in buckets],
        "agreement": agreement(result, compared),
    }


def _short(comparison: Comparison) -> dict[str, object]:
    """Numbers and intervals of a comparison: [score, low, high] of systems, [difference, low, high] of pairs."""
    return {
        "systems": [[one.score, *interval_entry(one.interval)] for one in comparison.systems],
        "pairs": [[one.difference, *interval_entry(one.interval)] for one in comparison.pairs],
    }


def _human(compared: Compared) -> list[list[float | None] | None] | None:
    human = compared.facts.human
    if not human:
        return None
    return [
        [number(value) for value in human[name].tolist()] if name in human else None
        for name in compared.systems
    ]


def _texts(compared: Compared, found: Explained | None) -> tuple[list[object], list[object]]:
    """References and outputs, with the places where the explaining model takes them apart."""
    references: list[list[object]] = [[plain_text(line) for line in stream] for stream in compared.references]
    outputs: list[list[object]] = [[] for _ in compared.systems]
    for system, lines in enumerate(compared.outputs):
        if found is None:
            outputs[system] = [plain_text(line) for line in lines]
            continue
        pairs = found.alignments[system].pairs
        outputs[system] = [
            token_text(line, as_written(line, pair.hypothesis))
            for line, pair in zip(lines, pairs, strict=True)
        ]
        for segment, (pair, stream) in enumerate(zip(pairs, found.counted[system], strict=True)):
            line = compared.references[stream][segment] or ""
            references[stream][segment] = token_text(line, as_written(line, pair.reference))
    return list(references), list(outputs)


def as_written(line: str, tokens: Sequence[str]) -> Sequence[str]:
    """Tokens with the line's own quotation marks, which tokenisers rewrite."""
    if all(token in line for token in tokens):
        return tokens
    ends = token_offsets(line, tokens)
    return [line[start:end] or token for token, (start, end) in zip(tokens, ends, strict=True)]


def token_text(line: str, tokens: Sequence[str]) -> object:
    """A line that can be split into its tokens at spaces and joints, else a list: the line, then its tokens."""
    written: list[str] = []
    place = 0
    for token in tokens:
        if written and line.startswith(token, place):
            written.append(JOINT)
        elif written and line.startswith(" " + token, place):
            written.append(" ")
            place += 1
        written.append(token)
        place += len(token)
    text = "".join(written)
    good = (
        JOINT not in line
        and text.replace(JOINT, "") == line
        and text.replace(JOINT, " ").split(" ") == [*tokens]
    )
    return text if good and tokens else [line, *tokens]


def plain_text(line: str | None) -> object:
    """A line that nothing takes apart; empty for none."""
    return token_text(line or "", (line or "").split())
