"""Base phrase chunks from constituent trees, by the rules of the CoNLL-2000 shared task.

Tjong Kim Sang and Buchholz (2000, "Introduction to the CoNLL-2000 shared task: chunking", section 2): a chunk contains
everything up to and including the syntactic head of the constituent of the same name; chunks do not overlap.

* NP: up to the noun, with the modifiers to its left; ``'s`` begins the chunk of the possessed noun.
* VP: the whole group of verbs, with auxiliaries, ``to``, and adverbs before the last verb or ``not`` after it; the
  verbs of an infinitive or participle without a subject belong to it if they follow immediately. An auxiliary before
  its subject is in no chunk.
* PP and SBAR: the preposition or complementiser alone, with modifiers before it.
* ADVP, ADJP: up to the adverb or adjective. PRT, CONJP, INTJ, LST: all words.
* Interrogative phrases (WHNP, …) are chunks of the corresponding plain type (NP, …).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pfsm_linguistics.analysis.constituents import Constituent

OUTSIDE = "O"
_KIND = {
    "NP": "NP", "WHNP": "NP", "NX": "NP", "NML": "NP", "NAC": "NP", "QP": "NP", "VP": "VP", "PP": "PP", "WHPP": "PP",
    "ADVP": "ADVP", "WHADVP": "ADVP", "ADJP": "ADJP", "WHADJP": "ADJP", "SBAR": "SBAR", "PRT": "PRT", "CONJP": "CONJP",
    "INTJ": "INTJ", "LST": "LST",
}  # fmt: skip
_WHOLE = frozenset({"PRT", "CONJP", "INTJ", "LST"})
_MODIFIERS = frozenset({"ADJP", "ADVP", "WHADJP", "WHADVP", "UCP"})
# Phrases that have no chunk of their own inside another phrase.
_INNER = frozenset({"QP", "NML", "NX", "NAC"})
_ABSORBED = {
    "NP": _MODIFIERS | _INNER,
    "PP": _MODIFIERS,
    "SBAR": _MODIFIERS,
    "ADVP": _MODIFIERS | _INNER,
    "ADJP": _MODIFIERS | _INNER,
}
_LOOSE = frozenset({",", ":", "``", "''", ".", "-LRB-", "-RRB-", "HYPH", "NFP", "CC"})
_ADVERBS = frozenset({"RB", "RBR", "RBS"})
_CLAUSES = frozenset({"S", "SBAR", "SQ"})


@dataclass(frozen=True)
class Chunk:
    """A base phrase.

    Attributes:
        label: Its type, such as ``NP``.
        start: First word, counted from 0 through the line.
        end: The word after the last word of the chunk.
    """

    label: str
    start: int
    end: int


def base_chunks(trees: Sequence[Constituent]) -> list[Chunk]:
    """The chunks of a line from its sentences' constituent trees, left to right; a word may be in no chunk."""
    if not trees:
        return []
    words = _Words([None] * trees[-1].end)
    for tree in trees:
        # A stack, not recursion: damaged lines can nest deeper than Python recurses.
        stack: list[_Step] = [_Step(tree)]
        while stack:
            stack.extend(reversed(list(_steps(stack.pop(), words))))
    return words.chunks()


def iob_labels(trees: Sequence[Constituent], n_words: int) -> list[str]:
    """For every word of a line ``B-NP`` (begins a chunk), ``I-NP`` (continues it) or ``O``."""
    labels = [OUTSIDE] * n_words
    for chunk in base_chunks(trees):
        labels[chunk.start : chunk.end] = [f"I-{chunk.label}"] * (chunk.end - chunk.start)
        labels[chunk.start] = f"B-{chunk.label}"
    return labels


@dataclass(eq=False)
class _Open:
    label: str


@dataclass(frozen=True)
class _Step:
    """A constituent to cut, and the preceding chunk that its first chunk continues, if any."""

    node: Constituent
    join: _Open | None = None


@dataclass
class _Words:
    of_word: list[_Open | None]

    def put(self, chunk: _Open, start: int, end: int) -> None:
        """Adds those words to the chunk that are in no chunk yet."""
        for word in range(start, end):
            if self.of_word[word] is None:
                self.of_word[word] = chunk

    def chunks(self) -> list[Chunk]:
        """The chunks; a chunk that is interrupted by another becomes several."""
        found: list[Chunk] = []
        before: _Open | None = None
        for word, chunk in enumerate(self.of_word):
            if chunk is not None and chunk is before:
                found[-1] = Chunk(chunk.label, found[-1].start, word + 1)
            elif chunk is not None:
                found.append(Chunk(chunk.label, word, word + 1))
            before = chunk
        return found


def _category(node: Constituent) -> str:
    """The label without functions and indices, as in ``NP-SBJ-1``."""
    return node.label.partition("-")[0].partition("=")[0] or node.label


def _steps(step: _Step, words: _Words) -> Iterator[_Step]:
    """Cuts one constituent into chunks; yields the parts that must be cut separately."""
    kind = "" if step.node.is_leaf else _KIND.get(_category(step.node), "")
    if kind in _WHOLE:
        _put_segment(step.node.children, _Open(kind), words, everything=True)
    elif kind == "VP":
        yield from _VerbGroup(step, words).cut()
    elif kind:
        yield from _Phrase(step, kind, words).cut()
    elif not step.node.is_leaf:
        yield from _clause(step, words)


def _clause(step: _Step, words: _Words) -> Iterator[_Step]:
    children = step.node.children
    alone = not any(_category(child) == "VP" for child in children)
    for place, child in enumerate(children):
        if child.is_leaf:
            if alone and _is_verb(child):
                words.put(_Open("VP"), child.start, child.end)
        else:
            joins = place == 0 and _category(child) in {"VP", *_CLAUSES}
            yield _Step(child, step.join if joins else None)


