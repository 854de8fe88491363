"""Training and scoring behind scikit-learn's interface; needs scikit-learn (extra ``integrations``)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from pfsm.arrays import Float
from pfsm.data import Judgments
from pfsm.errors import PfsmError
from pfsm.io.named_resources import give
from pfsm.metrics.inputs import columns_of
from pfsm.model.file import Model
from pfsm.model.metric import Metric
from pfsm.model.settings import ABSOLUTE
from pfsm.model.shipped import find_model
from pfsm_training.config import TrainingConfig, config_from_dict
from pfsm_training.trainer import train

# Parameters with another name in the settings, and parameters that are not settings.
_RENAMED = {"penalty": "lambda"}
# What people call the two columns.
_REFERENCES = frozenset({"reference", "references", "ref", "gold"})
_HYPOTHESES = frozenset({"hypothesis", "hypotheses", "hyp", "mt", "translation", "candidate", "prediction"})
_APART = frozenset({"init", "resources", "threads"})
SAMPLE_WEIGHT = "sample_weight"


@dataclass(kw_only=True, eq=False, repr=False)
class PfsmRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # it has no annotations
    """Learns scores of translations from pairs of a reference and a hypothesis.

    ``score`` is R squared, as in every regressor. To search for the best correlation instead, use the scorer
    ``sklearn.metrics.make_scorer(lambda y, p: scipy.stats.pearsonr(y, p)[0])``. `fit` checks the parameters and raises
    `pfsm.PfsmError` if one is invalid; the constructor checks nothing, as scikit-learn requires.

    Args:
        language: Language of the text. Settings mean the same as in the settings file (``docs/settings.md``); None is
            the default of that file.
        tokeniser: Name of a tokeniser.
        stemmer: Name of a stemmer.
        lowercase: Whether words are compared in lower case.
        normalisation: Unicode form of the text before anything else: ``nfc``, ``nfkc``, ``typewriter`` or ``none``.
        text: Edition of what is done with text before: 1, nothing, or 2, one table of characters.
        form: ``absolute``, the default here, predicts in the units of y; ``relative`` scores a perfect translation 100.
        matchers: Names of matchers, in order.
        matching: ``exclusive`` or ``overlapping``.
        max_block: Largest block, one number or one per matcher.
        max_jump: Jump limit.
        options: Options of matchers.
        split: States to split by word class.
        classes: Word lists of the classes.
        features: Sentence-level features.
        edits: Whether edits count; without them the model is a ridge regression on the features.
        references: What the model's scores do with several references of a segment, ``best`` or ``mean``; in `fit` and
            `predict` every pair has one.
        penalty: lambda: one number, several, or ``auto``.
        lambda_rule: Which of several lambdas is chosen: ``highest`` or ``one_standard_error``.
        objective: ``squared_error`` or ``huber``.
        standardise: Whether scores are standardised before fitting.
        mixture: Share of preferences in the objective. There are none here, so it changes nothing; it is taken so that
            a training configuration can be given whole.
        edit_cost: What one word inserted, repeated or deleted must cost at least.
        self_match: How likely each word of a reference must be matched with itself.
        encoder: What to learn over an encoder: ``{"tune": "head"}``, or False.
        minimal_pairs: What to learn from minimal pairs, such as ``{"weight": 0.3}``, or False.
        weights: How much each judgment counts. X has no column for it, so False alone is taken: `fit` has
            ``sample_weight`` instead.
        solver: ``gauss-newton`` or ``lbfgs``.
        start: Weights to start from: ``best``, ``matches`` or ``zero``.
        init: Initial model that the weights start from and stay near: a `pfsm.Model` or the name of one.
        resources: Paths of resources that the settings or an initial model name, by name.
        threads: Threads over pairs; None: as many as the process may use. The result does not depend on it.

    Attributes:
        model_: The trained `pfsm.Model`; `pfsm.save_model` writes it to a model file.
        n_features_in_: 2, the columns of a pair.
        feature_names_in_: Names of the columns, where X has names.
    """

    language: str | None = None
    tokeniser: str | None = None
    stemmer: str | None = None
    lowercase: bool | None = None
    normalisation: str | None = None
    text: int | None = None
    form: str | None = None
    matchers: Sequence[str] | None = None
    matching: str | None = None
    max_block: int | Mapping[str, int] | None = None
    max_jump: int | None = None
    options: Mapping[str, Mapping[str, Any]] | None = None
    split: Sequence[str] | None = None
    classes: str | Mapping[str, Sequence[str]] | None = None
    features: Sequence[str] | None = None
    edits: bool | None = None
    references: str | None = None
    penalty: float | Sequence[float] | str | None = None
    lambda_rule: str | None = None
    objective: str | None = None
    standardise: bool | None = None
    mixture: float | str | None = None
    edit_cost: float | None = None
    self_match: float | None = None
    encoder: bool | Mapping[str, Any] | None = None
    minimal_pairs: bool | Mapping[str, Any] | None = None
    weights: bool | str | None = None
    solver: str | None = None
    start: str | None = None
    init: Model | str | None = None
    resources: Mapping[str, str] | None = None
    threads: int | None = None

    def fit(
        self,
        X: Any,  # noqa: N803 - scikit-learn's names
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> "PfsmRegressor":
        """Trains a model.

        Args:
            X: Pairs (reference, hypothesis): a list of them, or an array or table of two columns of text.
            y: Scores, float64 [n_pairs]; higher is better.
            sample_weight: float64 [n_pairs], at least 0, how much each score counts: 2 as much as two rows, 0 as none.
                None: all count the same.

        Raises:
            ValueError: If X holds anything but pairs of strings, its columns are named hypothesis and reference, in
                this order, a number is not finite, or lengths differ.
            PfsmError: If a parameter or a weight is invalid, or there is nothing to learn.
        """
        names = _column_names(X)
        _refuse_swapped(names)
        references, hypotheses = _sides(X)
        scores = np.asarray(column_or_1d(y), dtype=np.float64)
        if scores.size != len(references):
            raise ValueError(f"{len(references)} pairs in X, but {scores.size} scores in y")
        if not np.isfinite(scores).all():
            raise ValueError("y contains a number that is not finite")
        give(self.resources or {})
        init = find_model(self.init) if isinstance(self.init, str) else self.init
        config = self._config(init)
        columns = {}
        if sample_weight is not None:
            columns[SAMPLE_WEIGHT] = _sample_weight(sample_weight, scores.size)
            config = replace(config, weights=SAMPLE_WEIGHT)
        judgments = Judgments(tuple(references), tuple(hypotheses), scores, columns, ())
        self.model_ = train(judgments, config=config, init=init, threads=self.threads)
        self.n_features_in_ = 2
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def predict(self, X: Any) -> Float:  # noqa: N803
        """Predicted scores, float64 [n_pairs].

        Raises:
            NotFittedError: If `fit` was not called.
            ValueError: If X holds anything but pairs of strings, or its columns have other names than in `fit`.
        """
        check_is_fitted(self)
        names = _column_names(X)
        _refuse_swapped(names)
        known = getattr(self, "feature_names_in_", None)
        if names is not None and known is not None and names != known.tolist():
            raise ValueError(f"X has the columns {', '.join(names)}, but fit had {', '.join(known.tolist())}")
        references, hypotheses = _sides(X)
        return Metric(self.model_, self.threads).score_pairs(hypotheses, references)

    def _config(self, init: Model | None) -> TrainingConfig:
        given = {
            _RENAMED.get(name, name): _plain(value)
            for name, value in self.get_params(deep=False).items()
            if name not in _APART and value is not None
        }
        if init is None:
            given = {"form": ABSOLUTE, **given}
        config = config_from_dict(given, type(self).__name__, init)
        if config.weights is not None:
            raise PfsmError(
                "PfsmRegressor: weights names a column, but X has texts alone; give the weights to fit as sample_weight"
            )
        for name in columns_of(tuple(config.settings.features)):
            raise PfsmError(
                f"PfsmRegressor: feature column:{name} is a number of every translation, but X has texts alone; train "
                "with pfsm_training.train or `pfsm train`, or add the number to what the regressor predicts"
            )
        return config

    def __sklearn_tags__(self) -> Any:
        """Tags that mark X as text."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags


def _sample_weight(given: ArrayLike, count: int) -> tuple[str, ...]:
    """The weights as a column of judgments, which is text."""
    weights = np.asarray(column_or_1d(given), dtype=np.float64)
    if weights.size != count:
        raise ValueError(f"{count} pairs in X, but {weights.size} numbers in sample_weight")
    if not np.isfinite(weights).all():
        raise ValueError("sample_weight contains a number that is not finite")
    return tuple(map(repr, weights.tolist()))


def _column_names(X: Any) -> list[str] | None:  # noqa: N803
    """Names of the columns of a table of pandas, polars or Arrow; None for anything without names."""
    names = getattr(X, "column_names", None)
    names = getattr(X, "columns", None) if names is None else names
    found = None if names is None else list(names)
    return found if found and all(isinstance(name, str) for name in found) else None


def _refuse_swapped(names: Sequence[str] | None) -> None:
    """Refuses a table whose columns say that they are in the wrong order."""
    if names is None or len(names) != 2:
        return
    first, second = (name.strip().casefold() for name in names)
    if first in _HYPOTHESES or second in _REFERENCES:
        raise ValueError(
            f"X has the columns {names[0]}, {names[1]}; the reference comes first, then the hypothesis"
        )


def _sides(X: Any) -> tuple[list[str], list[str]]:  # noqa: N803
    """References and hypotheses."""
    rows = X
    if hasattr(X, "column_names"):  # Arrow
        rows = list(zip(*(column.to_pylist() for column in X.columns), strict=True))
    elif hasattr(X, "to_numpy"):
        rows = X.to_numpy().tolist()
    elif isinstance(X, np.ndarray):
        rows = X.tolist()
    sides: tuple[list[str], list[str]] = ([], [])
    for number, row in enumerate(rows):
        if isinstance(row, str) or len(row) != 2 or not all(isinstance(text, str) for text in row):
            raise ValueError(f"X[{number}] is {row!r}, it must be a pair of strings: reference, hypothesis")
        for side, text in zip(sides, row, strict=True):
            side.append(str(text))
    return sides


def _plain(value: Any) -> Any:
    """The value as a YAML file would hold it: NumPy arrays and scalars become lists and plain numbers."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray | tuple):
        return [_plain(one) for one in (value.tolist() if isinstance(value, np.ndarray) else value)]
    return value
