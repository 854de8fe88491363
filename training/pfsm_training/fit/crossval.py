"""Cross-validation on the training data: agreement on held-out groups, the choice of lambda and mixture, overfitting.

Fits to the training data of the folds are quick, and blind to what is held out. With many judgments the data is fitted
in two halves first: the folds with even numbers, and those with odd numbers. A fold starts from the minima of the half
that holds none of its held-out rows, and with the next lambda, mixture or weight from its own minima before. So its
model depends on nothing that it is tested on. Where a given lambda falls, a fold goes back to the half: what is one
minimum under the larger lambda may be several under the smaller. On the path of ``auto`` a fold always starts from its
own minima at the nearest lambda: these models are only compared, and the final one is fitted from all starts.

Overfitting is the statistic of the final model, which has seen all folds, less that of models that have not, of the
same judgments, fold by fold. All intervals are 95%, by Student's t over the folds.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student_t

from pfsm.arrays import Float
from pfsm.data import Judgments, Preferences
from pfsm.data.groups import COLUMNS, SEGMENT, counted, group_names, shuffled
from pfsm.data.judgments import DOCUMENT_COLUMNS, SEGMENT_ID, WITHIN
from pfsm.errors import PfsmError
from pfsm.evaluation import preference_counts
from pfsm.runtime.choice import NOISE, simplest_within_noise
from pfsm_training.config import HIGHEST
from pfsm_training.data.moments import correlation
from pfsm_training.data.training_set import TrainingSet
from pfsm_training.fit.fitting import Choice, Fitted, Fitter
from pfsm_training.fit.starts import is_sampled

FOLDS = 5
MOST_GROUPS = 10
# The grid of ``auto``: half orders of magnitude around the paper's lambda, which is step 0; the first to be tried,
# and how far the grid may widen.
FIRST_STEPS, MOST_STEPS = (0, -2, 2), 8
MIXTURES, USUAL_MIXTURE = (0.1, 0.3, 0.5, 0.7), 0.5
NEVER_HELD_OUT = -1
# Columns that folds are made by, where the data has them.
SOURCE_LANG = "source_lang"
FOLD_COLUMNS = *WITHIN, *DOCUMENT_COLUMNS, SEGMENT_ID
# Held-out judgments of a fold: a correlation of fewer says nothing.
FEWEST_HELD_OUT = 5

Rows = NDArray[np.int64]
Bool = NDArray[np.bool_]
Range = tuple[float, float]
# Which judgments and which preferences.
Members = tuple[slice | Bool, slice | Bool]
# Fits to the training data of a fold, given its number; None if that is impossible.
Fit = Callable[[TrainingSet, Choice, int], Fitted | None]


@dataclass(frozen=True, eq=False)
class Folds:
    """A division of the training data.

    Attributes:
        by: What is held out together: ``source_lang``, ``segment`` or what was asked for.
        names: Name of each fold.
        member: int64 [n_judgments], the fold in which each judgment is held out.
        preference_member: int64 [n_preferences], the same for preferences; ``NEVER_HELD_OUT`` for those in no fold.
        asked: Whether the user said what to hold out together.
    """

    by: str
    names: tuple[str, ...]
    member: Rows
    preference_member: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    asked: bool = False

    def split(self, data: TrainingSet, fold: int) -> tuple[TrainingSet, TrainingSet]:
        """The training data and the test data of a fold."""
        return (
            data.select(np.flatnonzero(self.member != fold), np.flatnonzero(self.preference_member != fold)),
            data.select(np.flatnonzero(self.member == fold), np.flatnonzero(self.preference_member == fold)),
        )


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Predictions of models that have not seen what they predict, in the units of the scores.

    NaN where no model could be fitted to the other folds, and for preferences that are in no fold.

    Attributes:
        scores: float64 [n_scored].
        better: float64 [n_preferences], for the preferred translation.
        worse: float64 [n_preferences], for the other.
    """

    scores: Float
    better: Float
    worse: Float

    @staticmethod
    def unknown(n_scored: int, n_preferences: int) -> "HeldOut":
        """NaN throughout."""
        return HeldOut(*(np.full(count, np.nan) for count in (n_scored, n_preferences, n_preferences)))

    def put(self, folds: "Folds", fold: int, test: TrainingSet, predicted: Float) -> None:
        """Enters the predictions for the test data of a fold."""
        self.scores[folds.member == fold] = predicted[: test.scores.size]
        preferences = folds.preference_member == fold
        self.better[preferences] = predicted[test.better]
        self.worse[preferences] = predicted[test.worse]


