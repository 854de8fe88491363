"""Questions to the data: which rows form a segment, a document, a system or a group, and what is resampled.

* A *segment* is all translations of one source segment: rows of the same file, test set, languages and document with
  the same `segment_id`. Where there is no identifier, and in a file where every identifier stands once (some
  collections number their rows like this), they are the rows with the same reference.
* A *document* is all rows with the same `document`, test set and languages.
* A *system* is all rows with the same `system`.

Segments are resampled unless the caller says otherwise; about systems whole documents, in groups of `FEWEST_DOCUMENTS`
or more: people's errors cluster by document. Whoever asks about the same rows in the same order with the same seed gets
the same numbers (`pfsm.evaluation.engine`).

Human likeness of judged data: does the metric tell references from translations (KING)?

With two or more references of a segment, each is held out in turn; it and the translations of the segment are
scored against the others, as the metric uses several references.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.arrays import Float
from pfsm.data import Judgments, Preferences
from pfsm.data.judgments import (
    DOCUMENT,
    SEGMENT_ID,
    WITHIN,
    document_names,
    segment_places,
    warn_of_repeated_ids,
)
from pfsm.errors import PfsmError
from pfsm.evaluation.bootstrap import by_appearance, count_ids, dense_ids, group_members
from pfsm.evaluation.catalogue import DOCUMENT as DOCUMENT_LEVEL
from pfsm.evaluation.catalogue import SEGMENT as SEGMENT_LEVEL
from pfsm.evaluation.catalogue import SYSTEM as SYSTEM_LEVEL
from pfsm.evaluation.king import TestCases
from pfsm.evaluation.measure import Items, Names, scored_items
from pfsm.evaluation.people import EXPECTED_WINS, LEAST_SQUARES, MEANS, RankedSystems, people_of
from pfsm.evaluation.pooled import PooledScores, Scores, TranslatedDocuments, translated_documents
from pfsm.evaluation.preference import PreferenceItems, preference_items
from pfsm.metrics import score_distinct
from pfsm.text.plain import token_counts

Int = NDArray[np.int64]


SYSTEM = "system"
ONE_GROUP = "all"
SEGMENTS, JUDGMENTS, DOCUMENTS, SYSTEMS = RESAMPLES = ("segments", "judgments", "documents", "systems")
FEWEST_DOCUMENTS = 3
"""Documents of a group without which resamples of them say too little, so that segments are drawn."""
CORRELATION, PREFERENCE, LIKENESS, RANKING = "correlation", "preference", "likeness", "ranking"
SIDES = ("better", "worse")


Data = TypeVar("Data", bound=Items | PreferenceItems | RankedSystems | TestCases)
"""What there is to agree about: translations, preferences, ranked systems or test cases."""


@dataclass(frozen=True, eq=False)
class Question(Generic[Data]):
    """The human side of some data, `items` in groups, and what is resampled."""

    kind: str
    """`CORRELATION` (absolute scores), `PREFERENCE`, `LIKENESS` or `RANKING`."""
    level: str
    """One of `pfsm.evaluation.catalogue.LEVELS`."""
    items: Data
    groups: Sequence[str]
    """[n], the group of every item."""
    unit: str
    """What is resampled, in a word."""
    documents: TranslatedDocuments | None = None
    """At document level: how scores of rows become those of items."""
    translations: Int | None = None
    """Of rankings: int64 [n], where each translation stands first, the better ones of all rows before the worse."""

    def scores(self, metric: Scores) -> Scores:
        """A metric's scores of the items, from those of the data's rows; NaN for what has none.

        Raises:
            ValueError: If the metric's statistics are to be pooled, but the items are single translations.
        """
        if self.documents is not None:
            return self.documents.scores(metric)
        if self.translations is not None and not isinstance(metric, PooledScores):
            return np.asarray(metric.T.reshape(-1)[self.translations])
        if isinstance(metric, PooledScores) and self.level != SYSTEM_LEVEL:
            raise ValueError(f"at {self.level} level there is nothing to pool; give scores")
        return metric

    @cached_property
    def corpora(self) -> Int:
        """int64 [n_rows], from 0 up: the system of a group, or the document, that a row is of.

        Raises:
            ValueError: If the question is not about systems or documents.
        """
        if self.documents is not None:
            return self.documents.of_row
        items: Any = self.items
        if self.level != SYSTEM_LEVEL or items.systems is None:
            raise ValueError("only systems and documents are scored as corpora")
        return dense_ids(list(zip(self.groups, items.systems.tolist(), strict=True)), len(items), "systems")

    def part_scores(self, scores: Scores, group: str) -> Scores:
        """The scores of a group's items, from those of all items."""
        rows = self.members[group]
        if isinstance(scores, PooledScores):
            return scores.select(rows)
        return scores[self.items.scored(rows) if isinstance(self.items, TestCases) else rows]

    @cached_property
    def members(self) -> dict[str, Int]:
        """The items of every group, groups sorted by name."""
        return group_members(self.groups, len(self.items))

    @property
    def people(self) -> str | None:
        """What people's scores of systems are; means where a fit of absolute scores is nowhere possible."""
        if self.level != SYSTEM_LEVEL:
            return None
        items: Any = self.items
        parts: Mapping[str, Any] = self.parts
        fits = any(people_of(part).fits for part in parts.values())
        return MEANS if self.kind == CORRELATION and not fits else str(items.people)

    @property
    def pools_groups(self) -> bool:
        """Whether all items together are another question: there are several groups, and no systems to keep apart."""
        return self.level != SYSTEM_LEVEL and len(self.members) != 1

    @cached_property
    def parts(self) -> dict[str, Data]:
        """Every group by itself."""
        items: Any = self.items
        return {name: items.select(rows) for name, rows in self.members.items()}


