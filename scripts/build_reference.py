"""Writes docs/reference: the command line from its parsers, a page for each metric from docs/metrics.md.

python scripts/build_reference.py            # says what is stale, exit status 1
python scripts/build_reference.py --write
"""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

from pfsm.commands import COMMANDS
from pfsm.commands.usage import Parser
from pfsm.metrics import get_metric, metric_names
from pfsm.metrics.registry import describe_feature

CHECKOUT = Path(__file__).resolve().parent.parent
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


def pages(some: Sequence[str] = ()) -> dict[str, str]:
    """Text of each generated page by its path below docs/reference; of all metrics, or of some."""
    made = {"commands.md": "".join(_commands())}
    rows = dict(_rows())
    names = metric_names()
    for name in some or names:
        made[f"metrics/{_file(name)}.md"] = _metric(name, rows[name])
    listed = "\n".join(f"{name} <{_file(name)}>" for name in names)
    table = "\n".join(
        f"| [`{name}`]({_file(name)}.md) | {_escaped(describe_feature(name))} |" for name in names
    )
    made["metrics/index.md"] = (
        f"{MADE}# Metrics, one by one\n\nOptions, corpus scores and several references are described together in"
        f" [metrics](../../metrics.md).\n\n| name | what |\n|---|---|\n{table}\n\n"
        f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n"
    )
    return made


def _file(name: str) -> str:
    return name.replace("++", "-plus").replace("*", "all")


def _escaped(text: str) -> str:
    return text.replace("|", r"\|").replace("*", r"\*")


def _commands() -> Iterator[str]:
    """The page of the command line."""
    yield f"{MADE}# Command line\n\n`pfsm COMMAND --help` prints the same in a terminal."
    yield " Every command also takes `--verbose`.\n"
    for name, summary in COMMANDS.items():
        parser = Parser(prog=f"pfsm {name}")
        import_module(f"pfsm.commands.{name}").add_arguments(parser)
        yield f"\n## pfsm {name}\n\n{summary[0].upper()}{summary[1:]}.\n"
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
            yield from ((each, cells) for each in _expanded(name))


def _expanded(pattern: str) -> list[str]:
    return [pattern, *(name for name in metric_names() if name == pattern + "-*")]


def _metric(name: str, cells: list[str]) -> str:
    _, what, span, options = cells
    about = describe_feature(name)
    what = about if what.startswith("the same") else what
    span = {"to 0": "up to 0, which is best", "from 0": "from 0 up, higher is better"}.get(
        span, span
    ) or "that of the metric"
    text = (
        f"{MADE}# {name.replace('*', chr(92) + '*')}\n\n{_sentence(_escaped(about))}\n\n"
        f"**Definition and source.** {_moved(_sentence(what))}\n\n**Range of segment scores.** {span}.\n\n"
        f"**Options.** {_moved(options) if options else 'None'}.\n\n"
        "**Several references, corpus scores.** [The table of all metrics](../../metrics.md#corpus-scores).\n\n"
        "## Example\n\n"
        f"```sh\npfsm score ref.txt -i hyp.txt --metric '{name}' -sl\n```\n\n"
    )
    if name in _EXTRA:
        return text + "The metric needs the extra `paraphrases`.\n"
    hypotheses, references = zip(*PAIRS, strict=True)
    scores = get_metric(name).score_pairs(list(hypotheses), list(references))
    rows = "\n".join(
        f"| {ours} | {theirs} | {score:.3f} |" for (ours, theirs), score in zip(PAIRS, scores, strict=True)
    )
    return f"{text}| translation | reference | score |\n|---|---|--:|\n{rows}\n"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}" + ("" if text.endswith(".") else ".")


def _moved(text: str) -> str:
    """Links of docs/metrics.md, seen from docs/reference/metrics."""
    return _LINK.sub(
        lambda link: f"](../../{'metrics.md' if link[1].startswith('#') else ''}{link[1]})", text
    )


def main() -> None:
    """Writes the pages, or says which are stale."""
    parser = argparse.ArgumentParser(description="Writes docs/reference.")
    parser.add_argument("--write", action="store_true", help="write the pages")
    parser.add_argument("metrics", nargs="*", help="pages of these metrics only; all take some minutes")
    options = parser.parse_args()
    write = options.write
    stale = []
    for name, text in pages(options.metrics).items():
        path = FOLDER / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    print("\n".join(stale))
    sys.exit(bool(stale) and not write)


if __name__ == "__main__":
    main()
