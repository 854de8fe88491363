"""What clients ask for: text to score, to compare and to explain, checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pfsm.serve.fields import Fields, check_items, check_line, pointer
from pfsm.serve.limits import Limits
from pfsm.serve.problems import RequestError, invalid

# Of each segment its references.
References = Sequence[Sequence[str]]
RESAMPLES, LARGEST_SEED = 1000, 2**32 - 1
LAST_SEGMENT = 10**9
# Of systems in one comparison.
MOST_SYSTEMS = 20


@dataclass(frozen=True)
class ScoreRequest:
    """A system's output to be scored, or explained.

    Attributes:
        model: Name of the model; empty: the default one.
        hypotheses: Translations.
        references: As many lists of references.
        confidence: Whether the interval of the score is wanted.
        resamples: Of its bootstrap.
        force: Whether to go on with text that the model cannot take apart into words.
        first: Number of the first segment in its file, from 1; explanations show it.
    """

    model: str
    hypotheses: Sequence[str]
    references: References
    confidence: bool = False
    resamples: int = RESAMPLES
    force: bool = False
    first: int = 1


@dataclass(frozen=True)
class CompareRequest:
    """Outputs of several systems to be compared; all have the same references.

    Attributes:
        model: As of `ScoreRequest`.
        names: Of the systems.
        outputs: Their translations, in the same order.
        references: Of each segment.
        resamples: Of the bootstrap.
        seed: Of the resamples; None: the server's.
        segments: Whether the scores of the segments are wanted.
        force: As of `ScoreRequest`.
    """

    model: str
    names: Sequence[str]
    outputs: Sequence[Sequence[str]]
    references: References
    resamples: int = RESAMPLES
    seed: int | None = None
    segments: bool = False
    force: bool = False


def score_request(value: object, limits: Limits) -> ScoreRequest:
    """The request in a body of ``/v1/score``.

    Raises:
        RequestError: If a field is not what it must be.
    """
    fields = Fields(value, ("model", "hypotheses", "references", "confidence", "resamples", "force"))
    hypotheses, references = parallel_texts(fields, limits, limits.pairs)
    return ScoreRequest(
        fields.text("model", ""), hypotheses, references, fields.flag("confidence"),
        fields.whole("resamples", RESAMPLES, 1, limits.resamples), fields.flag("force"),
    )  # fmt: skip


def explain_request(value: object, limits: Limits) -> ScoreRequest:
    """The request in a body of ``/v1/explain``.

    Raises:
        RequestError: If a field is not what it must be.
    """
    fields = Fields(value, ("model", "hypotheses", "references", "first_segment", "force"))
    hypotheses, references = parallel_texts(fields, limits, limits.explained)
    return ScoreRequest(
        fields.text("model", ""), hypotheses, references, force=fields.flag("force"),
        first=fields.whole("first_segment", 1, 1, LAST_SEGMENT),
    )  # fmt: skip


def compare_request(value: object, limits: Limits) -> CompareRequest:
    """The request in a body of ``/v1/compare``.

    Raises:
        RequestError: If a field is not what it must be.
    """
    known = ("model", "references", "systems", "resamples", "seed", "segments", "force")
    fields = Fields(value, known)
    systems = fields.items("systems", "systems")
    if not 2 <= len(systems) <= MOST_SYSTEMS:
        raise invalid("/systems", f"{len(systems)} systems; from 2 to {MOST_SYSTEMS} are compared")
    names: list[str] = []
    outputs = []
    for place, system in enumerate(systems):
        own = Fields(system, ("name", "hypotheses"), ("systems", place))
        name = own.text("name")
        if name in names:
            raise invalid(own.at("name"), "two systems have the same name")
        names.append(name)
        outputs.append(lines(own.items("hypotheses", "strings"), ("systems", place, "hypotheses"), limits))
    references = _references(fields, limits)
    for place, output in enumerate(outputs):
        _same_length(len(output), len(references), pointer("systems", place, "hypotheses"))
    _check_pairs(sum(map(len, references)) * len(outputs), limits.pairs)
    if len({len(several) for several in references}) > 1:
        raise invalid("/references", "all segments need the same number of references")
    seed = fields.whole("seed", 0, 0, LARGEST_SEED) if "seed" in fields else None
    return CompareRequest(
        fields.text("model", ""), names, outputs, references,
        fields.whole("resamples", RESAMPLES, 1, limits.resamples), seed,
        fields.flag("segments"), fields.flag("force"),
    )  # fmt: skip


def pair_request(value: object, limits: Limits) -> tuple[str, Sequence[str]]:
    """The hypothesis and its references in a line of a stream: ``reference``, or ``references`` with a list.

    Raises:
        RequestError: If a field is not what it must be.
    """
    fields = Fields(value, ("hypothesis", "reference", "references"))
    hypothesis = fields.text("hypothesis", longest=limits.line)
    if "references" not in fields:
        return hypothesis, [fields.text("reference", longest=limits.line)]
    if "reference" in fields:
        raise invalid("/reference", "give either reference or references, not both")
    return hypothesis, lines(fields.items("references", "strings"), ("references",), limits)


def lines(values: Sequence[Any], path: Sequence[str | int], limits: Limits) -> list[str]:
    """Segments, each a line.

    Raises:
        RequestError: If one is not.
    """
    longest = limits.line
    if not (set(map(type, values)) == {str} and max(map(len, values)) <= longest and _plain(values)):
        for place, value in enumerate(values):
            check_line(value, pointer(*path, place), longest)
    return list(values)


def _plain(values: Sequence[str]) -> bool:
    """Whether all lines are plain at a glance: one look at all of them is quicker than one at each."""
    joined = "".join(values)
    if "\n" in joined or "\r" in joined:
        return False
    try:
        joined.encode("utf-8")
    except UnicodeEncodeError:
        return False
    # Halves of a pair in neighbouring lines do not join: Python keeps them apart, and the encoder refuses them.
    return True


def parallel_texts(fields: Fields, limits: Limits, most: int) -> tuple[list[str], References]:
    """Hypotheses and the references of each, in the fields of these names.

    Raises:
        RequestError: If they are not what they must be, or are more than ``most`` pairs.
    """
    hypotheses = lines(fields.items("hypotheses", "strings"), ("hypotheses",), limits)
    references = _references(fields, limits)
    _same_length(len(hypotheses), len(references), pointer("hypotheses"))
    _check_pairs(sum(map(len, references)), most)
    return hypotheses, references


def _references(fields: Fields, limits: Limits) -> References:
    """One string for each segment, or a list of strings."""
    values = fields.items("references", "references")
    if not isinstance(values[0], list):
        return [[line] for line in lines(values, ("references",), limits)]
    return [
        lines(check_items(several, pointer("references", place), "strings"), ("references", place), limits)
        for place, several in enumerate(values)
    ]


def _same_length(hypotheses: int, references: int, where: str) -> None:
    if hypotheses != references:
        raise invalid(where, f"{hypotheses} hypotheses for the references of {references} segments")


def _check_pairs(found: int, most: int) -> None:
    if found > most:
        raise RequestError(
            413,
            f"{found} pairs, at most {most} in one request; send several requests, or a stream to /v1/score",
        )
