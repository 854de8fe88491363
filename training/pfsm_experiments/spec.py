"""An experiment as a YAML file describes it: data, rows of the table, scheme, statistics."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pfsm.evaluation.catalogue import (
    DOCUMENT,
    DOCUMENT_LEVEL,
    SEGMENT,
    SEGMENT_LEVEL,
    SYSTEM,
    SYSTEM_LEVEL,
    level_and_name,
)
from pfsm.evaluation.preference import TAUS
from pfsm.model.file import Model

SCHEMES = ("train-test", "k-fold", "round-robin", "learning-curve")


def reported(name: str) -> str:
    """A statistic, asked for by any of its names, by the name that tables and ``results.json`` have it under.

    >>> reported("kendall"), reported("wmt12"), reported("document-kendall"), reported("acc_t")
    ('kendall_tau_b', 'tau_wmt12', 'document-kendall_tau_b', 'acc-t')
    """
    level, known = level_and_name(name)
    own = "kendall_tau_b" if known == "kendall" else f"tau_{known}" if known in TAUS else known
    return own if level in {None, SEGMENT} else f"{level}-{own}"


# Of documents, for which the data needs the columns `document` and `system`.
DOCUMENTS = tuple(reported(f"{DOCUMENT}-{name}") for name in DOCUMENT_LEVEL)
# Of systems, for which it needs the column `system`.
SYSTEMS = tuple(reported(f"{SYSTEM}-{name}") for name in SYSTEM_LEVEL)
# The taus of the WMT tasks are of preferences here.
ABSOLUTE = (*(reported(name) for name in SEGMENT_LEVEL.built_in if name not in TAUS), *DOCUMENTS, *SYSTEMS)
PAIRWISE = ("accuracy", *map(reported, TAUS))


def absolute_names() -> tuple[str, ...]:
    """Statistics of absolute scores, those of other packages among them."""
    return (*ABSOLUTE, *(name for name in SEGMENT_LEVEL if name not in SEGMENT_LEVEL.built_in))


@dataclass(frozen=True)
class DataSpec:
    """Files of judgments, and which of their rows.

    Attributes:
        files: Patterns relative to the data folder.
        where: What messages call it.
        name: Heading in tables; the folder of the files where it is not given, or the file where it lies in none.
        score_column: Column of absolute scores.
        negate: Whether lower scores are better.
        keep: Column -> values of the rows to keep.
        sample: How many rows to draw; None: all.
        seed: Of the draw.
    """

    files: tuple[str, ...]
    where: str
    name: str | None = None
    score_column: str = "score"
    negate: bool = False
    keep: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sample: int | None = None
    seed: int = 0


@dataclass(frozen=True, eq=False)
class RowSpec:
    """A row of the table: exactly one of `metric`, `model` and `training` is there.

    Attributes:
        name: Heading.
        metric: Name of a metric.
        options: Options of the metric.
        model: A model that is there already.
        training: What ``pfsm train --config`` could say; empty: the defaults.
        init: The model that training starts from and stays near.
        train_data: Training data in place of the experiment's.
        optional: Whether the row is left out, with a note, where something it needs is not installed.
    """

    name: str
    metric: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    model: Model | None = None
    training: Mapping[str, Any] | None = None
    init: Model | None = None
    train_data: tuple[DataSpec, ...] = ()
    optional: bool = False


@dataclass(frozen=True, eq=False)
class Experiment:
    """One table.

    Attributes:
        title: Heading of the report.
        description: A few sentences for its reader.
        scheme: One of `SCHEMES`.
        by: Column that is held out: by value in a round robin; in k-fold, rows that agree in it stay together.
        folds: Number of folds of k-fold.
        sizes: Training sizes of a learning curve; None stands for all.
        repeats: How many samples of each size a learning curve draws.
        train: Training data.
        test: Test data; empty where the scheme tests on the training data's held-out parts.
        rows: Rows of the table.
        group_by: Column of the test data whose values get a column each; None: one column.
        statistics: Names among `ABSOLUTE` and `PAIRWISE`.
        resample: What the bootstrap draws, one of `pfsm.evaluation.questions.RESAMPLES`; of documents' statistics
            always documents.
        versus: Name of the row that the others are compared with.
        contrasts: Names of two rows each that are compared with each other.
        seed: Of every sample and resample.
        resamples: Number of bootstrap resamples.
        mistakes: How many of the most overrated, and of the most underrated segments the report shows.
        mistakes_of: Name of the row whose; None: the last row with a model.
        where: What messages call the file.
    """

    title: str
    description: str
    scheme: str
    by: str | None
    folds: int
    sizes: tuple[int | None, ...]
    repeats: int
    train: tuple[DataSpec, ...]
    test: tuple[DataSpec, ...]
    rows: tuple[RowSpec, ...]
    group_by: str | None
    statistics: tuple[str, ...]
    resample: str
    versus: str | None
    contrasts: tuple[tuple[str, str], ...]
    seed: int
    resamples: int
    mistakes: int
    mistakes_of: str | None
    where: str