@dataclass(frozen=True)
class CrossValidation:
    """Held-out agreement.

    Attributes:
        by: What was held out together.
        choice: The lambda and mixture used.
        statistic: ``pearson`` with scores; ``kendall_tau`` (WMT12: ties count as wrong) with preferences alone.
        folds: The statistic in each fold; folds in which it is undefined are absent.
        held_out: The predictions; None where they were not kept.
    """

    by: str
    choice: Choice
    statistic: str
    folds: dict[str, float]
    held_out: HeldOut | None = field(default=None, compare=False, repr=False)

    @property
    def mean(self) -> float:
        """Unweighted mean over the folds; NaN without folds."""
        return math.fsum(self.folds.values()) / len(self.folds) if self.folds else math.nan

    @property
    def standard_error(self) -> float:
        """Of the mean, from the spread of the folds; NaN with fewer than two."""
        count = len(self.folds)
        if count < 2:
            return math.nan
        return float(np.std(list(self.folds.values()), ddof=1)) / math.sqrt(count)

    @property
    def interval(self) -> tuple[float, float]:
        """Of the mean, 95%, by Student's t over the folds; NaN with fewer than two.

        It lies within -1 and 1, as the statistic does: `t_interval_of_correlation`.
        """
        return t_interval_of_correlation(list(self.folds.values()))


def t_interval(values: Sequence[float]) -> tuple[float, float]:
    """Of the mean of a number that each fold has, 95%, by Student's t; NaN with fewer than two folds."""
    count = len(values)
    if count < 2:
        return math.nan, math.nan
    mean = math.fsum(values) / count
    reach = float(np.std(values, ddof=1)) / math.sqrt(count) * float(student_t.ppf(0.975, count - 1))
    return mean - reach, mean + reach


def t_interval_of_correlation(values: Sequence[float]) -> tuple[float, float]:
    """As `t_interval`, of a correlation or another statistic from -1 to 1, and within them: `around_correlation`."""
    low, high = t_interval(values)
    mean = math.fsum(values) / len(values) if values else math.nan
    return around_correlation(mean, (high - low) / 2.0)


def around_correlation(value: float, reach: float) -> tuple[float, float]:
    """An interval around a correlation, or another statistic from -1 to 1, that stays within these bounds.

    It is symmetric on the scale of Fisher's z = artanh(r), where it reaches ``reach / (1 - value^2)`` (delta method),
    and is turned back. A short one is ``value ± reach``.

    Args:
        value: The statistic.
        reach: Half the length of its interval on its own scale; NaN: there is none.
    """
    if math.isnan(reach) or math.isnan(value):
        return math.nan, math.nan
    if not -1.0 < value < 1.0:
        return max(value - reach, -1.0), min(value + reach, 1.0)
    scaled = reach / (1.0 - value * value)
    return math.tanh(math.atanh(value) - scaled), math.tanh(math.atanh(value) + scaled)


def paired(first: Mapping[str, float], second: Mapping[str, float]) -> tuple[float, Range]:
    """The mean over folds of the first less the second, where both are known, and its interval: `t_interval`."""
    differences = [value - second[name] for name, value in first.items() if name in second]
    mean = math.fsum(differences) / len(differences) if differences else math.nan
    return mean, t_interval(differences)


