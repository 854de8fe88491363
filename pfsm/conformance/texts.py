"""Checks of what works on text: tokenisers, stemmers, analysers and readers of formats."""

import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pfsm.analysis.analysers import get_analyser
from pfsm.analysis.cache import packed, unpacked
from pfsm.analysis.sentence import Analysis
from pfsm.analysis.wanted import Wanted
from pfsm.conformance.checks import (
    Check,
    Subject,
    depends_on_nothing_else,
    hold,
    in_another_process,
    same_of_all,
    signable,
)
from pfsm.data.formats import FORMATS, Judgment, Options, Reading, read_format, write_tsv
from pfsm.data.formats.records import REQUIRED, Record
from pfsm.errors import PfsmError
from pfsm.text.languages import tokeniser_named
from pfsm.text.stemming import stemmer_named
from pfsm.text.vocabulary import Vocabulary

ODD_LINES = ("", " ", "\t", "\u00a0", "\u2028", "a" * 300, "\u0301", "👩‍👩‍👧", "\x00", "\ufeffa")
ODD_WORDS = ("", "'", "l'eau", "ß", "ﬁ", "ı", "日本", "a" * 300, "\u0301", "👍")
WANTED = Wanted(marginals=True, constituents=True)
# Networks work in single precision, and add in another order where other lines stand beside.
ROUNDING = 1e-4


def tokeniser_checks(subject: Subject) -> Iterator[Check]:
    """The checks of a tokeniser."""
    name = subject.entry.name
    lines = [*subject.lines, *ODD_LINES]

    def repeats() -> None:
        tokeniser = tokeniser_named(name)
        keys = [key for line in lines for key in tokeniser.keys(line)]
        first, second = ([list(tokeniser.analyse(key)) for key in keys] for _ in range(2))
        same_of_all(keys, first, second, "then")

    def keeps_characters() -> str:
        lost = [
            line
            for line, tokens in zip(subject.lines, _tokens(name, subject.lines), strict=True)
            if "".join("".join(tokens).split()) != "".join(line.split())
        ]
        return f"it rewrites {lost[0]!r}, which is allowed (penn rewrites quotes)" if lost else ""

    def blank() -> None:
        for line in ("", " ", "   "):
            (found,) = _tokens(name, [line])
            hold(not found, f"{line!r} has the tokens {found}")

    yield Check("tokens are text, never empty or white space", lambda: _are_text(_tokens(name, lines)))
    yield Check("blank lines have no tokens", blank)
    yield Check("a chunk has the same tokens every time", repeats)
    yield Check(
        "the tokens of a line depend on nothing but the line",
        lambda: depends_on_nothing_else(lambda some: _tokens(name, some), lines),
    )
    yield Check("no character of a line is lost", keeps_characters)
    yield _elsewhere("tokens", _tokens, name, lines)


def _are_text(found: Sequence[Sequence[str]]) -> None:
    for row in found:
        for text in row:
            hold(isinstance(text, str), f"{text!r} is not text")


def _elsewhere(what: str, work: Any, name: str, lines: Sequence[str]) -> Check:
    def run() -> None:
        hold(in_another_process(work, name, lines) == work(name, lines), f"{what} differ there")

    return Check(f"another process gives the same {what}", run)


def _tokens(name: str, lines: Sequence[str]) -> list[list[str]]:
    vocabulary = Vocabulary(name, "none")
    return [vocabulary.tokens(line) for line in lines]


def stemmer_checks(subject: Subject) -> Iterator[Check]:
    """The checks of a stemmer."""
    name = subject.entry.name
    words = sorted({word.lower() for line in subject.lines for word in line.split()} | set(ODD_WORDS))
    yield Check("every word has one stem, which is text", lambda: _are_text([_stems(name, words)]))
    yield Check("no words have no stems", lambda: hold(_stems(name, []) == [], "there are some"))
    yield Check(
        "the stem of a word depends on nothing but the word",
        lambda: depends_on_nothing_else(lambda some: _stems(name, some), words),
    )
    yield _elsewhere("stems", _stems, name, words)


def _stems(name: str, words: Sequence[str]) -> list[str]:
    return stemmer_named(name).stems(words)