def absolute_question(
    data: Judgments,
    files: Int,
    groups: Sequence[str],
    level: str = SEGMENT_LEVEL,
    *,
    resample: str | None = None,
    lengths: bool = False,
    people: str = LEAST_SQUARES,
) -> Question[Items]:
    """A question about absolute scores.

    Args:
        data: The judgments.
        files: int64 [n], which file each row is of.
        groups: [n], the group of every row.
        level: About translations, documents or systems.
        resample: One of `RESAMPLES`; None: documents at their level, and about systems where there are documents, else
            segments.
        lengths: Whether length-weighted statistics are asked for.
        people: What people's score of a system is, one of `pfsm.evaluation.people.FITS`.

    Returns:
        The human side, for `estimate` and `compare`.

    Raises:
        PfsmError: If the level does not go with what is to be resampled, or a column is missing.
    """
    check_resample(resample, level)
    if level == DOCUMENT_LEVEL:
        return _document_question(data, groups)
    drawn: Names | None = None if resample in {None, SEGMENTS} else _drawn(data, files, str(resample))
    if level == SYSTEM_LEVEL:
        groups = _campaigns(data, groups)
        if resample is None:
            resample, drawn = _documents_or_segments(data, files, groups)
    items = scored_items(
        data.scores,
        segment_names(data, files),
        data.columns.get(SYSTEM),
        token_counts(data.references) if lengths else None,
        drawn,
        people,
    )
    return Question(CORRELATION, level, items, groups, _unit(items, resample, JUDGMENTS))


def _document_question(data: Judgments, groups: Sequence[str]) -> Question[Items]:
    """What is of different groups is of different documents."""
    for name in (DOCUMENT, SYSTEM):
        if name not in data.columns:
            raise PfsmError(f"{name!r} holds people's scores; the document level needs it for names")
    names = list(zip(groups, document_names(data), strict=True))
    documents = translated_documents(data.scores, names, data.columns[SYSTEM])
    of_items = [groups[row] for row in documents.first.tolist()]
    return Question(CORRELATION, DOCUMENT_LEVEL, documents.items, of_items, DOCUMENTS, documents)


def preference_question(
    data: Preferences,
    files: Int,
    groups: Sequence[str],
    *,
    resample: str | None = None,
    ties: Float | None = None,
) -> Question[PreferenceItems]:
    """A question about preferences; arguments and errors as in `absolute_question`.

    Args:
        data: The preferences.
        files: int64 [n].
        groups: [n].
        resample: As in `absolute_question`; `JUDGMENTS` resamples pairs.
        ties: float64 [n], how often people preferred neither translation of the row's pair; none where it is None.

    Returns:
        The human side, for `estimate` and `compare`.
    """
    counted = None if ties is None else np.where(_first_of_pair(data), ties, 0.0)
    drawn = _drawn(data, files, resample or SEGMENTS)
    items = preference_items(data.better, data.worse, data.references, data.votes, counted, drawn)
    return Question(PREFERENCE, SEGMENT_LEVEL, items, groups, _unit(items, resample, "pairs"))


