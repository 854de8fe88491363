"""The specification of an experiment, as in its YAML file: data, rows of the table, scheme, statistics."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from msgspec import Meta, Struct

from pfsm.evaluation.catalogue import (
    DOCUMENT,
    DOCUMENT_LEVEL,
    RANKINGS,
    SEGMENT,
    SEGMENT_LEVEL,
    SYSTEM,
    SYSTEM_LEVEL,
    level_and_name,
)
from pfsm.evaluation.preference import TAUS
from pfsm.metrics.inputs import columns_of
from pfsm.model.file import Model
from pfsm.model.settings import Settings
from pfsm_training.config import TrainingConfig

Whole = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
# Kinds of files that tables are drawn into.
PICTURES = ("svg", "png", "pdf")
SCHEMES = ("train-test", "k-fold", "round-robin", "learning-curve")


def reported(name: str) -> str:
    """The name of a statistic in tables and ``results.json``, given any of its names.

    >>> reported("kendall"), reported("wmt12"), reported("document-kendall"), reported("acc_t")
    ('kendall_tau_b', 'tau_wmt12', 'document-kendall_tau_b', 'acc-t')
    """
    level, known = level_and_name(name)
    own = "kendall_tau_b" if known == "kendall" else f"tau_{known}" if known in TAUS else known
    return own if level in {None, SEGMENT} else f"{level}-{own}"


_ABOVE_SEGMENTS = {DOCUMENT: DOCUMENT_LEVEL, SYSTEM: SYSTEM_LEVEL}
# In experiments the taus of the WMT tasks are statistics of preferences.
ABSOLUTE = (
    *(reported(name) for name in SEGMENT_LEVEL.built_in if name not in TAUS),
    *(reported(f"{level}-{name}") for level, table in _ABOVE_SEGMENTS.items() for name in table.built_in),
)
# Human likeness; the data needs the columns `segment_id` and `reference_2`.
KING = "king"
# Statistics of systems that people ranked; the data needs the columns `better_system` and `worse_system`.
RANKED = tuple(reported(f"{SYSTEM}-{name}") for name in RANKINGS)
PAIRS_OF_SYSTEMS = tuple(reported(f"{SYSTEM}-{name}") for name, one in RANKINGS.items() if one.of_pairs)
PAIRWISE = ("accuracy", *map(reported, TAUS), *RANKED)


def absolute_names() -> tuple[str, ...]:
    """Statistics of absolute scores, those of other packages at every level among them."""
    plugged = [name for name in SEGMENT_LEVEL if name not in SEGMENT_LEVEL.built_in]
    above = [f"{level}-{name}" for level in _ABOVE_SEGMENTS for name in plugged]
    return (*ABSOLUTE, KING, *plugged, *above)


def level_of(name: str) -> str:
    """The level of a statistic of absolute scores, by any of its names.

    >>> level_of("document-kendall_tau_b"), level_of("pearson")
    ('document', 'segment')
    """
    return level_and_name(name)[0] or SEGMENT


class DataKeys(Struct, frozen=True, kw_only=True):
    """The plain keys of a data set.

    Attributes:
        name: Heading in tables; None: the folder of the files, or the file if it is directly in the data folder.
        score_column: Column of absolute scores.
        negate: Whether lower scores are better, so that their sign is changed.
        sample: Number of rows to draw; None: all rows are used.
        seed: Seed of the draw.
        system_scores: What people's scores of systems are, one of `pfsm.evaluation.people.SYSTEM_SCORES` and `FITS`;
            None: expected wins or the least-squares fit.
        pool: Name of the sets that this one is pooled with: a table more, of shares of pairs of systems.
    """

    name: str | None = None
    score_column: str = "score"
    negate: bool = False
    sample: Positive | None = None
    seed: Whole = 0
    system_scores: str | None = None
    pool: str | None = None


class DataSpec(DataKeys, frozen=True, kw_only=True):
    """Files of judgments, and the rows to use.

    Attributes:
        files: Patterns relative to the data folder.
        where: Its name in messages.
        keep: Values of the rows to keep, by column.
    """

    files: tuple[str, ...]
    where: str
    keep: Mapping[str, tuple[str, ...]] = {}


@dataclass(frozen=True, eq=False)
class RowSpec:
    """A row of the table; exactly one of `metric`, `model` and `training` is set.

    Attributes:
        name: Heading.
        metric: Name of a metric.
        options: Options of the metric.
        model: A trained model.
        training: Settings and options as for ``pfsm train --config``, as they were given; empty: the defaults.
        config: The same, completed.
        settings: Of the model, or of the one to train; None of a metric.
        init: Initial model that the training starts from and stays near.
        train_data: Training data of this row instead of the experiment's.
        optional: Whether the row is left out, with a note, if something that it needs is not installed.
        not_on: Names of test sets that the row is not tested on.
    """

    name: str
    metric: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    model: Model | None = None
    training: Mapping[str, Any] | None = None
    config: TrainingConfig | None = None
    settings: Settings | None = None
    init: Model | None = None
    train_data: tuple[DataSpec, ...] = ()
    optional: bool = False
    not_on: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the data that its model weighs."""
        return () if self.settings is None else columns_of(tuple(self.settings.features))


class ExperimentKeys(Struct, frozen=True, kw_only=True):
    """The plain keys of an experiment.

    Attributes:
        title: Heading of the tables.
        description: A few sentences for their reader.
        scheme: One of `SCHEMES`.
        by: Column that determines what is held out: one value at a time in a round robin; in k-fold, rows with the
            same value stay together.
        folds: Number of folds of k-fold.
        repeats: Number of samples of each size in a learning curve.
        group_by: Column of the test data whose values have a column each in the table; None: one column.
        resample: Unit of the bootstrap, one of `pfsm.evaluation.questions.RESAMPLES`; None: segments, and for
            statistics of systems documents where there are some. For those of documents it is always the document.
        form: ``form`` of the models that rows train where they do not say; empty: that of a training by itself.
        versus: Name of the row that the others are compared with.
        seed: Seed of all samples and resamples.
        resamples: Number of bootstrap resamples.
        pictures: Kinds of files, such as ``svg``, that every table is drawn into as well.
    """

    title: str
    description: str = ""
    scheme: str = SCHEMES[0]
    by: str | None = None
    folds: Annotated[int, Meta(ge=2)] = 5
    repeats: Positive = 1
    group_by: str | None = None
    resample: str | None = None
    form: str = ""
    versus: str | None = None
    seed: Whole = 12345
    resamples: Positive = 1000
    pictures: tuple[str, ...] = ()


class Experiment(ExperimentKeys, frozen=True, kw_only=True, eq=False):
    """One table.

    Attributes:
        sizes: Training sizes of a learning curve; None stands for all data.
        train: Training data.
        test: Test data; empty if the scheme tests on held-out parts of the training data.
        rows: Rows of the table.
        statistics: Names from `ABSOLUTE` and `PAIRWISE`.
        contrasts: Pairs of names of rows that are compared with each other.
        where: Name of the file in messages.
    """

    sizes: tuple[int | None, ...]
    train: tuple[DataSpec, ...]
    test: tuple[DataSpec, ...]
    rows: tuple[RowSpec, ...]
    statistics: tuple[str, ...]
    contrasts: tuple[tuple[str, str], ...]
    where: str