def analyser_checks(subject: Subject) -> Iterator[Check]:
    """The checks of an analyser."""
    name, lines = subject.name, [*subject.lines, "\u00a0"]

    def analyse(some: Sequence[str]) -> list[Analysis]:
        return get_analyser(name).analyse(some, WANTED)

    def has_label() -> None:
        label = get_analyser(name).label
        hold(signable(label), f"{label!r} has spaces or bars in it")
        hold(get_analyser(name).label == label, "one made anew has another label")

    def analyses() -> str:
        found = analyse(lines)
        given = {
            "dependency trees": any(one.trees for one in found),
            "probabilities": any(one.marginals for one in found),
            "constituents": any(one.constituents for one in found),
        }
        return "it gives " + (", ".join(what for what, there in given.items() if there) or "words alone")

    def takes_blank_lines() -> None:
        hold(analyse([]) == [], "no lines have analyses")
        for one in analyse(["", " "]):
            hold(not one.tokens, f"a blank line has the words {one.tokens}")

    def keeps() -> None:
        for one in analyse(lines):
            hold(packed(unpacked(packed(one))) == packed(one), "they do not")

    yield Check("its label is one that a signature can hold, and stays the same", has_label)
    yield Check("an analysis has the words of its line; tags and trees fit them", analyses)
    yield Check("blank lines have no words", takes_blank_lines)
    yield Check("analyses come back unchanged through the cache", keeps)
    yield Check(
        "the analysis of a line depends on nothing but the line",
        lambda: depends_on_nothing_else(analyse, lines, _alike),
    )
    yield _elsewhere("analyses", _analyses, name, lines)


def _alike(one: Analysis, other: Analysis) -> bool:
    """Whether two analyses are the same but for the rounding of probabilities."""
    if _without_probabilities(one) != _without_probabilities(other):
        return False
    ours, theirs = ([tree.log_probability for tree in side.trees] for side in (one, other))
    if not np.allclose(ours, theirs, rtol=0.0, atol=ROUNDING, equal_nan=True):
        return False
    if one.marginals is None or other.marginals is None:
        return one.marginals is other.marginals
    here, there = (marginals.arcs(len(one.tokens)) for marginals in (one.marginals, other.marginals))
    return np.allclose(here, there, rtol=0.0, atol=ROUNDING)


def _without_probabilities(analysis: Analysis) -> bytes:
    trees = tuple(replace(tree, log_probability=0.0) for tree in analysis.trees)
    return packed(replace(analysis, trees=trees, marginals=None))


def _analyses(name: str, lines: Sequence[str]) -> list[bytes]:
    return [packed(one) for one in get_analyser(name).analyse(lines, WANTED)]


def format_checks(subject: Subject) -> Iterator[Check]:
    """The checks of a format; most need files of it."""
    name, options = subject.entry.name, Options(**subject.options)

    def reading() -> Reading:
        return read_format(subject.files, options, name)

    def has_a_summary() -> str:
        summary = FORMATS[name].summary
        hold(isinstance(summary, str) and summary.isprintable() and summary, f"it has {summary!r}")
        return "" if subject.files else "give files of the format with --sample, and they are read"

    def reads() -> str:
        count = 0
        for count, record in enumerate(reading().records, 1):
            texts, numbers = _contents(record)
            hold(
                record.references and all(isinstance(text, str) for text in texts),
                f"record {count} lacks a text",
            )
            good = all(isinstance(number, int | float) and math.isfinite(number) for number in numbers)
            hold(good, f"record {count} has the numbers {numbers}")
        hold(count, "there are none")
        return f"{count} of them"

    def has_columns() -> None:
        found = reading()
        known = REQUIRED & set(found.kind.__dataclass_fields__) | {"reference"}
        missing = sorted((known - {"votes"}) - set(found.columns))
        hold(not missing, f"columns lack {', '.join(missing)}; use pfsm.data.formats.records.layout")

    def writes() -> None:
        file = io.StringIO()
        written = write_tsv(reading(), file)
        hold(len(file.getvalue().splitlines()) == written.rows + 1, "rows are missing")

    def refuses_files() -> None:
        try:
            list(read_format(["/no such file"], options, name).records)
        except PfsmError as error:
            hold("\n" not in str(error), "the message has several lines")
            return
        raise PfsmError("it reads a file that is not there; read with pfsm.io.files")

    yield Check("it has a summary of one line", has_a_summary)
    if subject.files:
        yield Check("its files give judgments or preferences, with texts and finite numbers", reads)
        yield Check("columns are what the records fill", has_columns)
        yield Check(
            "the same files give the same records",
            lambda: hold(list(reading().records) == list(reading().records), "they do not"),
        )
        yield Check("they can be written as a TSV", writes)
    yield Check("a file that is not there is refused in one line", refuses_files)


def _contents(record: Record) -> tuple[tuple[str, ...], tuple[float, ...]]:
    if isinstance(record, Judgment):
        return (*record.references, record.hypothesis), (record.score,)
    numbers = record.votes, record.votes_against, record.ties
    return (*record.references, record.better, record.worse), numbers