def ranking_question(
    data: Preferences,
    files: Int,
    groups: Sequence[str],
    *,
    resample: str | None = None,
    people: str = EXPECTED_WINS,
) -> Question[RankedSystems]:
    """A question about the systems that people ranked; arguments and errors as in `absolute_question`.

    Args:
        data: The preferences; the columns ``better_system`` and ``worse_system`` say who translated.
        files: int64 [n].
        groups: [n].
        resample: `SEGMENTS` or `DOCUMENTS`; None: documents where there are some, else segments.
        people: What people's score of a system is, one of `pfsm.evaluation.people.SYSTEM_SCORES`.
    """
    if resample not in {None, SEGMENTS, DOCUMENTS}:
        raise PfsmError(f"rankings of systems resample segments or documents, not {resample}")
    names = [data.columns[f"{side}_{SYSTEM}"] for side in SIDES]
    segments, groups = segment_names(data, files).tolist(), _campaigns(data, groups)
    named: Names | None
    if resample is None:
        resample, named = _documents_or_segments(data, files, groups)
    else:
        named = _drawn(data, files, resample)
    drawn = segments if named is None else list(named)
    place: dict[tuple[Any, ...], int] = {}
    first: list[int] = []
    numbers = np.zeros((2, len(data)), dtype=np.int64)
    for side, texts in enumerate((data.better, data.worse)):
        for row, key in enumerate(zip(groups, segments, names[side], texts, strict=True)):
            numbers[side, row] = place.setdefault(key, len(place))
            if numbers[side, row] == len(first):
                first.append(side * len(data) + row)
    rows = [at % len(data) for at in first]
    systems = dense_ids([(key[0], key[2]) for key in place], len(place), "systems")
    units = by_appearance(dense_ids([drawn[row] for row in rows], len(rows), "units"))
    of_segment = by_appearance(dense_ids([segments[row] for row in rows], len(rows), "segments"))
    items = RankedSystems(systems, units, numbers[0], numbers[1], data.votes, of_segment, people)
    unit = resample or SEGMENTS
    of_items = [groups[row] for row in rows]
    return Question(
        RANKING, SYSTEM_LEVEL, items, of_items, unit, translations=np.array(first, dtype=np.int64)
    )


def question_of_scores(
    human: ArrayLike,
    groups: Sequence[str] | None = None,
    segments: Names | None = None,
    systems: Names | None = None,
    lengths: ArrayLike | None = None,
    *,
    level: str = SEGMENT_LEVEL,
    resample: str | None = None,
    documents: Names | None = None,
    people: str = LEAST_SQUARES,
) -> Question[Items]:
    """A question about arrays; segments of different groups are different ones, whatever their names.

    Args:
        human: float64 [n], finite.
        groups: [n]; one group where it is None.
        segments: [n], names or numbers.
        systems: [n], names or numbers.
        lengths: float64 [n], not negative.
        level: As in `absolute_question`.
        resample: `DOCUMENTS` (the default about systems, where they are given), `SEGMENTS` (the default where there are
            segments), `JUDGMENTS` (the default elsewhere) or `SYSTEMS`.
        documents: [n], names or numbers; those of different groups are different ones.
        people: As in `absolute_question`.

    Returns:
        The human side, for `estimate` and `compare`.

    Raises:
        ValueError: If lengths differ, a number is invalid, or the units to resample are missing.
        PfsmError: If the level does not go with what is to be resampled.
    """
    check_resample(resample, level)
    n = np.size(human)
    names = [ONE_GROUP] * n if groups is None else groups
    if len(names) != n:
        raise ValueError(f"there are {n} rows, but {len(names)} group names")
    apart, of_documents = (
        _apart(one, groups, what) for one, what in ((segments, SEGMENTS), (documents, DOCUMENTS))
    )
    if resample is None and level == SYSTEM_LEVEL and documents is not None:
        resample = DOCUMENTS
    choices = {
        None: None,
        SEGMENTS: apart,
        JUDGMENTS: np.arange(n),
        SYSTEMS: systems,
        DOCUMENTS: of_documents,
    }
    drawn = choices.get(resample)
    if resample is not None and drawn is None:
        raise ValueError(f"resample is {resample!r}, but there are no {resample}")
    items = scored_items(human, apart, systems, lengths, drawn, people)
    return Question(CORRELATION, level, items, names, _unit(items, resample, JUDGMENTS))