def _is_verb(leaf: Constituent) -> bool:
    return leaf.is_leaf and (leaf.label in {"MD", "TO"} or leaf.label.startswith(("VB", "AUX")))


def _is_anchor(node: Constituent) -> bool:
    """Whether a chunk may end with this part: a word, or a phrase that has no chunk of its own."""
    return node.label not in _LOOSE if node.is_leaf else _category(node) in _INNER


def _put_segment(
    parts: Sequence[Constituent], chunk: _Open, words: _Words, *, everything: bool = False
) -> list[Constituent]:
    """Puts adjacent parts into a chunk, up to the last part that may end it; returns the remaining parts."""
    anchors = [k for k, part in enumerate(parts) if _is_anchor(part) or (everything and not part.is_leaf)]
    if not anchors:
        return [part for part in parts if not part.is_leaf]
    first = next(k for k, part in enumerate(parts) if not (part.is_leaf and part.label in _LOOSE))
    words.put(chunk, parts[first].start, parts[anchors[-1]].end)
    return [part for part in parts[anchors[-1] + 1 :] if not part.is_leaf]


class _Phrase:
    """A phrase whose chunk ends with its head."""

    def __init__(self, step: _Step, kind: str, words: _Words) -> None:
        self._children = step.node.children
        self._kind = kind
        self._words = words
        self._join = step.join
        self._segment: list[Constituent] = []

    def cut(self) -> Iterator[_Step]:
        for place, child in enumerate(self._children):
            if child.is_leaf:
                if child.label == "POS":
                    yield from self._flush()
                self._segment.append(child)
            elif _category(child) in _ABSORBED[self._kind]:
                self._segment.append(child)
            elif self._kind == "NP" and _KIND.get(_category(child)) == "NP":
                yield from self._inner(child, is_last=place == len(self._children) - 1)
            else:
                # A clause without a complementiser passes on the chunk before it.
                join = self._join if child is self._children[0] and _category(child) in _CLAUSES else None
                yield from self._flush()
                self._join = None
                yield _Step(child, join)
        yield from self._flush()

    def _inner(self, child: Constituent, *, is_last: bool) -> Iterator[_Step]:
        """A noun phrase inside a noun phrase: it takes the words before it; its ``'s`` belongs to the next chunk."""
        chunk = self._join
        if self._segment and _is_anchor(self._segment[-1]):
            chunk = self._join or _Open("NP")
            yield from map(_Step, _put_segment(self._segment, chunk, self._words))
        else:
            yield from self._flush()
        self._segment, self._join = [], None
        possessive = child
        while not possessive.is_leaf:
            possessive = possessive.children[-1]
        if possessive.label == "POS" and not is_last:
            owned = _Open("NP")
            self._words.put(owned, possessive.start, possessive.end)
            self._join = owned
        yield _Step(child, chunk)

    def _flush(self) -> Iterator[_Step]:
        if self._segment:
            chunk = self._join if self._join and self._join.label == self._kind else _Open(self._kind)
            left = _put_segment(self._segment, chunk, self._words)
            self._segment, self._join = [], None
            yield from map(_Step, left)


class _VerbGroup:
    """A verb phrase: its verbs and those of the verb phrases inside it form one chunk."""

    def __init__(self, step: _Step, words: _Words) -> None:
        self._children = step.node.children
        self._words = words
        self._chunk = step.join
        # Adverbs and conjunctions that belong to the group if another verb follows.
        self._waiting: list[Constituent] = []
        self._has_verb = False

    def cut(self) -> Iterator[_Step]:
        for child in self._children:
            # Tags of words that belong to the group if another verb follows.
            may_wait = _ADVERBS if self._chunk is None else _ADVERBS | {"CC"}
            if _is_verb(child):
                self._take(child)
                self._has_verb = True
            elif _category(child) == "ADVP" if not child.is_leaf else child.label in may_wait:
                self._wait(child)
            elif _category(child) == "VP":
                yield _Step(child, self._open())
                self._chunk = None
            else:
                yield from self._dropped()
                # Only immediately after the verb; _clause checks whether it has a subject.
                follows = _category(child) in _CLAUSES and self._has_verb and not child.is_leaf
                yield _Step(child, self._chunk if follows else None)
                self._chunk = None
        yield from self._dropped()

    def _wait(self, child: Constituent) -> None:
        # ``not`` and similar words stand after the verb without a phrase of their own.
        if child.is_leaf and child.label in _ADVERBS and self._has_verb and not self._waiting:
            self._take(child)
        else:
            self._waiting.append(child)

    def _open(self) -> _Open | None:
        """The chunk for the next verbs, with the words that waited for them; None after a conjunction."""
        if any(part.label == "CC" for part in self._waiting):
            self._chunk = None
            self._waiting = [part for part in self._waiting if not part.is_leaf]
        return self._put([]) if self._chunk or self._waiting else None

    def _take(self, leaf: Constituent) -> None:
        self._chunk = self._put([leaf])

    def _put(self, parts: Sequence[Constituent]) -> _Open:
        """Puts what waited, and some parts behind it, into the open chunk or a new one."""
        chunk = self._chunk or _Open("VP")
        for part in (*self._waiting, *parts):
            self._words.put(chunk, part.start, part.end)
        self._waiting = []
        return chunk

    def _dropped(self) -> Iterator[_Step]:
        """Words that waited without a following verb are cut separately and end the group."""
        if self._waiting:
            self._chunk = None
        yield from (_Step(part) for part in self._waiting if not part.is_leaf)
        self._waiting = []
