"""Made-up minimal pairs: a reference as its own translation, and a copy of it with one word edited.

A copy in which one word was inserted, repeated or deleted is worse than the reference itself, whatever the judgments
happen to say of such words: where most references are corrections of the translations, for example, an additional word
is no bad sign. Training with the option ``edit_cost`` (`pfsm_training.fit.copies`) learns from these pairs as well.
"""

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.text.plain import chunk_tokens, token_counts

# References with copies, and copies of each. More of them change no weight in the second digit.
MOST_REFERENCES = 1500
INSERTIONS, REPETITIONS, DELETIONS = 3, 1, 1
# Words are taken from so many references.
WORD_SOURCES = 3000


@dataclass(frozen=True, eq=False)
class EditedCopies:
    """References, each with a copy of it in which one word was inserted, repeated or deleted.

    Attributes:
        references: [n].
        edited: [n], never the same text as the reference.
        lengths: float64 [n], plain tokens (`pfsm.text.plain`) of both.
    """

    references: tuple[str, ...]
    edited: tuple[str, ...]
    lengths: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.references)


def edited_copies(references: Sequence[str], most: int = MOST_REFERENCES) -> EditedCopies:
    """Copies of references; the same for the same set of references in any order.

    Args:
        references: Text; of more than ``most`` distinct lines with a word, some are chosen.
        most: Largest number of lines that are edited.
    """
    lines = sorted({line for line in references if chunk_tokens(line)}, key=_digest)
    words = [word for line in lines[:WORD_SOURCES] for word in chunk_tokens(line)]
    pairs = [(line, copy) for line in lines[:most] for copy in copies_of(line, words)]
    originals, edited = tuple(line for line, _ in pairs), tuple(copy for _, copy in pairs)
    return EditedCopies(originals, edited, token_counts(originals) + token_counts(edited))


def copies_of(line: str, words: Sequence[str]) -> Iterator[str]:
    """Copies of a line with one word inserted, repeated or deleted at random; the same for the same line and words.

    Copies that are equal to the line but for white space are left out, and so are those without a word.

    Args:
        line: A line with a word.
        words: Words to insert, each as likely as it is frequent among them; not empty.
    """
    # Not for secrets: the same copies are to be made everywhere.
    chance = random.Random(_digest(line))
    makers = [_inserted] * INSERTIONS + [_repeated] * REPETITIONS + [_deleted] * DELETIONS
    known = {"".join(line.split())}
    for make in makers:
        copy = make(line, _spans(line), chance, words)
        bare = "".join(copy.split())
        if bare and bare not in known:
            known.add(bare)
            yield copy


def _digest(line: str) -> bytes:
    return hashlib.sha256(line.encode("utf-8", "surrogatepass")).digest()


Spans = list[tuple[int, int]]


def _spans(line: str) -> Spans:
    """Where the plain tokens of a line begin and end."""
    spans, behind = [], 0
    for token in chunk_tokens(line):
        first = line.index(token, behind)
        behind = first + len(token)
        spans.append((first, behind))
    return spans


def _space(line: str) -> str:
    """What stands between the words of a line: nothing in scripts written without spaces."""
    return " " if " " in line.strip() or len(chunk_tokens(line)) == 1 else ""


def _inserted(line: str, spans: Spans, chance: random.Random, words: Sequence[str]) -> str:
    place = chance.randrange(len(spans) + 1)
    word = words[chance.randrange(len(words))]
    space = _space(line)
    if place == len(spans):
        return f"{line}{space}{word}"
    at = spans[place][0]
    before = line[:at]
    return f"{before}{space if before.rstrip() == before and before else ''}{word}{space}{line[at:]}"


def _repeated(line: str, spans: Spans, chance: random.Random, words: Sequence[str]) -> str:  # noqa: ARG001
    first, behind = spans[chance.randrange(len(spans))]
    return f"{line[:behind]}{_space(line)}{line[first:behind]}{line[behind:]}"


def _deleted(line: str, spans: Spans, chance: random.Random, words: Sequence[str]) -> str:  # noqa: ARG001
    first, behind = spans[chance.randrange(len(spans))]
    space = _space(line)
    return (
        space.join((line[:first].rstrip(), line[behind:].lstrip())).strip()
        if space
        else line[:first] + line[behind:]
    )
