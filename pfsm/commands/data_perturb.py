"""``pfsm data perturb``: makes minimal pairs from good translations."""

import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext

from pfsm.commands.options import check_output, declare, number_where, refuse_without, whole
from pfsm.commands.output import print_columns, tell
from pfsm.data.formats.registry import read_judged
from pfsm.data.minimal_pairs import SEVERITIES
from pfsm.errors import PfsmError
from pfsm.evaluation import default_seed
from pfsm.io.files import atomic_write, display_name, read_lines
from pfsm.perturbation.catalogue import all_kinds, kinds_for
from pfsm.perturbation.pairs import COLUMNS, SOURCE, Translation, language_of, perturb, translations_of
from pfsm.runtime.terminal import Stage
from pfsm.text.languages import language_code

HEADER = ("reference", "better", "worse", "kind", "severity", "place")
_DEFAULT_LANGUAGE = "en"


OPTIONS = f"""
input FILE?  TSV or CSV with a column reference
--output, -o OUT.tsv[.gz]  the TSV to write (default: standard output)
--list  print all kinds, and write nothing
--kinds LIST  kinds or severities ({", ".join(SEVERITIES)}), separated by commas (default: all kinds for the language)
--per-kind N  at most N pairs of each kind, drawn at random (default: all)
--seed N  another seed makes other pairs (default: PFSM_SEED, else 12345)
--language CODE  language of the translations (default: the column target_lang, else {_DEFAULT_LANGUAGE})
@unquote
--processes N [1]  number of processes that parse (default: 1)
@no-cache
"""
CHANGED = f"""
--lines  FILE is plain text, one reference per line
--of COLUMN [{COLUMNS[0]}]  change the texts of this column: {", ".join(COLUMNS)} (default: {COLUMNS[0]})
--top SHARE  with --of hypothesis: share of the hypotheses to take, those with the highest scores (default: 0.25)
--score-column NAME  column of these scores (default: score)
--source COLUMN  column of the source texts (default: source, if there is one)
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the action."""
    declare(parser, OPTIONS, seed=whole(0))
    top = number_where(lambda value: 0.0 < value <= 1.0, "is not a share above 0 and up to 1")
    declare(parser.add_argument_group("what is changed"), CHANGED, of=COLUMNS, top=top)


def run(options: Namespace) -> None:
    """Reads, changes, writes, one pair at a time."""
    if options.list:
        _print_kinds(options.language)
        return
    if options.input is None:
        raise PfsmError("give a FILE with references, or --list")
    if options.of != "hypothesis":
        refuse_without(options, ("top", "score_column"), "--of hypothesis")
    if options.lines and (options.of != COLUMNS[0] or options.source is not None):
        raise PfsmError("--lines is plain text without columns; leave --of and --source out")
    check_output(options.output, [options.input])
    translations, language, sources = _read(options)
    kinds = kinds_for(language, _asked(options.kinds), source=sources)
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
                place = f"{pair.place[0]}-{pair.place[1]}"
                cells = (pair.reference, pair.better, _field(pair.worse), pair.kind, pair.severity, place)
                out.write("\t".join(cells) + "\n")
            if not counts:
                raise PfsmError(
                    f"{display_name(options.input)}: no kind applies to these texts; nothing to write"
                )
    where = "" if options.output is None else f"{options.output}: "
    tell(f"{where}{counts.total()} pairs of {len(counts)} kinds, seed {seed}")
    missing = [kind.name for kind in kinds if kind.name not in counts]
    if missing:
        tell(f"note: no text for {', '.join(missing)}")


def _read(options: Namespace) -> tuple[list[Translation], str, bool]:
    """The texts, their language, and whether sources are among them."""
    language = None if options.language is None else language_code(options.language)
    if options.lines:
        lines = map(_field, read_lines(options.input))
        return [Translation(line, line) for line in lines], language or _DEFAULT_LANGUAGE, False
    table = read_judged(options.input)
    language = language or language_code(language_of(table) or _DEFAULT_LANGUAGE)
    found = translations_of(
        table,
        options.of,
        source=options.source,
        top=options.top or 0.25,
        score_column=options.score_column or "score",
    )
    fields = [Translation(_field(one.reference), _field(one.text), one.source) for one in found]
    return fields, language, options.source is not None or SOURCE in table.columns


def _field(text: str) -> str:
    return text.translate({9: " ", 10: " ", 13: " "})


def _asked(kinds: str | None) -> Sequence[str]:
    if kinds is None:
        return ()
    names = list(filter(None, map(str.strip, kinds.split(","))))
    if not names:
        raise PfsmError("--kinds names no kind; `pfsm data perturb --list` has them all")
    return names


def _print_kinds(language: str | None) -> None:
    code = None if language is None else language_code(language)
    rows = [("kind", "severity", "languages", "what is changed")]
    for kind in all_kinds().values():
        if code is None or kind.is_for(code):
            needs = " (needs source texts)" if kind.source else ""
            languages = ",".join(kind.languages) or "all"
            rows.append((kind.name, kind.severity, languages, kind.about + needs))
    print_columns(rows)
