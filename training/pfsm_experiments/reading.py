"""Reads an experiment's YAML file."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pfsm.errors import PfsmError
from pfsm.evaluation.questions import RESAMPLES, SEGMENTS
from pfsm.evaluation.system_level import EXPECTED_WINS, SYSTEM_SCORES
from pfsm.io.files import StrPath, display_name
from pfsm.metrics import get_metric
from pfsm.model.file import Model
from pfsm.model.shipped import find_model, shipped_models
from pfsm.runtime.places import DATA as DATA_KEYS
from pfsm.runtime.places import EXPERIMENT as KEYS
from pfsm.runtime.places import ROW as ROW_KEYS
from pfsm_experiments.checks import check_whole
from pfsm_experiments.fields import Fields, name_or_number, two_names
from pfsm_experiments.spec import PAIRWISE, SCHEMES, DataSpec, Experiment, RowSpec, absolute_names, reported
from pfsm_training.config import config_from_dict
from pfsm_training.fit.initial import settings_to_train
from pfsm_training.yaml_file import read_yaml_mapping

# From the fields of a row and a key to the model that stands there.
Find = Callable[[Fields, str], Model]
ALL = "all"
# Keys that only some schemes use. With another scheme they would silently do nothing, so they are refused.
SCHEME_KEYS: Mapping[str, tuple[str, ...]] = {
    "train-test": (),
    "k-fold": ("by", "folds"),
    "round-robin": ("by",),
    "learning-curve": ("sizes", "repeats"),
}


def read_experiment(path: StrPath, *, trust: bool = False) -> Experiment:
    """Reads and checks an experiment's YAML file; ``trust`` is `pfsm.model.file.load_model`'s.

    Raises:
        PfsmError: If the file is missing or not YAML, or if a key is missing, unknown or has an invalid value.
    """
    values = read_yaml_mapping(path, KEYS)
    where = display_name(path)
    fields = Fields(values, where, KEYS)
    scheme = fields.choice("scheme", SCHEMES, SCHEMES[0])
    _only_keys_of(scheme, fields)
    find = partial(_model, folder=Path(path).parent, trust=trust)
    rows = fields.items("rows", lambda item, _: _row(item, where, find))
    experiment = Experiment(
        title=fields.line("title"),
        description=fields.text("description"),
        scheme=scheme,
        by=_by(fields, scheme),
        folds=fields.count("folds", 5, lowest=2),
        sizes=_sizes(fields),
        repeats=fields.count("repeats", 1),
        train=fields.items("train", _data),
        test=fields.items("test", _data),
        rows=rows,
        group_by=fields.line("group_by") if "group_by" in fields else None,
        statistics=_statistics(fields),
        resample=fields.choice("resample", RESAMPLES, SEGMENTS),
        versus=fields.line("versus") if "versus" in fields else None,
        contrasts=fields.items("contrasts", two_names),
        seed=fields.count("seed", 12345, lowest=0),
        resamples=fields.count("resamples", 1000),
        mistakes=fields.count("mistakes", 10, lowest=0),
        mistakes_of=fields.line("mistakes_of") if "mistakes_of" in fields else None,
        where=where,
    )
    check_whole(experiment)
    return experiment


def _only_keys_of(scheme: str, fields: Fields) -> None:
    for key in ("by", "folds", "sizes", "repeats"):
        if key in fields and key not in SCHEME_KEYS[scheme]:
            users = " and ".join(name for name, keys in SCHEME_KEYS.items() if key in keys)
            raise PfsmError(f"{fields.where}: {key} is for the scheme {users}, not for {scheme}")


def _by(fields: Fields, scheme: str) -> str | None:
    if scheme == "round-robin":
        return fields.line("by", "source_lang")
    return fields.line("by", "reference") if scheme == "k-fold" else None


def _sizes(fields: Fields) -> tuple[int | None, ...]:
    value = fields.values.get("sizes", [ALL])
    needed = f"a rising list of whole numbers from 2, whose last item may be {ALL}"
    if not isinstance(value, list) or not value:
        raise fields.fault("sizes", needed)
    numbers = value[:-1] if value[-1] == ALL else value
    if any(type(number) is not int or number < 2 for number in numbers) or numbers != sorted(set(numbers)):
        raise fields.fault("sizes", needed)
    return (*numbers, *([None] if value[-1] == ALL else []))


def _statistics(fields: Fields) -> tuple[str, ...]:
    known = tuple(dict.fromkeys((*absolute_names(), *PAIRWISE)))
    value = fields.values.get("statistics", ["pearson"])
    given = value if isinstance(value, list) else [value]
    names = [reported(name) if isinstance(name, str) else name for name in given]
    if not names or any(name not in known for name in names) or len(set(names)) < len(names):
        raise fields.fault("statistics", f"a list of different names among {', '.join(known)}")
    return tuple(names)


def _data(value: object, where: str) -> DataSpec:
    fields = Fields({"files": value} if isinstance(value, str) else value, where, DATA_KEYS)
    files = fields.items("files", name_or_number)
    if not files:
        raise PfsmError(f"{where}: the key 'files' is missing")
    for pattern in files:
        if Path(pattern).is_absolute() or ".." in Path(pattern).parts:
            raise PfsmError(f"{where}: files has {pattern!r}, it must be a path inside the data folder")
    keep = {
        column: tuple(name_or_number(one, f"{where}: where: {column}") for one in _listed(values))
        for column, values in fields.mapping("where").items()
    }
    return DataSpec(
        files=files,
        where=where,
        name=fields.line("name") if "name" in fields else None,
        score_column=fields.line("score_column", "score"),
        negate=fields.flag("negate"),
        keep=keep,
        sample=fields.count("sample", 1) if "sample" in fields else None,
        seed=fields.count("seed", 0, lowest=0),
        system_scores=fields.choice("system_scores", tuple(SYSTEM_SCORES), EXPECTED_WINS),
    )


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _row(value: object, where: str, find: Find) -> RowSpec:
    given: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    name = given.get("name")
    if not isinstance(name, str):
        raise PfsmError(
            f"{where}: rows: every row needs a name, and one of metric, model, train; not {value!r}"
        )
    fields = Fields(value, f"{where}: row {name!r}", ROW_KEYS)
    fields.line("name")
    optional = given.get("optional", False)
    if not isinstance(optional, bool):
        raise PfsmError(f"{fields.where}: optional is {optional!r}, it must be true or false")
    return replace(_row_of_kind(name, fields, find), optional=optional)


def _row_of_kind(name: str, fields: Fields, find: Find) -> RowSpec:
    kinds = [key for key in ("metric", "model", "train") if key in fields]
    if len(kinds) != 1:
        raise PfsmError(
            f"{fields.where}: has {' and '.join(kinds) or 'none'} of metric, model, train; give one"
        )
    for key, kind in (("options", "metric"), ("init", "train"), ("train_data", "train")):
        if key in fields and kinds != [kind]:
            raise PfsmError(f"{fields.where}: {key} needs {kind}")
    if kinds == ["metric"]:
        return _metric_row(name, fields)
    if kinds == ["model"]:
        return RowSpec(name, model=find(fields, "model"))
    training = dict(fields.mapping("train"))
    if "init" in training:
        # The initial model may stand beside `train` or, as an option of the training, in it.
        if "init" in fields:
            raise PfsmError(
                f"{fields.where}: init is given twice, in the row and in train; leave out one of them"
            )
        fields.values["init"] = training.pop("init")
    init = find(fields, "init") if "init" in fields else None
    config = config_from_dict(training, f"{fields.where}: train", init)
    try:
        settings_to_train(None, config, init)
    except PfsmError as error:
        raise PfsmError(f"{fields.where}: train: {error}") from None
    return RowSpec(name, training=training, init=init, train_data=fields.items("train_data", _data))


def _metric_row(name: str, fields: Fields) -> RowSpec:
    metric, options = fields.line("metric"), fields.mapping("options")
    try:
        get_metric(metric, **options)
    except PfsmError as error:
        raise PfsmError(f"{fields.where}: {error}") from None
    return RowSpec(name, metric=metric, options=options)


def _model(fields: Fields, key: str, folder: Path, *, trust: bool) -> Model:
    """A shipped model by name, or a model file; its path is relative to the folder of the YAML file."""
    name = fields.line(key)
    shipped = name in {model.name for model in shipped_models()}
    path = folder / name
    try:
        return find_model(name if shipped or not path.is_file() else path, trust=trust)
    except PfsmError as error:
        raise PfsmError(f"{fields.where}: {key}: {error}") from None
