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
from pfsm_training.loss.references import PairsOfItems

Float = NDArray[np.float64]
Rows = NDArray[np.int64]
# All references of a translation, and the translation.
Item = tuple[tuple[str, ...], str]


class TrainingText:
    """The sentence pairs of judgments and preferences, and settings with all that is learned from their text.

    The pairs of the judgments come first, one for each reference of a judgment; then those of the distinct
    translations of the preferences.

    Args:
        judgments: What people scored.
        preferences: What they compared.
        settings: Settings, in which matchers' options (such as ``bins: auto``) and the scales of features may still
            have to be learned.

    Attributes:
        references: One of each pair.
        hypotheses: The other.
        scores: float64 [n_scored], in the units of the data.
        items: Which pairs each judged translation has, those of the judgments first.
        better: int64 [n_preferences], which item is the preferred translation.
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
        items, place = _training_items(judgments, preferences)
        self.items = PairsOfItems.of_sizes([len(references) for references, _ in items], settings.references)
        self.references = [line for references, _ in items for line in references]
        self.hypotheses = [hypothesis for references, hypothesis in items for _ in references]
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


def _training_items(
    judgments: Judgments | None, preferences: Preferences | None
) -> tuple[list[Item], dict[Item, int]]:
    """What is judged, and the number of each distinct translation of a preference."""
    items: list[Item] = []
    if judgments is not None:
        items += zip(judgments.all_references, judgments.hypotheses, strict=True)
    place: dict[Item, int] = {}
    if preferences is not None:
        rows = zip(preferences.all_references, preferences.better, preferences.worse, strict=True)
        for references, *both in rows:
            for hypothesis in both:
                if (references, hypothesis) not in place:
                    place[references, hypothesis] = len(items)
                    items.append((references, hypothesis))
    return items, place


def _judged_rows(preferences: Preferences | None, place: Mapping[Item, int]) -> tuple[Rows, Rows, Float]:
    """Which items are the better and the worse ones, int64 [n_preferences] each, and float64 [n_preferences] votes."""
    if preferences is None:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0)
    better = _places(place, preferences.all_references, preferences.better)
    worse = _places(place, preferences.all_references, preferences.worse)
    return better, worse, preferences.votes


def _places(
    place: Mapping[Item, int], references: Sequence[tuple[str, ...]], hypotheses: Sequence[str]
) -> Rows:
    return np.array([place[item] for item in zip(references, hypotheses, strict=True)], dtype=np.int64)
