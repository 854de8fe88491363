"""Reads an experiment's YAML file; errors name the file, the place in it and what is needed."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from pfsm.errors import PfsmError
from pfsm.evaluation.people import FITS, SYSTEM_SCORES
from pfsm.evaluation.questions import RESAMPLES
from pfsm.io.files import StrPath, display_name, is_inside
from pfsm.metrics import get_metric
from pfsm.model.file import Model, check_line
from pfsm.model.shipped import find_model, shipped_models
from pfsm.runtime.names import known_names
from pfsm.runtime.typed import checked
from pfsm_experiments.spec import (
    KING,
    PAIRWISE,
    PICTURES,
    SCHEMES,
    DataKeys,
    DataSpec,
    Experiment,
    ExperimentKeys,
    RowSpec,
    absolute_names,
    reported,
)
from pfsm_training.config import config_from_dict, settings_to_train
from pfsm_training.yaml_file import read_yaml_mapping

S = TypeVar("S", bound=Struct)
# From the name of a model and its place in messages to the model.
Find = Callable[[str, str], Model]
ALL = "all"
# Keys that only some schemes use. With another scheme they would silently do nothing, so they are refused.
SCHEME_KEYS: Mapping[str, tuple[str, ...]] = {
    "train-test": (),
    "k-fold": ("by", "folds"),
    "round-robin": ("by",),
    "learning-curve": ("sizes", "repeats"),
}
HELD_OUT_BY = {"round-robin": "source_lang", "k-fold": "reference"}
DATA_KEYS = ("files", "where", *DataKeys.__struct_fields__)
KEYS = (*ExperimentKeys.__struct_fields__, "train", "test", "rows", "statistics", "contrasts", "sizes")


class _RowKeys(Struct, frozen=True):
    """The keys of a row as they stand in the file; `train` is None if there is none."""

    name: str
    metric: str = ""
    options: dict[str, Any] | None = None
    model: str = ""
    train: dict[str, Any] | None = None
    init: str = ""
    train_data: Any = ()
    optional: bool = False
    not_on: tuple[str, ...] = ()


def read_experiment(path: StrPath) -> Experiment:
    """Reads and checks an experiment's YAML file.

    Raises:
        PfsmError: If the file is missing or not YAML, or if a key is missing, unknown or has an invalid value.
    """
    values = read_yaml_mapping(path, KEYS)
    where = display_name(path)
    keys = _keys(values, KEYS, where, ExperimentKeys)
    for key, value, known in (
        ("scheme", (keys.scheme,), SCHEMES),
        ("resample", {keys.resample} - {None}, RESAMPLES),
        ("pictures", keys.pictures, PICTURES),
    ):
        if not set(value) <= set(known):
            raise _invalid(where, key, values[key], f"one of {', '.join(known)}")
    for key in ("by", "folds", "sizes", "repeats"):
        if key in values and key not in SCHEME_KEYS[keys.scheme]:
            users = " and ".join(name for name, own in SCHEME_KEYS.items() if key in own)
            raise PfsmError(f"{where}: {key} is for the scheme {users}, not for {keys.scheme}")
    find = partial(_model, folder=Path(path).parent)
    plain = asdict(
        replace(keys, by=keys.by or HELD_OUT_BY.get(keys.scheme), description=keys.description.strip())
    )
    experiment = Experiment(
        **plain,
        sizes=_sizes(values.get("sizes", [ALL]), where),
        train=_data_sets(values.get("train", []), f"{where}: train"),
        test=_data_sets(values.get("test", []), f"{where}: test"),
        rows=tuple(
            _row(_with_form(item, keys.form), where, find) for item in _listed(values.get("rows", []))
        ),
        statistics=_statistics(values.get("statistics", ["pearson"]), where),
        contrasts=tuple(
            _two_names(pair, f"{where}: contrasts {number}")
            for number, pair in enumerate(_listed(values.get("contrasts", [])), 1)
        ),
        where=where,
    )
    _check_whole(experiment)
    return experiment


def _keys(value: object, known: Sequence[str], where: str, kind: type[S]) -> S:
    """The plain keys of a mapping, checked; all text but a description is a line."""
    if not isinstance(value, Mapping):
        raise PfsmError(f"{where}: is {value!r}, it must hold `key: value`; keys are {', '.join(known)}")
    for key in value:
        if key not in known:
            raise PfsmError(
                f"{where}: unknown key {key!r}; {known_names(key, known, '`docs/experiments.md`')}"
            )
    own = {key: value[key] for key in kind.__struct_fields__ if key in value}
    if isinstance(own.get("pictures"), str):
        own["pictures"] = [own["pictures"]]
    keys = checked(own, kind, where)
    for key in own:
        line = getattr(keys, key)
        if isinstance(line, str) and key != "description":
            check_line(line, f"{where}: {key}")
    return keys


def _invalid(where: str, key: str, value: object, needed: str) -> PfsmError:
    return PfsmError(f"{where}: {key} is {value!r}, it must be {needed}")


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _name(value: object, where: str) -> str:
    """A name as it is written in a data file; YAML reads ``no`` without quotes as false, which is none."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise PfsmError(f"{where}: is {value!r}, it must be text; put it in quotes")
    return str(value)


def _two_names(value: object, where: str) -> tuple[str, str]:
    if not isinstance(value, list) or len(value) != 2:
        raise PfsmError(f"{where}: is {value!r}, it must be the names of two rows, [A, B]")
    return _name(value[0], where), _name(value[1], where)


def _sizes(value: Any, where: str) -> tuple[int | None, ...]:
    numbers = value[:-1] if isinstance(value, list) and value[-1:] == [ALL] else value
    if (
        not isinstance(value, list)
        or not value
        or any(type(number) is not int or number < 2 for number in numbers)
        or numbers != sorted(set(numbers))
    ):
        raise _invalid(
            where, "sizes", value, f"a rising list of whole numbers from 2, whose last item may be {ALL}"
        )
    return (*numbers, *([None] if numbers is not value else []))