def make_folds(
    judgments: Judgments | None, preferences: Preferences | None = None, by: str | None = None
) -> Folds:
    """Divides the data by source language if there are several and every row names one, else by segment.

    All translations of a segment are held out together. Rows with the same ``segment_id`` in the same test set,
    languages and document, or with the same reference, belong to one segment: some collections number their rows, not
    their segments. The folds depend on the data but not on their order. If there are scores and preferences, the scores
    determine the folds, and a preference is held out with the scores of its language, or of its reference.

    Args:
        judgments: Scores.
        preferences: Preferences.
        by: What to hold out together instead (`pfsm.data.groups.group_names`): a fold for each where there are few.

    Raises:
        PfsmError: What `group_names` raises, or there is a single group.
    """
    main: Judgments | Preferences | None = judgments if judgments is not None else preferences
    if main is None:
        raise ValueError("nothing to divide")
    other = preferences if judgments is not None else None
    languages = _languages(main)
    keys, other_keys = languages, () if other is None else _languages(other)
    named, asked = by or SOURCE_LANG, by is not None
    if by is not None and not (by == SEGMENT and other is not None):
        keys, other_keys = group_names(main, by), () if other is None else group_names(other, by)
        if len(set(keys)) < 2:
            raise PfsmError(f"{counted(keys, by)} in the data; folds need two or more")
    elif by is not None or not (
        2 <= len(set(languages)) <= MOST_GROUPS and (other is None or _languages(other))
    ):
        named = SEGMENT
        keys = group_names(main, SEGMENT) if other is None else main.references
        other_keys = () if other is None else other.references
    distinct = sorted(set(keys))
    if named != SEGMENT and len(distinct) <= (MOST_GROUPS if named in {SOURCE_LANG, *COLUMNS} else FOLDS):
        names = tuple(distinct)
    else:
        distinct = shuffled(keys)
        names = tuple(f"fold {number + 1}" for number in range(min(FOLDS, len(distinct))))
    fold_of = {key: place % len(names) for place, key in enumerate(distinct)}
    member = np.array([fold_of[key] for key in keys], dtype=np.int64)
    others = np.array([fold_of.get(key, NEVER_HELD_OUT) for key in other_keys], dtype=np.int64)
    none = np.zeros(0, dtype=np.int64)
    return Folds(named, names, *((none, member) if judgments is None else (member, others)), asked)


def _languages(data: Judgments | Preferences) -> Sequence[str]:
    languages = data.columns.get(SOURCE_LANG, ())
    return languages if languages and all(languages) else ()


def cross_validate(
    fit: Fit, data: TrainingSet, folds: Folds, choices: Sequence[Choice]
) -> list[CrossValidation]:
    """Agreement on each fold of a model trained on the other folds, for every choice."""
    results: list[dict[str, float]] = [{} for _ in choices]
    held_out = [HeldOut.unknown(data.scores.size, data.votes.size) for _ in choices]
    for fold, name in enumerate(folds.names):
        train, test = folds.split(data, fold)
        if not len(train) or not len(test):
            continue
        for result, kept, choice in zip(results, held_out, choices, strict=True):
            fitted = fit(train, choice, fold)
            if fitted is None:
                continue
            predicted = fitted.predict(test)
            kept.put(folds, fold, test, predicted)
            value = agreement(predicted, test)
            if math.isfinite(value):
                result[name] = value
        # Frees the memory before the next fold's lattices are made.
        del train, test
    return [
        CrossValidation(folds.by, choice, statistic_of(data), result, kept)
        for choice, result, kept in zip(choices, results, held_out, strict=True)
    ]


def statistic_of(data: TrainingSet) -> str:
    """What cross-validation compares: ``pearson`` with scores, ``kendall_tau`` with preferences alone."""
    return "pearson" if data.scores.size else "kendall_tau"


def agreement(
    predicted: Float, data: TrainingSet, members: Members = (slice(None),) * 2, statistic: str | None = None
) -> float:
    """Agreement with people; NaN if it is undefined.

    It is Pearson's r with the scores, weighted as judgments are, or Kendall's tau (WMT12) with the preferences.

    Args:
        predicted: float64 [n_pairs].
        data: What people said of these pairs.
        members: Which judgments and which preferences; all where they are not given.
        statistic: ``pearson`` or ``kendall_tau``; None: `statistic_of`.
    """
    scored, preferences = members
    if (statistic or statistic_of(data)) == "pearson":
        scores = data.scores[scored]
        if scores.size < FEWEST_HELD_OUT:
            return math.nan
        weights = None if data.weights is None else data.weights[scored]
        return correlation(predicted[: data.scores.size][scored], scores, weights)
    votes = data.votes[preferences]
    if not votes.any():
        return math.nan
    better, worse = predicted[data.better[preferences]], predicted[data.worse[preferences]]
    return preference_counts(better, worse, votes).kendall_tau("wmt12")


