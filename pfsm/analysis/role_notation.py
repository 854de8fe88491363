"""Semantic roles in the last column of CoNLL-U.

The row of a predicate has ``Pred=nominate.01``, ``Args=A0:1-2,AM-TMP:3-4,A1:6-7+10-11`` and, where a labeller gives
probabilities, ``PredP=0.998`` and ``Alts=A0:1-2@0.97,A1:1-2@0.02``. Words are counted from 1 through the sentence, the
last one is included; ``+`` joins the parts of an argument. C-A1 is a part of A1 too, and V is no argument
(`joined_parts`). What follows ``Pred=`` is the sense, or else the lemma; ``PredLemma=`` follows where the sense does
not begin with the lemma. A word with a ``PredP`` below 0.5 is no predicate and has no ``Args``.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from pfsm.analysis.roles import LIKELY, Argument, Frame, Span, joined_parts, standard_label

PREDICATE, LEMMA, PROBABILITY, ARGUMENTS, ALTERNATIVES = "Pred", "PredLemma", "PredP", "Args", "Alts"
_SPAN = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
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
    """The frame of a word, from the entries of its last column; None if it is no predicate.

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
    frame = Frame(
        word,
        found.get(LEMMA, "").lower() or lemma_of_sense(sense),
        _read(found, ARGUMENTS),
        sense if _SENSE.fullmatch(sense) else "",
        _probability(found.get(PROBABILITY, "1.0"), PROBABILITY),
        _read(found, ALTERNATIVES),
    )
    if frame.arguments and not frame.is_likely:
        raise ValueError(
            f"{PROBABILITY} is {frame.probability!r}, so the word is no predicate, but {ARGUMENTS} gives it arguments; "
            f"raise {PROBABILITY} to {LIKELY} or more, or write {ALTERNATIVES} for {ARGUMENTS}"
        )
    return frame


def lemma_of_sense(sense: str) -> str:
    """The lemma within the name of a sense: help for help_out.03; without a number, the name itself."""
    match = _SENSE.fullmatch(sense)
    return (match[1] if match else sense).partition("_")[0].lower() or sense.lower()


def _read(fields: Mapping[str, str], key: str) -> tuple[Argument, ...]:
    text = fields.get(key)
    return () if text is None else joined_parts([_argument(entry, key) for entry in text.split(",")])


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
    match = _SPAN.fullmatch(text)
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