def _statistics(value: object, where: str) -> tuple[str, ...]:
    known = tuple(dict.fromkeys((*absolute_names(), *PAIRWISE)))
    names = [reported(name) if isinstance(name, str) else name for name in _listed(value)]
    if not names or any(name not in known for name in names) or len(set(names)) < len(names):
        raise _invalid(where, "statistics", value, f"a list of different names among {', '.join(known)}")
    return tuple(names)


def _data_sets(value: object, where: str) -> tuple[DataSpec, ...]:
    return tuple(_data(item, f"{where} {number}") for number, item in enumerate(_listed(value), 1))


def _data(value: object, where: str) -> DataSpec:
    given: Any = {"files": value} if isinstance(value, str) else value
    keys = _keys(given, DATA_KEYS, where, DataKeys)
    if keys.system_scores not in {None, *FITS, *SYSTEM_SCORES}:
        raise _invalid(
            where, "system_scores", keys.system_scores, f"one of {', '.join([*FITS, *SYSTEM_SCORES])}"
        )
    files = tuple(
        _name(one, f"{where}: files {number}")
        for number, one in enumerate(_listed(given.get("files", [])), 1)
    )
    if not files:
        raise PfsmError(f"{where}: the key 'files' is missing")
    for pattern in files:
        if not is_inside(pattern):
            raise PfsmError(f"{where}: files has {pattern!r}, it must be a path inside the data folder")
    kept = given.get("where") or {}
    if not isinstance(kept, dict) or not all(isinstance(column, str) for column in kept):
        raise _invalid(where, "where", kept, "lines `key: value`")
    keep = {
        column: tuple(_name(one, f"{where}: where: {column}") for one in _listed(several))
        for column, several in kept.items()
    }
    return DataSpec(**asdict(keys), files=files, where=where, keep=keep)


def _with_form(row: object, form: str) -> object:
    """The row, with the form of its model where it is to train one from nothing and does not say."""
    train = row.get("train") if isinstance(row, Mapping) else None
    if not isinstance(row, Mapping) or not form or not isinstance(train, Mapping) or "init" in {*row, *train}:
        return row
    return {**row, "train": {"form": form, **train}}


def _row(value: object, where: str, find: Find) -> RowSpec:
    name = value.get("name") if isinstance(value, Mapping) else None
    if not isinstance(name, str):
        raise PfsmError(
            f"{where}: rows: every row needs a name, and one of metric, model, train; not {value!r}"
        )
    assert isinstance(value, Mapping)
    where = f"{where}: row {name!r}"
    keys = _keys(value, _RowKeys.__struct_fields__, where, _RowKeys)
    kinds = [key for key in ("metric", "model", "train") if key in value]
    if len(kinds) != 1:
        raise PfsmError(f"{where}: has {' and '.join(kinds) or 'none'} of metric, model, train; give one")
    for key, kind in (("options", "metric"), ("init", "train"), ("train_data", "train")):
        if key in value and kinds != [kind]:
            raise PfsmError(f"{where}: {key} needs {kind}")
    common: dict[str, Any] = {"optional": keys.optional, "not_on": keys.not_on}
    if keys.metric:
        options = keys.options or {}
        try:
            get_metric(keys.metric, **options)
        except PfsmError as error:
            raise PfsmError(f"{where}: {error}") from None
        return RowSpec(name, metric=keys.metric, options=options, **common)
    if keys.model:
        model = find(keys.model, f"{where}: model")
        return RowSpec(name, model=model, settings=model.settings, **common)
    training = dict(keys.train or {})
    # The initial model may stand beside `train` or, as an option of the training, in it.
    if keys.init and "init" in training:
        raise PfsmError(f"{where}: init is given twice, in the row and in train; leave out one of them")
    named = keys.init or training.pop("init", "")
    init = find(check_line(named, f"{where}: init"), f"{where}: init") if named != "" else None
    config = config_from_dict(training, f"{where}: train", init)
    try:
        settings = settings_to_train(None, config, init)
    except PfsmError as error:
        raise PfsmError(f"{where}: train: {error}") from None
    data = _data_sets(keys.train_data, f"{where}: train_data") if "train_data" in value else ()
    return RowSpec(
        name, training=training, config=config, settings=settings, init=init, train_data=data, **common
    )


def _model(name: str, where: str, folder: Path) -> Model:
    """A shipped model by name, or a model file; its path is relative to the folder of the YAML file."""
    shipped = name in {model.name for model in shipped_models()}
    path = folder / name
    if not shipped and not is_inside(name):
        raise PfsmError(f"{where}: is {name!r}, it must be a path inside the folder of the experiment's file")
    try:
        return find_model(name if shipped or not path.is_file() else path)
    except PfsmError as error:
        raise PfsmError(f"{where}: {error}") from None


def _check_whole(experiment: Experiment) -> None:
    """Checks that the keys fit together."""
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
    if experiment.versus is not None and experiment.versus not in names:
        raise _invalid(experiment.where, "versus", experiment.versus, "the name of a row")
    seen: list[set[str]] = []
    for number, contrast in enumerate(experiment.contrasts, 1):
        where = f"{experiment.where}: contrasts {number}"
        for name in contrast:
            if name not in names:
                raise PfsmError(f"{where}: has {name!r}, it must be the name of a row")
        if contrast[0] == contrast[1]:
            raise PfsmError(f"{where}: compares {contrast[0]!r} with itself")
        if set(contrast) in seen:
            raise PfsmError(f"{where}: {' and '.join(contrast)} are compared twice")
        seen.append(set(contrast))