def choose(tried: Sequence[CrossValidation], n_folds: int, rule: str = HIGHEST) -> CrossValidation:
    """The choice with the highest mean agreement: `highest`.

    Args:
        tried: The result of each choice.
        n_folds: Number of folds, including those in which the statistic is undefined.
        rule: ``highest``, or ``one_standard_error``: the largest lambda whose mean is at most one standard error of the
            highest below it (Breiman, Friedman, Olshen and Stone 1984).

    Raises:
        PfsmError: If there are several choices, and the statistic is undefined for all of them.
    """
    usable = [result for result in tried if math.isfinite(result.mean)]
    if len(tried) > 1 and not usable:
        by = tried[0].by.replace(SOURCE_LANG, "source language")
        if n_folds < 2:
            raise PfsmError(
                f"there are too few judgments to choose {_chosen(tried)} by cross-validation, which holds out every "
                f"{by} once; give a number"
            )
        raise PfsmError(
            f"{_chosen(tried)} cannot be chosen by cross-validation (by {by}): in every fold, all predictions or all "
            f"scores are the same, or there are fewer than {FEWEST_HELD_OUT} judgments; give a number"
        )
    best = highest(usable or tried)
    if rule == HIGHEST or not math.isfinite(best.standard_error):
        return best
    near = [
        one
        for one in usable
        if one.choice.mixture == best.choice.mixture and one.mean >= best.mean - best.standard_error - NOISE
    ]
    return max(near, key=lambda result: result.choice)


def penalty_at(step: int) -> float:
    """The lambda of a step of the grid of ``auto``: .5, 1.5, 5, 15, 50 at -2, -1, 0, 1, 2."""
    return float(f"5e{step // 2}" if step % 2 == 0 else f"1.5e{(step + 1) // 2}")


def more_penalties(tried: Sequence[CrossValidation]) -> list[float]:
    """What ``auto`` tries next: orders of magnitude until the best stands between two others, then halves of them.

    Beyond the best it goes only where that is better than the others by more than noise. Nothing: the search has ended.
    """
    steps = {penalty_at(step): step for step in range(-MOST_STEPS, MOST_STEPS + 1)}
    means = {steps[one.choice.penalty]: one.mean for one in tried}
    usable = {step: mean for step, mean in means.items() if math.isfinite(mean)}
    if not usable:
        return []
    best = steps[highest(tried).choice.penalty]
    if all(usable[best] - mean <= NOISE for mean in usable.values()):
        return []
    for reach in (2, 1) if best % 2 == 0 else (1,):
        beside = (best - reach, best + reach)
        if new := [penalty_at(step) for step in beside if step not in means and abs(step) <= MOST_STEPS]:
            return new
    return []


def highest(tried: Sequence[CrossValidation]) -> CrossValidation:
    """The result with the highest mean; of those within noise, the one with the largest lambda, then mixture."""
    ordered = sorted(tried, key=lambda result: result.choice, reverse=True)
    return ordered[simplest_within_noise([result.mean for result in ordered])]


def _chosen(tried: Sequence[CrossValidation]) -> str:
    """Names of the options in which the choices differ."""
    names = ("lambda", "mixture")
    different = (len({getattr(one.choice, key) for one in tried}) > 1 for key in ("penalty", "mixture"))
    return " and ".join(name for name, differs in zip(names, different, strict=True) if differs)


