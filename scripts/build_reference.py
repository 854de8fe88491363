"""Writes docs/reference: the command line from its parsers, a table of all metrics from docs/metrics.md.

python scripts/build_reference.py            # says what is stale, exit status 1
python scripts/build_reference.py --write
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import chain

from real_data import CHECKOUT, write_or_tell

from pfsm.commands import COMMANDS, by_task
from pfsm.commands.options import Parser, example_of
from pfsm.metrics import get_metric, metric_names
from pfsm.metrics.registry import describe_feature

FOLDER = CHECKOUT / "docs" / "reference"
TABLE = CHECKOUT / "docs" / "metrics.md"
MADE = "<!-- made by scripts/build_reference.py -->\n"
PAIRS = (
    ("She did not go home yesterday.", "She did not go home yesterday."),
    ("Yesterday she did not go home.", "She did not go home yesterday."),
    ("She went home.", "She did not go home yesterday."),
)
# Examples of these would depend on an extra.
_EXTRA = ("meteor", "dpmf", "terp")
_LINK = re.compile(r"\]\((?!\w+://)([^)]*)\)")


def pages() -> dict[str, str]:
    """Text of each generated page by its name below docs/reference."""
    return {"commands.md": "".join(_commands()), "metrics.md": _metrics(metric_names())}


def _escaped(text: str) -> str:
    return text.replace("|", r"\|").replace("*", r"\*")


def _commands() -> Iterator[str]:
    """The page of the command line."""
    yield f"{MADE}# Command line\n\n`pfsm COMMAND --help` prints the same in a terminal."
    yield " Every command also takes `--color` and `--verbose`; those that score take `--device`.\n"
    for name in chain.from_iterable(by_task().values()):
        summary = COMMANDS[name].summary
        parser = Parser(prog=f"pfsm {name}")
        import_module(COMMANDS[name].module).add_arguments(parser)
        yield f"\n## pfsm {name}\n\n{summary[0].upper()}{summary[1:]}.\n\n```sh\n{example_of(name)}\n```\n"
        yield from _options(parser, 3)


def _options(parser: argparse.ArgumentParser, level: int) -> Iterator[str]:
    subparsers: list[tuple[str, argparse.ArgumentParser]] = []
    rows = []
    formatter = parser.formatter_class(prog=parser.prog)
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction) or action.help == argparse.SUPPRESS:
            continue
        if isinstance(action, argparse._SubParsersAction):
            subparsers = list(action.choices.items())
            continue
        shown = formatter._format_action_invocation(action)
        text = formatter._expand_help(action) if action.help else ""
        rows.append(f"| `{shown.replace('|', chr(92) + '|')}` | {_cell(text)} |")
    if rows:
        yield "\n| option | meaning |\n|---|---|\n" + "\n".join(rows) + "\n"
    for name, one in subparsers:
        yield f"\n{'#' * level} {parser.prog} {name}\n"
        if one.description:
            yield f"\n{_cell(one.description)}\n"
        yield from _options(one, level + 1)


def _cell(text: str) -> str:
    """Help as Markdown: words in capitals and options stay as they are."""
    return re.sub(r"(?<!`)([*_<>\[\]|])(?!`)", r"\\\1", " ".join(text.split()))


def _rows() -> Iterator[tuple[str, list[str]]]:
    """Each metric with the cells of its row in docs/metrics.md; `the same` is replaced by what it stands for."""
    options = ""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if not line.startswith("| `") or len(cells) != 4:
            if options and not line.startswith("|"):
                return
            continue
        cells[3] = cells[3].removesuffix(" |").strip()
        if "the same" in cells[3]:
            # What NIST alone has is not among the options of the metrics over words below it.
            cells[3] = cells[3].replace("the same", options.replace(", `info`", ""))
        else:
            options = cells[3]
        for name in re.findall(r"`([^`]+)`", cells[0]):
            yield name, cells
            yield from ((each, cells) for each in metric_names() if each == f"{name}-*")


def _metrics(names: Sequence[str]) -> str:
    """The page of these metrics: a row for each."""
    rows = dict(_rows())
    examples = "\n".join(f"* {letter}: *{ours}*" for letter, (ours, _) in zip("abc", PAIRS, strict=True))
    lines = [_metric(name, rows[name]) for name in names]
    return (
        f"{MADE}# Metrics, as a table\n\n"
        "Scores of segments, higher is better. [Metrics](../metrics.md) has the options' meanings, corpus scores and"
        f" several references. a, b and c are the scores of three translations of *{PAIRS[0][1]}*:\n\n"
        f"{examples}\n\n| name | what | range | options | a | b | c |\n|---|---|---|---|--:|--:|--:|\n"
        + "\n".join(lines)
        + "\n\n– needs the extra `paraphrases`.\n"
    )


def _metric(name: str, cells: list[str]) -> str:
    scores = ["–"] * len(PAIRS)
    if name not in _EXTRA:
        hypotheses, references = zip(*PAIRS, strict=True)
        scores = [f"{one:.3f}" for one in get_metric(name).score_pairs(list(hypotheses), list(references))]
    shown = [f"`{name}`", _escaped(describe_feature(name)), cells[2], _moved(cells[3]), *scores]
    return f"| {' | '.join(shown)} |"


def _moved(text: str) -> str:
    """Links of docs/metrics.md, seen from docs/reference."""
    return _LINK.sub(lambda link: f"](../{'metrics.md' if link[1].startswith('#') else ''}{link[1]})", text)


if __name__ == "__main__":
    write_or_tell({FOLDER / name: text for name, text in pages().items()})
