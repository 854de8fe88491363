"""Checks of tokenisers and stemmers."""

from collections.abc import Iterator, Sequence

from pfsm.conformance.checks import Check, Subject, hold
from pfsm.conformance.processes import in_another_process
from pfsm.text.languages import tokeniser_named
from pfsm.text.stemming import stemmer_named
from pfsm.text.vocabulary import Vocabulary

ODD_LINES = ("", " ", "\t", "\u00a0", "\u2028", "a" * 300, "\u0301", "👩‍👩‍👧", "\x00", "\ufeffa")
ODD_WORDS = ("", "'", "l'eau", "ß", "ﬁ", "ı", "日本", "a" * 300, "\u0301", "👍")


def tokeniser_checks(subject: Subject) -> Iterator[Check]:
    """The checks of a tokeniser."""
    name = subject.entry.name
    lines = [*subject.lines, *ODD_LINES]
    yield Check("tokens are text, never empty or white space", lambda: _are_text(_tokens(name, lines)))
    yield Check("blank lines have no tokens", lambda: _blank(name))
    yield Check("a chunk has the same tokens every time", lambda: _repeats(name, lines))
    yield Check("the tokens of a line depend on nothing but the line", lambda: _by_line(name, lines))
    yield Check("no character of a line is lost", lambda: _lossless(name, subject.lines))
    yield Check("another process gives the same tokens", lambda: _elsewhere(name, lines))


def _are_text(found: Sequence[Sequence[str]]) -> None:
    for row in found:
        for text in row:
            hold(isinstance(text, str), f"{text!r} is no text")


def _tokens(name: str, lines: Sequence[str]) -> list[list[str]]:
    vocabulary = Vocabulary(name, "none")
    return [vocabulary.tokens(line) for line in lines]


def _blank(name: str) -> None:
    for line in ("", " ", "   "):
        found = _tokens(name, [line])
        hold(found == [[]], f"{line!r} has the tokens {found[0]}")


def _repeats(name: str, lines: Sequence[str]) -> None:
    tokeniser = tokeniser_named(name)
    for line in lines:
        for key in tokeniser.keys(line):
            first, second = (list(tokeniser.analyse(key)) for _ in range(2))
            hold(first == second, f"{key!r} gives {first} and then {second}")


def _by_line(name: str, lines: Sequence[str]) -> None:
    together, reverse = _tokens(name, lines), _tokens(name, lines[::-1])[::-1]
    for line, one, other in zip(lines, together, reverse, strict=True):
        hold(one == other, f"{line!r} gives {one}, and in another order of lines {other}")


def _lossless(name: str, lines: Sequence[str]) -> str:
    lost = [
        line
        for line, tokens in zip(lines, _tokens(name, lines), strict=True)
        if "".join("".join(tokens).split()) != "".join(line.split())
    ]
    return f"it rewrites {lost[0]!r}, which is allowed (penn rewrites quotes)" if lost else ""


def _elsewhere(name: str, lines: Sequence[str]) -> None:
    hold(in_another_process(_tokens, name, lines) == _tokens(name, lines), "tokens differ there")


def stemmer_checks(subject: Subject) -> Iterator[Check]:
    """The checks of a stemmer."""
    name = subject.entry.name
    words = sorted({word.lower() for line in subject.lines for word in line.split()} | set(ODD_WORDS))
    yield Check("every word has one stem, which is text", lambda: _are_text([_stems(name, words)]))
    yield Check("no words have no stems", lambda: hold(_stems(name, []) == [], "there are some"))
    yield Check("the stem of a word depends on nothing but the word", lambda: _by_word(name, words))
    yield Check("another process gives the same stems", lambda: _stems_elsewhere(name, words))


def _stems(name: str, words: Sequence[str]) -> list[str]:
    return stemmer_named(name).stems(words)


def _by_word(name: str, words: Sequence[str]) -> None:
    together = _stems(name, words)
    for when, others in (
        ("the second time", _stems(name, words)),
        ("in another order", _stems(name, words[::-1])[::-1]),
        ("alone", [stem for word in words for stem in _stems(name, [word])]),
    ):
        for word, one, other in zip(words, together, others, strict=True):
            hold(one == other, f"{word!r} has the stem {one!r}, {when} {other!r}")


def _stems_elsewhere(name: str, words: Sequence[str]) -> None:
    hold(in_another_process(_stems, name, words) == _stems(name, words), "stems differ there")
