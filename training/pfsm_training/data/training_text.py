"""What training reads: every line is encoded once, every feature computed once, and options are learned from both."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float
from pfsm.data import Judgments, Preferences
from pfsm.encoder.names import is_encoder_feature
from pfsm.features.values import counted_features, with_checksum
from pfsm.matchers.protocol import EncodedPairs
from pfsm.matchers.registry import MATCHERS
from pfsm.metrics.inputs import COLUMN, columns_of
from pfsm.metrics.ngram_table import documents_of
from pfsm.model.builder import TextReader
from pfsm.model.settings import RELATIVE, Settings
from pfsm_training.data.moments import mean_and_sd
from pfsm_training.loss.objective import PairsOfItems

Rows = NDArray[np.int64]
# Numbers of a translation from columns of the data, in the order of the settings.
Numbers = tuple[float, ...]
# All references of a translation, the translation, and its numbers.
Item = tuple[tuple[str, ...], str, Numbers]


class TrainingText:
    """The sentence pairs of judgments and preferences, and settings with all that is learned from their text.

    The pairs of the judgments come first, one for each reference of a judgment; then those of the distinct
    translations of the preferences. Two with the same text are distinct if columns that are features differ.

    Args:
        judgments: What people scored.
        preferences: What they compared.
        settings: Settings, in which matchers' options (such as ``bins: auto``) and the scales of features may still
            have to be learned.
        weights: float64 [n_scored], above 0, how much each judgment counts; None: all count the same.

    Attributes:
        references: One of each pair.
        hypotheses: The other.
        scores: float64 [n_scored], in the units of the data.
        weights: float64 [n_scored], or None.
        items: Which pairs each judged translation has, those of the judgments first.
        better: int64 [n_preferences], which item is the preferred translation.
        worse: int64 [n_preferences], which is the other.
        votes: float64 [n_preferences].
        settings: Settings with nothing left to learn.
        reader: Reads text under these settings.

    Raises:
        PfsmError: If something that the settings name is not there, or a column is not of finite numbers.
    """

    def __init__(
        self,
        judgments: Judgments | None,
        preferences: Preferences | None,
        settings: Settings,
        weights: Float | None = None,
    ) -> None:
        names = columns_of(tuple(settings.features))
        items: list[Item] = []
        if judgments is not None:
            columns = [judgments.numbers(name) for name in names]
            items = _items(judgments.all_references, judgments.hypotheses, columns)
        compared: list[list[Item]] = [[], []]
        if preferences is not None:
            both = [preferences.numbers(name) for name in names]
            compared = [
                _items(preferences.all_references, side, [column[at] for column in both])
                for at, side in enumerate((preferences.better, preferences.worse))
            ]
        place: dict[Item, int] = {}
        for item in chain.from_iterable(zip(*compared, strict=True)):
            if item not in place:
                place[item] = len(items)
                items.append(item)
        sizes = [len(references) for references, *_ in items]
        self.items = PairsOfItems.of_sizes(sizes, settings.references)
        self.references = [line for references, *_ in items for line in references]
        self.hypotheses = [hypothesis for references, hypothesis, _ in items for _ in references]
        self._columns = {
            name: np.repeat(np.array([numbers[at] for *_, numbers in items], dtype=np.float64), sizes)
            for at, name in enumerate(names)
        }
        self.scores = np.zeros(0) if judgments is None else judgments.scores
        self.weights = weights
        self.better, self.worse = (
            np.array([place[item] for item in side], dtype=np.int64) for side in compared
        )
        self.votes = np.zeros(0) if preferences is None else preferences.votes
        pinned = counted_features(map(with_checksum, settings.features), self.references)
        named = dict(zip(pinned, settings.features.values(), strict=True))
        settings = replace(settings, features=named, counts=documents_of(named))
        self.settings = settings
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

    def add_feature(self, name: str, values: Float, scale: tuple[float, float] | None = None) -> None:
        """Adds a feature before the others.

        Args:
            name: The feature.
            values: float64 [n_pairs], which need not be what the feature computes from the text.
            scale: Its mean and standard deviation; None: those of the values.
        """
        others = self.feature_values()
        self._values = values[:, np.newaxis] if others is None else np.column_stack([values, others])
        features = {name: scale or self._scale_of(name, values), **self.settings.features}
        self.settings = replace(self.settings, features=features)
        self.reader.set_features(features)

    @property
    def known_values(self) -> Float | None:
        """As `feature_values` if they were needed to learn from, or if text alone does not give them; else None."""
        learned = any(map(is_encoder_feature, self.settings.features))
        return self.feature_values() if self._columns or learned else self._values

    def feature_values(self) -> Float | None:
        """Values of the features, float64 [n_pairs, n_features], not standardised; None where there are none."""
        if self._values is None and self.settings.features:
            self._values = self.reader.feature_values(self.references, self.hypotheses, self._columns)
        return self._values

    def _learned_options(self, settings: Settings) -> dict[str, dict[str, object]]:
        return {name: MATCHERS[name].learn(given, self.pairs) for name, given in settings.options.items()}

    def _learned_scales(self, settings: Settings) -> dict[str, tuple[float, float] | None]:
        """Mean and standard deviation of each feature; those that are given stay."""
        scales = dict(settings.features)
        if None in scales.values():
            values = self.feature_values()
            assert values is not None
            for (name, scale), column in zip(settings.features.items(), values.T, strict=True):
                scales[name] = scale or self._scale_of(name, column)
        return scales

    def _scale_of(self, name: str, column: Float) -> tuple[float, float]:
        """Mean and standard deviation; those of a constant feature are the constant and 1."""
        relative = self.settings.form == RELATIVE and not name.startswith(COLUMN)
        if (column == column[0]).all():
            return 0.0 if relative else float(column[0]), 1.0  # what they would be but for rounding
        weights = self.items.weights(self.weights)
        mean, sd = mean_and_sd(column, None if weights is None else np.repeat(weights, self.items.sizes))
        return 0.0 if relative else mean, sd or 1.0


def _items(
    references: Sequence[tuple[str, ...]], translations: Sequence[str], columns: Sequence[Float]
) -> list[Item]:
    """Translations with their references and their numbers in some columns."""
    numbers = (
        zip(*(column.tolist() for column in columns), strict=True) if columns else [()] * len(translations)
    )
    return list(zip(references, translations, numbers, strict=True))
