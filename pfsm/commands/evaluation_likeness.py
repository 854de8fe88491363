"""Human likeness in ``pfsm evaluate``: does the metric tell references from translations (KING)?

With two or more references of a segment, each is held out in turn; it and the translations of the segment are
scored against the others, the best of which counts.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.commands.evaluation_inputs import SEGMENT, Inputs, group_names, segment_ids
from pfsm.commands.evaluation_sources import Scorer, Source
from pfsm.commands.evaluation_statistics import CONFIDENCE, estimate_entry
from pfsm.commands.evaluation_versus import test_entry
from pfsm.errors import PfsmError
from pfsm.evaluation.king import King
from pfsm.evaluation.samples import Sample, group_members, group_seed, mean_of_groups, renumbered
from pfsm.evaluation.significance import Contest, paired_bootstrap
from pfsm.metrics import score_distinct

KING = "king"
HEADING = {KING: "KING"}
_FURTHER = re.compile(r"reference_[1-9][0-9]*", re.ASCII)


@dataclass(frozen=True, eq=False)
class Cases:
    """Test cases: a segment with one of its references held out.

    Items are the held-out references, one a case, and then the translations of the cases; each is scored
    against every reference left.
    """

    groups: list[str]
    """[n_cases]"""
    segments: NDArray[np.int64]
    """int64 [n_cases]"""
    automatic: NDArray[np.int64]
    """int64 [n_translations], the case of each."""
    hypotheses: list[str]
    """[n_pairs], the items once for each reference left."""
    references: list[str]
    starts: NDArray[np.int64]
    """int64 [n_items], where the pairs of each item begin."""

    def scores(self, source: Scorer) -> NDArray[np.float64]:
        """float64 [n_items]."""
        pairs = score_distinct(source.score_pairs, self.hypotheses, self.references)
        return np.maximum.reduceat(pairs, self.starts)

    def contests(
        self, metric: NDArray[np.float64], other: NDArray[np.float64]
    ) -> tuple[dict[str, Contest], Contest]:
        """The measure and both metrics' scores in every group, and over all cases."""
        n = len(self.groups)
        contests = {}
        for name, cases in group_members(self.groups, n).items():
            place = np.full(n, -1)
            place[cases] = np.arange(cases.size)
            translations = np.flatnonzero(place[self.automatic] >= 0)
            items = np.concatenate([cases, n + translations])
            measure = King(renumbered(self.segments[cases]), place[self.automatic[translations]])
            contests[name] = Contest(measure, metric[items], other[items], cases.size)
        return contests, Contest(King(renumbered(self.segments), self.automatic), metric, other, n)


def scorer_for_likeness(source: Source) -> Scorer:
    """The source, if it can score any pair.

    Raises:
        PfsmError: It has scores of the translations alone.
    """
    if not isinstance(source, Scorer):
        raise PfsmError(
            f"{KING} scores references too, for which {source.name!r} has no scores; give a model or --metric"
        )
    return source


def likeness_cases(inputs: Inputs) -> Cases:
    """The test cases in the files.

    Raises:
        PfsmError: No file has a segment with two references, or one has no segments.
    """
    data, tables = inputs.absolute, inputs.absolute_tables
    segments = None if data is None else segment_ids(data, tables)
    if data is None or segments is None:
        lacking = next((table for table in tables if SEGMENT not in table.columns), inputs.tables[0])
        raise PfsmError(f"{lacking.path}: {KING} needs absolute scores with the column {SEGMENT}")
    further = [name for name in data.columns if _FURTHER.fullmatch(name)]
    all_groups = group_names(data, inputs.by)
    groups: list[str] = []
    units: list[int] = []
    held_out: list[tuple[str, list[str]]] = []
    translations: list[tuple[int, str, list[str]]] = []
    for segment, rows in group_members([str(number) for number in segments], len(data)).items():
        first = rows[0]
        texts = [data.references[first], *(data.columns[name][first] for name in further)]
        references = [text for text in texts if text]
        for number, reference in enumerate(references if len(references) > 1 else []):
            others = references[:number] + references[number + 1 :]
            translations += [(len(groups), data.hypotheses[row], others) for row in rows]
            held_out.append((reference, others))
            groups.append(all_groups[first])
            units.append(int(segment))
    if not groups:
        raise PfsmError(f"{KING} needs two references of a segment: columns reference and reference_2")
    items = [*held_out, *((text, others) for _, text, others in translations)]
    counts = [len(others) for _, others in items]
    return Cases(
        groups,
        np.array(units, dtype=np.int64),
        np.array([case for case, *_ in translations], dtype=np.int64),
        [text for text, others in items for _ in others],
        [other for _, others in items for other in others],
        np.concatenate([[0], np.cumsum(counts[:-1])]).astype(np.int64),
    )


def likeness_document(contests: Mapping[str, Contest], n_resamples: int, seed: int) -> dict[str, Any]:
    """KING of the first metric in every group, and the mean."""
    samples = {
        name: Sample(
            contest.measure.value(contest.metric_a),
            contest.measure.resampled(contest.metric_a, n_resamples, group_seed(seed, name)),
        )
        for name, contest in contests.items()
    }
    groups = [
        {"group": name, "n": contest.n, KING: estimate_entry(samples[name].estimate(CONFIDENCE))}
        for name, contest in contests.items()
    ]
    mean = {KING: estimate_entry(mean_of_groups(samples, CONFIDENCE))}
    return {"level": "segment", "resampled": "segments", "groups": groups, "mean": mean}


def likeness_versus(
    contests: Mapping[str, Contest], pooled: Contest, n_resamples: int, seed: int
) -> dict[str, Any]:
    """The paired bootstrap of both metrics' KING."""
    result = paired_bootstrap(contests, pooled, KING, n_resamples, seed, CONFIDENCE)
    return {"unit": "segments", KING: test_entry(result)}
