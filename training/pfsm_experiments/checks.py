"""Checks that involve several keys of an experiment's file."""

from pfsm.errors import PfsmError
from pfsm_experiments.spec import KING, Experiment


def check_whole(experiment: Experiment) -> None:
    """Checks that the keys fit together.

    Raises:
        PfsmError: If keys exclude each other, or one that others need is missing.
    """
    where, names = experiment.where, [row.name for row in experiment.rows]
    if not names:
        raise PfsmError(f"{where}: the key 'rows' is missing")
    _check_names(experiment, names)
    trained = [row.name for row in experiment.rows if row.training is not None and not row.train_data]
    if trained and not experiment.train:
        raise PfsmError(f"{where}: row {trained[0]!r} is trained, but the key 'train' is missing")
    if experiment.scheme == "k-fold" and experiment.test:
        raise PfsmError(f"{where}: k-fold tests on parts of its training data; leave out the key 'test'")
    holds_out = experiment.scheme in {"k-fold", "round-robin"}
    if holds_out and any(row.train_data for row in experiment.rows):
        raise PfsmError(f"{where}: train_data of a row needs the scheme train-test or learning-curve")
    if not experiment.test and not holds_out:
        raise PfsmError(f"{where}: the key 'test' is missing")
    if KING in experiment.statistics and holds_out:
        raise PfsmError(
            f"{where}: {KING} scores whole test sets; it needs the scheme train-test or learning-curve"
        )
    if not experiment.test and not experiment.train:
        raise PfsmError(f"{where}: the key 'train' is missing")


def _check_names(experiment: Experiment, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise PfsmError(f"{experiment.where}: two rows are called {name!r}")
    for key, named in (("versus", experiment.versus), ("mistakes_of", experiment.mistakes_of)):
        if named is not None and named not in names:
            raise PfsmError(f"{experiment.where}: {key} is {named!r}, it must be the name of a row")
    for number, contrast in enumerate(experiment.contrasts, 1):
        _check_contrast(contrast, names, f"{experiment.where}: contrasts {number}")
        if any(set(contrast) == set(earlier) for earlier in experiment.contrasts[: number - 1]):
            raise PfsmError(
                f"{experiment.where}: contrasts {number}: {' and '.join(contrast)} are compared twice"
            )


def _check_contrast(contrast: tuple[str, str], names: list[str], where: str) -> None:
    for name in contrast:
        if name not in names:
            raise PfsmError(f"{where}: has {name!r}, it must be the name of a row")
    if contrast[0] == contrast[1]:
        raise PfsmError(f"{where}: compares {contrast[0]!r} with itself")
