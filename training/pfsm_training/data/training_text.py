"""What training reads: every line is encoded once, every feature computed once, and options are learned from both."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments, Preferences
from pfsm.features.values import counted_features, with_checksum
from pfsm.matchers.protocol import EncodedPairs
from pfsm.matchers.registry import MATCHERS
from pfsm.metrics.ngram_table import documents_of
from pfsm.model.reading import TextReader
from pfsm.model.settings import Settings

Float = NDArray[np.float64]
Rows = NDArray[np.int64]


class TrainingText:
    """The sentence pairs of judgments and preferences, and settings with all that is learned from their text.

    The pairs of the judgments come first, one a judgment; then the distinct pairs of the preferences.

    Args:
        judgments: What people scored.
        preferences: What they compared.
        settings: Settings, in which matchers' options (such as ``bins: auto``) and the scales of features may still
            have to be learned.

    Attributes:
        references: One of each pair.
        hypotheses: The other.
        scores: float64 [n_scored], in the units of the data.
        better: int64 [n_preferences], which pair is the preferred translation.
        worse: int64 [n_preferences], which is the other.
        votes: float64 [n_preferences].
        settings: Settings with nothing left to learn.
        reader: Reads text under these settings.

    Raises:
        PfsmError: If something that the settings name is not there.
    """

    def __init__(
        self, judgments: Judgments | None, preferences: Preferences | None, settings: Settings
    ) -> None:
        self.references, self.hypotheses, place = _training_pairs(judgments, preferences)
        self.scores = np.zeros(0) if judgments is None else judgments.scores
        self.better, self.worse, self.votes = _judged_rows(preferences, place)
        pinned = counted_features(map(with_checksum, settings.features), self.references)
        named = dict(zip(pinned, settings.features.values(), strict=True))
        settings = replace(settings, features=named, counts=documents_of(named))
        self.reader = TextReader(settings)
        self._values: Float | None = None
        self.settings = replace(
            settings, options=self._learned_options(settings), features=self._learned_scales(settings)
        )

    def __len__(self) -> int:
        """Number of sentence pairs."""
        return len(self.references)

    @cached_property
    def pairs(self) -> EncodedPairs:
        """The sentence pairs as token ids; encoded when they are first asked for."""
        return self.reader.pairs(self.references, self.hypotheses)

    @property
    def known_values(self) -> Float | None:
        """Values of the features, float64 [n_pairs, n_features], if they were needed to learn from; else None."""
        return self._values

    def feature_values(self) -> Float | None:
        """Values of the features, float64 [n_pairs, n_features], not standardised; None where there are none."""
        if self._values is None and self.settings.features:
            self._values = self.reader.feature_values(self.references, self.hypotheses)
        return self._values

    def _learned_options(self, settings: Settings) -> dict[str, dict[str, object]]:
        return {name: MATCHERS[name].learn(given, self.pairs) for name, given in settings.options.items()}

    def _learned_scales(self, settings: Settings) -> dict[str, tuple[float, float] | None]:
        """Mean and standard deviation of each feature; those that are given stay."""
        scales = dict(settings.features)
        if None in scales.values():
            self._values = self.reader.feature_values(self.references, self.hypotheses)
            for (name, scale), column in zip(settings.features.items(), self._values.T, strict=True):
                scales[name] = scale or _mean_and_sd(column)
        return scales


def _mean_and_sd(column: Float) -> tuple[float, float]:
    """Mean and standard deviation; those of a constant feature are the constant and 1."""
    if (column == column[0]).all():
        return float(column[0]), 1.0  # what its mean and standard deviation would be but for rounding
    return float(column.mean()), float(column.std())


def _training_pairs(
    judgments: Judgments | None, preferences: Preferences | None
) -> tuple[list[str], list[str], dict[tuple[str, str], int]]:
    """References and hypotheses of the pairs, and the number of each distinct pair of a preference."""
    references = [] if judgments is None else list(judgments.references)
    hypotheses = [] if judgments is None else list(judgments.hypotheses)
    place: dict[tuple[str, str], int] = {}
    if preferences is not None:
        rows = zip(preferences.references, preferences.better, preferences.worse, strict=True)
        for reference, *both in rows:
            for hypothesis in both:
                if (reference, hypothesis) not in place:
                    place[reference, hypothesis] = len(references)
                    references.append(reference)
                    hypotheses.append(hypothesis)
    return references, hypotheses, place


def _judged_rows(
    preferences: Preferences | None, place: Mapping[tuple[str, str], int]
) -> tuple[Rows, Rows, Float]:
    """Which pairs are the better and the worse ones, int64 [n_preferences] each, and float64 [n_preferences] votes."""
    if preferences is None:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0)
    better = _places(place, preferences.references, preferences.better)
    worse = _places(place, preferences.references, preferences.worse)
    return better, worse, preferences.votes


def _places(
    place: Mapping[tuple[str, str], int], references: Sequence[str], hypotheses: Sequence[str]
) -> Rows:
    return np.array([place[pair] for pair in zip(references, hypotheses, strict=True)], dtype=np.int64)
