"""Semantic roles: predicates and their arguments, and how the last column of CoNLL-U writes them.

Labels are those of Giménez and Màrquez (2009): PropBank's ARG0 is A0 here, ARGM-TMP is AM-TMP. A continuation (C-A1) is
part of the argument that it continues; a relative word (R-A0) is an argument with a label of its own. The predicate
itself (V, C-V) is not an argument.

The row of a predicate has ``Pred=nominate.01``, ``Args=A0:1-2,AM-TMP:3-4,A1:6-7+10-11`` and, where a labeller gives
probabilities, ``PredP=0.998`` and ``Alts=A0:1-2@0.97,A1:1-2@0.02``. Words are counted from 1 through the sentence, the
last one is included; ``+`` joins the parts of an argument. C-A1 is a part of A1 too, and V is not an argument
(`arguments_of`). What follows ``Pred=`` is the sense, or else the lemma; ``PredLemma=`` follows where the sense does
not begin with the lemma. A word with a ``PredP`` below 0.5 is not a predicate and has no ``Args``.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

Span = tuple[int, int]
# Universal tags of the words that can be predicates.
VERB, NOUN = "VERB", "NOUN"
# From this probability on a word counts as a predicate.
LIKELY = 0.5
CONTINUATION, RELATIVE = "C-", "R-"
_NUMBERED = re.compile(r"A(?:RG)?([0-9A])(?:-[A-Z]+)?")
_MODIFIER = re.compile(r"A(?:RG)?M(-[A-Z]+)?")
_FORM = re.compile(r"[A-Za-z][A-Za-z0-9_*-]*")


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a predicate.

    Attributes:
        label: Its role, such as A0, AM-TMP or R-A1.
        spans: First word and the word after the last word of each of its parts, in the order of the text; words are
            counted from 0 through the line.
        probability: Probability that the word is a predicate and has this argument; 1 where roles are given.
    """

    label: str
    spans: tuple[Span, ...]
    probability: float = 1.0

    @property
    def words(self) -> list[int]:
        """Its words, counted from 0 through the line."""
        return [word for start, end in self.spans for word in range(start, end)]


@dataclass(frozen=True, slots=True)
class Frame:
    """A predicate with its arguments.

    Attributes:
        predicate: The word, counted from 0 through the line.
        lemma: Its lemma, in lower case; that of a noun is a noun.
        arguments: The arguments, in the order of the text; none if the word is less likely a predicate than not.
        roleset: PropBank's name of its sense, such as nominate.01; empty where unknown.
        probability: Probability that the word is a predicate; 1 where roles are given.
        alternatives: Possible arguments with their probabilities, those above among them; empty where roles are given.
    """

    predicate: int
    lemma: str
    arguments: tuple[Argument, ...] = ()
    roleset: str = ""
    probability: float = 1.0
    alternatives: tuple[Argument, ...] = ()

    @property
    def is_likely(self) -> bool:
        """Whether the word is more likely a predicate than not."""
        return self.probability >= LIKELY

    @property
    def possible(self) -> tuple[Argument, ...]:
        """The possible arguments; where roles are given, the arguments."""
        return self.alternatives or self.arguments


def moved_frame(frame: Frame, by: int) -> Frame:
    """The same frame shifted by so many words."""
    if by == 0:
        return frame
    arguments, alternatives = (
        tuple(
            replace(one, spans=tuple((start + by, end + by) for start, end in one.spans)) for one in several
        )
        for several in (frame.arguments, frame.alternatives)
    )
    return replace(frame, predicate=frame.predicate + by, arguments=arguments, alternatives=alternatives)


@lru_cache(maxsize=10_000)
def standard_label(label: str) -> str:
    """The paper's name of a role: ARG0 is A0, ARGM-TMP AM-TMP, R-ARG1 R-A1; others stay as they are.

    Additions to numbered arguments are dropped: ARG1-DSP is A1.

    Raises:
        ValueError: If it has characters that no label has.
    """
    mark = label[:2] if label[:2] in {CONTINUATION, RELATIVE} else ""
    bare = label[len(mark) :]
    if numbered := _NUMBERED.fullmatch(bare):
        return f"{mark}A{numbered[1]}"
    if modifier := _MODIFIER.fullmatch(bare):
        return f"{mark}AM{modifier[1] or ''}"
    if not _FORM.fullmatch(bare):
        raise ValueError(f"{label!r} is not a label of a role")
    return label


def arguments_of(labelled: Sequence[tuple[str, Span]]) -> tuple[Argument, ...]:
    """Arguments from labelled spans of one predicate.

    A continuation joins the last argument of its label before it, or else the first one after it; without one it is
    that argument. V and C-V are left out.

    Args:
        labelled: Label, in any of the notations of `standard_label`, and span.

    Raises:
        ValueError: If a label is none, or an argument is given twice.
    """
    ordered = sorted(((standard_label(label), span) for label, span in labelled), key=lambda one: one[1])
    found = _joined_parts([Argument(label, (span,)) for label, span in ordered])
    return tuple(sorted(found, key=lambda one: (one.spans, one.label)))