def _apart(names: Names | None, groups: Sequence[str] | None, what: str) -> Names | None:
    """Names or numbers that are different in different groups."""
    if names is None or groups is None:
        return names
    ids = dense_ids(names, len(groups), what)
    return np.asarray(dense_ids(groups, len(groups), "group names") * (ids.max(initial=0) + 1) + ids)


def group_names(data: Judgments | Preferences, by: str | None) -> Sequence[str]:
    """The group of every row: its field in a column, or one group for all."""
    if by is None:
        return [ONE_GROUP] * len(data)
    if by not in data.columns:
        raise PfsmError(f"{by!r} holds what is measured; group by another column")
    return data.columns[by]


def segment_names(data: Judgments | Preferences, files: Int) -> Int:
    """int64 [n]: the segment of every row, as at the head of this module."""
    named = data.columns.get(SEGMENT_ID, ("",) * len(data))
    places = segment_places(data.columns, len(data))
    named_places = [
        (file, *place, name) for file, place, name in zip(files.tolist(), places, named, strict=True)
    ]
    if SEGMENT_ID in data.columns:
        warn_of_repeated_ids(data.references, data.columns, data.place_of)
    counts = Counter(named_places)
    # Where every identifier of a file stands once, it may as well be the number of a row.
    identified = {place[0] for place, count in counts.items() if count > 1 and place[-1]}
    names = [
        (*place, "") if place[-1] and place[0] in identified else (*place[:-1], "", text)
        for place, text in zip(named_places, data.references, strict=True)
    ]
    return dense_ids(names, len(data), "segments")


def check_resample(resample: str | None, level: str) -> None:
    """Refuses to resample what the level does not allow."""
    if resample is not None and resample not in RESAMPLES:
        raise PfsmError(f"resample is {resample!r}; there are {', '.join(RESAMPLES)}")
    if level == DOCUMENT_LEVEL and resample not in {None, DOCUMENTS}:
        raise PfsmError(f"the document level resamples documents, not {resample}")
    if level == SYSTEM_LEVEL and resample == SYSTEMS:
        raise PfsmError(
            "the system level compares systems, so every resample must hold each of them; "
            "resample segments, documents or judgments"
        )


def _drawn(data: Judgments | Preferences, files: Int, resample: str) -> Names:
    """[n]: names of what is drawn together."""
    if resample == SEGMENTS:
        return segment_names(data, files)
    if resample == JUDGMENTS:
        return np.arange(len(data))
    if resample == SYSTEMS and isinstance(data, Preferences):
        raise PfsmError("a preference is of two systems; resample segments, documents or judgments")
    column = DOCUMENT if resample == DOCUMENTS else SYSTEM
    if not all(field.strip() for field in data.columns.get(column, ("",))):
        raise PfsmError(f"resampling {resample} needs the column {column!r}, filled in every row")
    return document_names(data) if resample == DOCUMENTS else data.columns[SYSTEM]


def _campaigns(data: Judgments | Preferences, groups: Sequence[str]) -> Sequence[str]:
    """Groups split by test set and languages: systems of different ones are never compared."""
    places = list(zip(groups, *(data.columns[name] for name in WITHIN if name in data.columns), strict=True))
    there: dict[str, set[tuple[str, ...]]] = {}
    for group, *fields in places:
        there.setdefault(group, set()).add(tuple(fields))
    varied = {
        group: [len(set(one)) > 1 for one in zip(*found, strict=True)] for group, found in there.items()
    }
    shown = {
        (group, *fields): [
            field for field, varies in zip(fields, varied[group], strict=True) if varies and field
        ]
        for group, *fields in set(places)
    }
    return [
        " ".join([*([] if place[0] == ONE_GROUP and shown[place] else [place[0]]), *shown[place]])
        for place in places
    ]