@dataclass(frozen=True, eq=False)
class FoldFits:
    """Fits folds; a `pfsm_training.fit.crossval.Fit`.

    Attributes:
        fitter: For models that are only compared (`Fitter.quick`). Folds keep to its constraints on pairs of their own
            training references.
        data: All training data.
        folds: Its division.
        named: What to call the fits of a choice in the progress.
        path: Whether a fold starts from its own fit at the nearest lambda; each is kept. Else only its last is, and all
            of one fold are fitted before those of the next.
    """

    fitter: Fitter
    data: TrainingSet
    folds: Folds
    named: Callable[[Choice], str]
    path: bool = False
    _halves: dict[tuple[int, Choice], Fitted | None] = field(default_factory=dict)
    _before: dict[int, dict[Choice, Fitted]] = field(default_factory=dict)

    def __call__(self, train: TrainingSet, choice: Choice, fold: int) -> Fitted | None:
        """The fit to the training data of a fold; None if the scores are constant."""
        near = self._own(fold, choice) if self.path or is_sampled(train) else None
        if near is None and is_sampled(train):
            near = self._half(1 - fold % 2, choice)
        fitted = self._without([fold]).fit(train, choice, self.named(choice), near)
        if not self.path:
            self._before.clear()
        if fitted is not None:
            self._before.setdefault(fold, {})[choice] = fitted
        return fitted

    def _own(self, fold: int, choice: Choice) -> Fitted | None:
        """The fold's nearest fit before; None if there was none. Off the path, none under a larger lambda."""
        before = self._before.get(fold, {})
        near = [one for one in before if self.path or one.penalty <= choice.penalty]

        def distance(one: Choice) -> tuple[float, float, Choice]:
            ratio = abs(math.log(one.penalty / choice.penalty)) if self.path else 0.0
            return ratio, abs(one.weight - choice.weight) + abs(one.mixture - choice.mixture), one

        return before[min(near, key=distance)] if near else None

    def _without(self, held_out: list[int]) -> Fitter:
        """The fitter without the pairs of the references of some folds."""
        constraints = [one.outside(tuple(held_out)) for one in self.fitter.constraints]
        return replace(self.fitter, constraints=constraints)

    def _half(self, parity: int, choice: Choice) -> Fitted | None:
        """The fit to the folds with even numbers, or to those with odd ones; None if there are none."""
        if (parity, choice) not in self._halves:
            rows, preferences = (
                np.flatnonzero(member % 2 == parity)
                for member in (self.folds.member, self.folds.preference_member)
            )
            # The training data of a fold is about so many times as large.
            count = len(self.folds.names)
            scaled = replace(choice, penalty=choice.penalty * count / (2 * max(1, count - 1)))
            others = [fold for fold in range(count) if fold % 2 != parity]
            step = f"{self.named(choice)}, half of the folds"
            self._halves[parity, choice] = (
                self._without(others).fit(self.data.select(rows, preferences), scaled, step)
                if rows.size + preferences.size
                else None
            )
        return self._halves[parity, choice]


def by_fold(
    predicted: Float, data: TrainingSet, folds: Folds, validated: CrossValidation
) -> dict[str, float]:
    """The statistic of a cross-validation for predictions of all data, in each fold that has one."""
    values = {
        name: agreement(
            predicted, data, (folds.member == fold, folds.preference_member == fold), validated.statistic
        )
        for fold, name in enumerate(folds.names)
        if name in validated.folds
    }
    return {name: value for name, value in values.items() if math.isfinite(value)}


def training_interval(predicted: Float, data: TrainingSet, folds: Folds, statistic: str) -> Range:
    """Interval of a statistic of all training data: the jackknife that leaves out one fold at a time (Tukey 1958).

    Args:
        predicted: float64 [n_pairs], predictions of the final model.
        data: The training data.
        folds: Its folds.
        statistic: ``pearson`` or ``kendall_tau``.

    Returns:
        NaN with fewer than two folds, where the statistic is undefined without one of them, and where folds do not
        hold all that it is a statistic of.
    """
    count = len(folds.names)
    member = folds.member if statistic == "pearson" else folds.preference_member
    if np.unique(member).tolist() != list(range(count)):
        return math.nan, math.nan
    everything = agreement(predicted, data, statistic=statistic)
    left = [
        agreement(predicted, data, (folds.member != fold, folds.preference_member != fold), statistic)
        for fold in range(count)
    ]
    if count < 2 or not all(map(math.isfinite, (everything, *left))):
        return math.nan, math.nan
    low, high = t_interval([count * everything - (count - 1) * value for value in left])
    # The pseudo-values have a mean of their own; their spread is what is wanted.
    return around_correlation(everything, (high - low) / 2.0)