def _joined_parts(given: Sequence[Argument]) -> tuple[Argument, ...]:
    """Arguments with their continuations, in their order, by the rule of `arguments_of`; without V and C-V."""
    whole = [one for one in given if one.label != "V" and not one.label.startswith(CONTINUATION)]
    for (label, _), number in Counter((one.label, one.spans) for one in given).items():
        if number > 1:
            raise ValueError(f"{label} is given twice with the same words; give each argument once")
    heads = [one.spans[0] for one in whole]
    for one in sorted(given, key=lambda each: each.spans):
        bare = one.label.removeprefix(CONTINUATION)
        if bare in {one.label, "V"}:
            continue
        same = sorted((k for k, own in enumerate(whole) if own.label == bare), key=lambda k: heads[k])
        before = [k for k in same if heads[k] < one.spans[0]]
        if same:
            k = before[-1] if before else same[0]
            whole[k] = replace(whole[k], spans=tuple(sorted((*whole[k].spans, *one.spans))))
        else:
            whole.append(replace(one, label=bare))
            heads.append(one.spans[0])
    return tuple(whole)


PREDICATE, LEMMA, PROBABILITY, ARGUMENTS, ALTERNATIVES = "Pred", "PredLemma", "PredP", "Args", "Alts"
_WORDS = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_SENSE = re.compile(r"(.+)\.(?:[0-9]+|[A-Z]+)")


def frame_fields(frame: Frame, start: int) -> list[str]:
    """Entries of the last column for a predicate of the sentence that begins at word ``start``."""
    sense = _escaped(frame.roleset or frame.lemma)
    fields = [f"{PREDICATE}={sense}"]
    if lemma_of_sense(sense) != frame.lemma:
        fields.append(f"{LEMMA}={_escaped(frame.lemma)}")
    if frame.probability != 1.0:
        fields.append(f"{PROBABILITY}={frame.probability!r}")
    for key, arguments in ((ARGUMENTS, frame.arguments), (ALTERNATIVES, frame.alternatives)):
        if arguments:
            fields.append(f"{key}={','.join(_written(one, start) for one in arguments)}")
    return fields


def _escaped(name: str) -> str:
    return name.replace("|", "/").replace("=", "-")


def _written(argument: Argument, start: int) -> str:
    spans = "+".join(f"{first - start + 1}-{end - start}" for first, end in argument.spans)
    certain = argument.probability == 1.0
    return f"{argument.label}:{spans}{'' if certain else f'@{argument.probability!r}'}"


def frame_of_fields(fields: Iterable[str], word: int) -> Frame | None:
    """The frame of a word, from the entries of its last column; None if it is not a predicate.

    Args:
        fields: ``KEY=VALUE``; entries with other keys are skipped.
        word: The word, counted from 0.

    Raises:
        ValueError: If an entry is malformed; says which.
    """
    found = dict(entry.partition("=")[::2] for entry in fields)
    if PREDICATE not in found:
        return None
    sense = found[PREDICATE]
    if not sense:
        raise ValueError(f"{PREDICATE} is empty, a sense or a lemma is needed")
    arguments, alternatives = (
        _joined_parts([_argument(entry, key) for entry in found[key].split(",")]) if key in found else ()
        for key in (ARGUMENTS, ALTERNATIVES)
    )
    frame = Frame(
        word,
        found.get(LEMMA, "").lower() or lemma_of_sense(sense),
        arguments,
        sense if _SENSE.fullmatch(sense) else "",
        _probability(found.get(PROBABILITY, "1.0"), PROBABILITY),
        alternatives,
    )
    if frame.arguments and not frame.is_likely:
        raise ValueError(
            f"{PROBABILITY} is {frame.probability!r}, so the word is not a predicate, but {ARGUMENTS} gives it "
            f"arguments; raise {PROBABILITY} to {LIKELY} or more, or write {ALTERNATIVES} for {ARGUMENTS}"
        )
    return frame


def lemma_of_sense(sense: str) -> str:
    """The lemma within the name of a sense: help for help_out.03; without a number, the name itself."""
    match = _SENSE.fullmatch(sense)
    return (match[1] if match else sense).partition("_")[0].lower() or sense.lower()


def _argument(entry: str, key: str) -> Argument:
    label, colon, rest = entry.partition(":")
    spans, mark, probability = rest.partition("@")
    if not (label and colon):
        raise ValueError(f"{key} has {entry!r}, a role and its words are needed, as in A0:1-2")
    return Argument(
        standard_label(label),
        tuple(_span(text, key) for text in spans.split("+")),
        _probability(probability if mark else "1.0", key),
    )


def _span(text: str, key: str) -> Span:
    match = _WORDS.fullmatch(text)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last:
        raise ValueError(f"{key} has the words {text!r}, a number or a range such as 3-4 is needed")
    return first - 1, last


def _probability(text: str, key: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{key} has the probability {text!r}, a number from 0 to 1 is needed")
    return value


def check_frames(frames: Sequence[Frame], n_words: int) -> None:
    """Refuses frames that reach beyond the words.

    Raises:
        ValueError: If a span ends after the last word, or parts of an argument overlap.
    """
    for frame in frames:
        for argument in (*frame.arguments, *frame.alternatives):
            end = 0
            for first, last in argument.spans:
                if not end <= first < last <= n_words:
                    raise ValueError(
                        f"the words of {argument.label} are {first + 1}-{last}, the sentence has {n_words}; "
                        "parts of an argument follow each other"
                    )
                end = last