def _documents_or_segments(
    data: Judgments | Preferences, files: Int, groups: Sequence[str]
) -> tuple[str | None, Names | None]:
    """What is drawn about systems unless asked otherwise: documents in groups that name enough of them in every row."""
    named = data.columns.get(DOCUMENT, ("",) * len(data))
    names, segments = [*zip(groups, named, strict=True)], segment_names(data, files).tolist()
    unnamed = {group for group, field in names if not field.strip()}
    numbers = Counter(group for group, _ in set(names))
    enough = {one for one, n in numbers.items() if n >= FEWEST_DOCUMENTS and one not in unnamed}
    drawn = [
        (group, field) if group in enough else (group, "", segment)
        for (group, field), segment in zip(names, segments, strict=True)
    ]
    if not enough:
        return None, None
    return DOCUMENTS if len(enough) == len(numbers) else f"{DOCUMENTS} or {SEGMENTS}", drawn


def _unit(items: Items | PreferenceItems, resample: str | None, single: str) -> str:
    """What is resampled; `single` where segments are single items, or these are asked for."""
    if resample not in {None, SEGMENTS, JUDGMENTS}:
        return str(resample)
    return SEGMENTS if count_ids(items.units) < len(items) else single


def _first_of_pair(data: Preferences) -> NDArray[np.bool_]:
    """Whether a row is the first of its pair: one that stands both ways round has its ties on both rows."""
    others = [data.columns[name] for name in (SEGMENT_ID, "rater", "source_lang") if name in data.columns]
    systems = zip(
        *(data.columns.get(f"{side}_system", ("",) * len(data)) for side in ("better", "worse")), strict=True
    )
    texts = zip(data.better, data.worse, strict=True)
    sides = (frozenset(zip(*both, strict=True)) for both in zip(texts, systems, strict=True))
    first: dict[tuple[object, ...], int] = {}
    keys = zip(sides, data.references, *others, strict=True)
    return np.array([first.setdefault(key, row) == row for row, key in enumerate(keys)], dtype=np.bool_)


Scorer = Callable[[Sequence[str], Sequence[tuple[str, ...]]], Float]
"""From hypotheses and the references of each to scores, as `pfsm.metrics.SegmentMetric.score_segments`."""


@dataclass(frozen=True, eq=False)
class LikenessQuestion:
    """Test cases, a segment with one of its references held out each, and what there is to score for them."""

    question: Question[TestCases]
    hypotheses: Sequence[str]
    """[n_items], the held-out references, then the translations."""
    references: Sequence[tuple[str, ...]]
    """[n_items], the references left to each."""

    def scores(self, score_segments: Scorer) -> Float:
        """float64 [n_items]: a metric's scores of held-out references and translations."""
        return score_distinct(score_segments, self.hypotheses, self.references)


def likeness_question(data: Judgments, files: Int, groups: Sequence[str]) -> LikenessQuestion:
    """The test cases of some judgments; arguments as in `absolute_question`."""
    segments = by_appearance(segment_names(data, files))
    order = np.argsort(segments, kind="stable")
    case_groups: list[str] = []
    units: list[int] = []
    held_out: list[tuple[str, tuple[str, ...]]] = []
    translations: list[tuple[int, str, tuple[str, ...]]] = []
    for unit, rows in enumerate(np.split(order, np.flatnonzero(np.diff(segments[order])) + 1)):
        first = int(rows[0])
        references = tuple(filter(None, data.all_references[first]))
        for number, reference in enumerate(references if len(references) > 1 else ()):
            others = references[:number] + references[number + 1 :]
            translations += [(len(held_out), data.hypotheses[row], others) for row in rows.tolist()]
            held_out.append((reference, others))
            case_groups.append(groups[first])
            units.append(unit)
    if not held_out:
        raise PfsmError("king needs two references of a segment: columns reference and reference_2")
    items = [*held_out, *((text, others) for _, text, others in translations)]
    cases = TestCases(
        by_appearance(np.array(units, dtype=np.int64)),
        np.array([case for case, *_ in translations], dtype=np.int64),
    )
    return LikenessQuestion(
        Question(LIKENESS, SEGMENT_LEVEL, cases, case_groups, SEGMENTS),
        [text for text, _ in items],
        [others for _, others in items],
    )
