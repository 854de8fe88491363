"""``pfsm data perturb``: makes minimal pairs from good translations."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext

from pfsm.commands.arguments import check_output, positive, print_columns, refuse_without
from pfsm.commands.parsers import add_unquote
from pfsm.data.formats.registry import read_judged
from pfsm.data.minimal_pairs import SEVERITIES
from pfsm.data.table import Table
from pfsm.english.perturbation.kind import NAMES, Kind, kind_named, kinds_asked_for
from pfsm.english.perturbation.pairs import (
    COLUMNS,
    Pair,
    Translation,
    has_sources,
    language_of,
    perturb,
    translations_of,
)
from pfsm.errors import PfsmError
from pfsm.evaluation import default_seed
from pfsm.io.files import atomic_write, display_name, read_lines
from pfsm.runtime.progress import Stage
from pfsm.text.languages import language_code

HEADER = ("reference", "better", "worse", "kind", "severity", "place")
_DEFAULT_LANGUAGE = "en"


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value <= 1.0:
        raise ArgumentTypeError(f"{text!r} is not a share above 0 and up to 1")
    return value


def _seed(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ArgumentTypeError(f"{text!r} is not a whole number from 0")
    return int(text)


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the action."""
    parser.add_argument("input", nargs="?", metavar="FILE", help="TSV or CSV with a column reference")
    parser.add_argument(
        "--output", "-o", metavar="OUT.tsv[.gz]", help="the TSV to write (default: standard output)"
    )
    parser.add_argument("--list", action="store_true", help="print all kinds, and write nothing")
    parser.add_argument(
        "--kinds",
        metavar="LIST",
        help=f"kinds or severities ({', '.join(SEVERITIES)}), separated by commas "
        "(default: all kinds for the language)",
    )
    parser.add_argument(
        "--per-kind", type=positive, metavar="N",
        help="at most N pairs of each kind, drawn at random (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=_seed, metavar="N",
        help="another seed makes other pairs (default: PFSM_SEED, else 12345)",
    )  # fmt: skip
    parser.add_argument(
        "--language",
        metavar="CODE",
        help=f"language of the translations (default: the column target_lang, else {_DEFAULT_LANGUAGE})",
    )
    _add_texts(parser)
    parser.add_argument(
        "--processes", type=positive, default=1, metavar="N",
        help="number of processes that parse (default: 1)",
    )  # fmt: skip
    parser.add_argument(
        "--no-cache", action="store_true", help="neither read nor write the cache of analyses"
    )


def _add_texts(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("what is changed")
    add_unquote(parser)
    group.add_argument("--lines", action="store_true", help="FILE is plain text, one reference per line")
    group.add_argument(
        "--of", choices=COLUMNS, default=COLUMNS[0], metavar="COLUMN",
        help=f"change the texts of this column: {', '.join(COLUMNS)} (default: {COLUMNS[0]})",
    )  # fmt: skip
    group.add_argument(
        "--top", type=_share, metavar="SHARE",
        help="with --of hypothesis: share of the hypotheses to take, those with the highest scores (default: 0.25)",
    )  # fmt: skip
    group.add_argument("--score-column", metavar="NAME", help="column of these scores (default: score)")
    group.add_argument(
        "--source", metavar="COLUMN", help="column of the source texts (default: source, if there is one)"
    )


def run(options: Namespace) -> None:
    """Reads, changes, writes, one pair at a time."""
    if options.list:
        _print_kinds(options)
        return
    if options.input is None:
        raise PfsmError("give a FILE with references, or --list")
    _check(options)
    if options.output is not None:
        check_output(options.output, [options.input])
    translations, language, sources = _read(options)
    kinds = kinds_asked_for(language, _asked(options.kinds), source=sources)
    seed = default_seed() if options.seed is None else options.seed
    counts: Counter[str] = Counter()
    with Stage("perturbing", "perturbing", total=len(set(translations)), unit="translations") as stage:
        pairs = perturb(
            translations,
            kinds,
            language=language,
            seed=seed,
            per_kind=options.per_kind,
            processes=options.processes,
            cache=not options.no_cache,
            progress=lambda done, _: stage.advance(done - stage.done),
        )
        with nullcontext(sys.stdout) if options.output is None else atomic_write(options.output) as out:
            for pair in pairs:
                if not counts:
                    out.write("\t".join(HEADER) + "\n")
                counts[pair.kind] += 1
                out.write("\t".join(_cells(pair)) + "\n")
            if not counts:
                raise PfsmError(
                    f"{display_name(options.input)}: no kind applies to these texts; nothing to write"
                )
    _report(options.output, counts, kinds, seed)


def _check(options: Namespace) -> None:
    if options.of != "hypothesis":
        refuse_without(options, ("top", "score_column"), "--of hypothesis")
    if options.lines and (options.of != COLUMNS[0] or options.source is not None):
        raise PfsmError("--lines is plain text without columns; leave --of and --source out")


def _read(options: Namespace) -> tuple[list[Translation], str, bool]:
    language = None if options.language is None else language_code(options.language)
    if options.lines:
        lines = read_lines(options.input)
        return (
            [Translation(_field(line), _field(line)) for line in lines],
            language or _DEFAULT_LANGUAGE,
            False,
        )
    table: Table = read_judged(options.input)
    language = language or _language(table)
    found = translations_of(
        table,
        options.of,
        source=options.source,
        top=options.top or 0.25,
        score_column=options.score_column or "score",
    )
    fields = [Translation(_field(one.reference), _field(one.text), one.source) for one in found]
    return fields, language, has_sources(table, options.source)


def _language(table: Table) -> str:
    found = language_of(table)
    return _DEFAULT_LANGUAGE if found is None else language_code(found)


def _field(text: str) -> str:
    return text.translate({9: " ", 10: " ", 13: " "})


def _asked(kinds: str | None) -> Sequence[str]:
    if kinds is None:
        return ()
    names = list(filter(None, map(str.strip, kinds.split(","))))
    if not names:
        raise PfsmError("--kinds names no kind; `pfsm data perturb --list` has them all")
    return names


def _cells(pair: Pair) -> Iterator[str]:
    yield from (pair.reference, pair.better, _field(pair.worse), pair.kind, pair.severity)
    yield f"{pair.place[0]}-{pair.place[1]}"


def _report(output: str | None, counts: Counter[str], kinds: Sequence[Kind], seed: int) -> None:
    """Says on standard error what was done, because standard output may be the TSV."""
    where = "" if output is None else f"{output}: "
    print(f"pfsm: {where}{counts.total()} pairs of {len(counts)} kinds, seed {seed}", file=sys.stderr)
    missing = [kind.name for kind in kinds if kind.name not in counts]
    if missing:
        print(f"pfsm: note: no text for {', '.join(missing)}", file=sys.stderr)


def _print_kinds(options: Namespace) -> None:
    language = None if options.language is None else language_code(options.language)
    kinds = [kind_named(name) for name in NAMES]
    rows = [("kind", "severity", "languages", "what is changed")]
    rows += [
        (kind.name, kind.severity, ",".join(kind.languages) or "all", kind.about + _needs(kind))
        for kind in kinds
        if language is None or kind.is_for(language)
    ]
    print_columns(rows)


def _needs(kind: Kind) -> str:
    return " (needs source texts)" if kind.source else ""
