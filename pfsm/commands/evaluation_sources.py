"""What ``pfsm evaluate`` reads: judgments, and the scores that are held against people's."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pfsm.commands.arguments import ALONE, Sharing, add_scorers
from pfsm.commands.languages import check_text, metric_options, model_name
from pfsm.data import (
    Judgments,
    Preferences,
    Table,
    is_preferences,
    judgments_from_table,
    preferences_from_table,
)
from pfsm.data.formats import Options
from pfsm.data.formats.mt_metrics_eval import read_test_set
from pfsm.data.formats.records import table_of
from pfsm.data.judgments import (
    DOCUMENT,
    TARGET_LANGUAGE,
    all_references,
    others,
    rows_with_references,
    target_languages,
)
from pfsm.data.table import COMET_NAMES, finite_number, mean_of_judges, shown
from pfsm.distributed.partitions import read_tables
from pfsm.errors import PfsmError
from pfsm.evaluation.catalogue import SEGMENT
from pfsm.evaluation.pooled import Scores, pooled_scores
from pfsm.evaluation.questions import RANKING, Question, group_names
from pfsm.io.files import display_name, read_lines
from pfsm.metrics import get_metric
from pfsm.metrics.base import Level, SegmentMetric
from pfsm.metrics.data_columns import score_distinct_rows
from pfsm.metrics.inputs import NumberOfReferences, number_by_segment
from pfsm.model.metric import Metric
from pfsm.model.shipped import DEFAULT_MODEL, load, model_for
from pfsm.text.language_names import english_name, main_code

DEFAULT_GROUPING = "source_lang"
TIES = "ties"


@dataclass(frozen=True, eq=False)
class Inputs:
    """The files, in the order given, and what is in them."""

    tables: tuple[Table, ...]
    absolute: Judgments | None
    pairwise: Preferences | None
    by: str | None
    """The column that groups go by."""
    left_out: tuple[int, ...] = ()
    """Rows of all files together that are not among these, from 0."""

    @property
    def absolute_tables(self) -> list[Table]:
        """The files with absolute scores."""
        return [table for table in self.tables if not is_preferences(table)]

    @property
    def pairwise_tables(self) -> list[Table]:
        """The files with preferences."""
        return [table for table in self.tables if is_preferences(table)]

    def groups(self, data: Judgments | Preferences) -> Sequence[str]:
        """The group of every row."""
        by = self.by
        if by is not None and by not in data.columns:
            by = COMET_NAMES.get(by, by)
        return group_names(data, by)

    @property
    def n_references(self) -> NumberOfReferences:
        """How many references the segments have."""
        parts = [part for part in (self.absolute, self.pairwise) if part is not None]
        return number_by_segment([several for part in parts for several in part.all_references])

    @property
    def ties(self) -> NDArray[np.float64] | None:
        """float64 [n]: how often people preferred neither translation of a pair; None where no file tells."""
        tables = self.pairwise_tables
        if not any(TIES in table.columns for table in tables):
            return None
        return np.concatenate([_ties(table) for table in tables])


def read_mtme(options: Namespace, *, systems: bool) -> Inputs:
    """A language pair of a folder of mt-metrics-eval, its people's scores being of segments or of systems.

    The scores of metrics that ``--column`` and ``--versus`` name become columns.
    """
    name, pair, *references = options.data if len(options.data) > 1 else ("", "")
    if not pair:
        raise PfsmError("--mtme DIR: give the test set and the language pair, such as wmt24 en-de")
    metrics = [options.column] if options.column else []
    if (options.versus or "").startswith("column:"):
        metrics.append(options.versus.removeprefix("column:"))
    chosen = Options(
        references=tuple(references), human_score=options.score_column or "",
        metric_scores=tuple(dict.fromkeys(metrics)),
    )  # fmt: skip
    root = Path(options.mtme) / name
    reading, told = read_test_set(root, pair, chosen, systems)
    table = replace(table_of(reading, root), path=f"{root}: {pair}")
    for note, count in sorted(reading.notes.items()):
        print(f"pfsm: note: {count} {note}", file=sys.stderr)
    print(f"pfsm: {name} {pair}: {told}", file=sys.stderr)
    tables, left_out = with_references([table]) if options.skip_missing_references else ((table,), ())
    absolute = judgments_from_table(tables[0], "score")
    return Inputs(tables, absolute, None, _grouping(options.by, tables), left_out)


def read_inputs(
    paths: Sequence[str], score_column: str, by: str | None, *, anywhere: bool = False, skip: bool = False
) -> Inputs:
    """Reads and checks all files; ``anywhere`` as `pfsm.distributed.partitions.read_tables`."""
    tables = tuple(map(mean_of_judges, read_tables(paths, anywhere=anywhere, score_column=score_column)))
    tables, left_out = with_references(tables) if skip else (tables, ())
    absolute = [judgments_from_table(table, score_column) for table in tables if not is_preferences(table)]
    pairwise = [preferences_from_table(table) for table in tables if is_preferences(table)]
    return Inputs(
        tables,
        Judgments.join(absolute) if absolute else None,
        Preferences.join(pairwise) if pairwise else None,
        _grouping(by, tables),
        left_out,
    )


def with_references(tables: Sequence[Table]) -> tuple[tuple[Table, ...], tuple[int, ...]]:
    """Tables without the rows that have no reference, and the numbers of these in all tables together, from 0."""
    chosen, left_out, before = [], [], 0
    for table in tables:
        kept = rows_with_references(all_references(table.column("reference"), table.columns), table.path)
        chosen.append(table.select(kept))
        left_out += [before + row for row in others(kept, len(table))]
        before += len(table)
    return tuple(chosen), tuple(left_out)


def check_documents(tables: Sequence[Table]) -> None:
    """Refuses files that do not tell documents."""
    for table in tables:
        for line, name in zip(
            table.line_numbers, table.column(DOCUMENT, "; the document level needs it"), strict=True
        ):
            if not name.strip():
                raise PfsmError(f"{table.path}:{line}: {DOCUMENT} is empty, the document level needs a name")


def _grouping(wanted: str | None, tables: Sequence[Table]) -> str | None:
    if wanted is None:
        return DEFAULT_GROUPING if all(DEFAULT_GROUPING in table.columns for table in tables) else None
    for table in tables:
        if wanted not in table.columns:
            raise PfsmError(
                f"{table.path}: no column {wanted!r} to group by; the columns are {', '.join(table.header)}"
            )
    return wanted


def _ties(table: Table) -> NDArray[np.float64]:
    if TIES not in table.columns:
        return np.zeros(len(table))
    return table.numbers(TIES, minimum=0.0, needed="a finite number of 0 or more")


def file_numbers(tables: Sequence[Table]) -> NDArray[np.int64]:
    """int64 [n]: which file each row is of."""
    return np.repeat(np.arange(len(tables)), [len(table) for table in tables])


Float = NDArray[np.float64]


class Source(Protocol):
    """Scores of one metric for whatever is in the files."""

    @property
    def name(self) -> str:
        """What tables call it."""

    def absolute(self, inputs: Inputs) -> Float:
        """float64 [n]: scores of the hypotheses, of which there are some."""

    def pairwise(self, inputs: Inputs) -> Float:
        """float64 [n, 2]: scores of the better and the worse translations, of which there are some."""

    def check(self, inputs: Inputs) -> None:
        """Raises PfsmError for scores that are not there, before any long work."""


@dataclass(frozen=True, eq=False)
class Scorer:
    """A model or another metric, at work."""

    metric: SegmentMetric
    model: Metric | None = None
    opened: SegmentMetric | None = None
    """The model or metric in this process, where ``metric`` is at work elsewhere."""

    @property
    def name(self) -> str:
        """As `Source.name`."""
        return self.metric.name

    def score_segments(self, hypotheses: Sequence[str], references: Sequence[tuple[str, ...]]) -> Float:
        """As `SegmentMetric.score_segments`."""
        return self.metric.score_segments(hypotheses, references)

    def absolute(self, inputs: Inputs) -> Float:
        """As `Source.absolute`; a translation that is there many times is scored once."""
        data = inputs.absolute
        assert data is not None
        columns = {name: data.numbers(name) for name in self.metric.columns}
        return score_distinct_rows(self.metric, data.hypotheses, data.all_references, columns)

    def pairwise(self, inputs: Inputs) -> Float:
        """As `Source.pairwise`."""
        data = inputs.pairwise
        assert data is not None
        hypotheses, references = [*data.better, *data.worse], [*data.all_references, *data.all_references]
        columns = {name: np.concatenate(data.numbers(name)) for name in self.metric.columns}
        return score_distinct_rows(self.metric, hypotheses, references, columns).reshape(2, -1).T

    def check_text(self, inputs: Inputs, options: Namespace) -> None:
        """Refuses text that the metric cannot take apart, as `pfsm.commands.languages.check_text`."""
        for data in (inputs.absolute, inputs.pairwise):
            if data is not None:
                check_text(self.opened or self.metric, chain.from_iterable(data.all_references), options)

    def check(self, inputs: Inputs) -> None:
        """As `Source.check`: the columns that the metric needs."""
        for name in self.metric.columns:
            for data in (inputs.absolute, inputs.pairwise):
                if data is not None:
                    data.numbers(name)


@dataclass(frozen=True, eq=False)
class Column:
    """Scores that stand in the files; with preferences ``NAME_better`` and ``NAME_worse``."""

    name: str

    def absolute(self, inputs: Inputs) -> Float:
        """As `Source.absolute`."""
        return np.concatenate([table.numbers(self.name) for table in inputs.absolute_tables])

    def pairwise(self, inputs: Inputs) -> Float:
        """As `Source.pairwise`."""
        sides = [
            np.concatenate([table.numbers(f"{self.name}_{side}") for table in inputs.pairwise_tables])
            for side in ("better", "worse")
        ]
        return np.stack(sides, axis=1)

    def check(self, inputs: Inputs) -> None:
        """As `Source.check`."""
        for table in inputs.tables:
            names = [f"{self.name}_better", f"{self.name}_worse"] if is_preferences(table) else [self.name]
            for name in names:
                table.numbers(name)


@dataclass(frozen=True, eq=False)
class Lines:
    """Scores in a file of their own, a line for each row of the data; with preferences two on a line."""

    name: str
    rows: tuple[tuple[float, ...], ...]

    def absolute(self, inputs: Inputs) -> Float:
        """As `Source.absolute`."""
        return np.array(self._of(inputs, pairwise=False), dtype=np.float64).reshape(-1)

    def pairwise(self, inputs: Inputs) -> Float:
        """As `Source.pairwise`."""
        return np.array(self._of(inputs, pairwise=True), dtype=np.float64)

    def check(self, inputs: Inputs) -> None:
        """As `Source.check`."""
        wanted = [(table, 2 if is_preferences(table) else 1) for table in inputs.tables]
        n = sum(len(table) for table, _ in wanted) + len(inputs.left_out)
        if len(self.rows) != n:
            raise PfsmError(f"{self.name}: {len(self.rows)} lines, but the data has {n} rows")
        kept, start = others(inputs.left_out, n), 0
        for table, width in wanted:
            for line in kept[start : start + len(table)]:
                if len(self.rows[line]) != width:
                    raise PfsmError(
                        f"{self.name}:{line + 1}: {len(self.rows[line])} scores, {width} needed for {table.path}"
                    )
            start += len(table)

    def _of(self, inputs: Inputs, pairwise: bool) -> list[tuple[float, ...]]:
        kept: list[tuple[float, ...]] = []
        start = 0
        rows = [self.rows[row] for row in others(inputs.left_out, len(self.rows))]
        for table in inputs.tables:
            if is_preferences(table) == pairwise:
                kept += rows[start : start + len(table)]
            start += len(table)
        return kept


def add_source(parser: ArgumentParser) -> None:
    """``--model``, ``--metric``, ``--column`` and ``--scores``: one of them, or several models and metrics."""
    add_scorers(parser)
    parser.set_defaults(model=None, metric=None)
    parser.add_argument(
        "--column", metavar="NAME",
        help="evaluate the scores in this column of the data (preferences: NAME_better and NAME_worse)",
    )  # fmt: skip
    parser.add_argument(
        "--scores", metavar="FILE",
        help="evaluate the scores in this file, a line for each row of the data (preferences: two, with a tab)",
    )  # fmt: skip


def check_one_source(options: Namespace) -> list[str]:
    """The option that names what is measured; none is the default model."""
    given = [name for name in ("model", "metric", "column", "scores") if getattr(options, name) is not None]
    if len(given) > 1:
        raise PfsmError(f"give either --{given[0]} or --{given[1]}, not both")
    return given


def take_language(options: Namespace, inputs: Inputs) -> None:
    """Sets ``--language`` where it is not given to the one that the data name."""
    given = check_one_source(options)
    if options.language is not None:
        return
    try:
        found = target_languages(inputs.absolute, inputs.pairwise)
    except PfsmError:
        if given:  # what the column says is not needed
            return
        raise
    if len({main_code(code) for code in found}) > 1:
        if not given:
            names = ", ".join(sorted(found))
            raise PfsmError(
                f"column {TARGET_LANGUAGE} names several languages ({names}); give --model NAME, or --language NAME "
                "(und: none of them)"
            )
        return
    language = min(found, default=None)
    if language is None or model_for(language) == DEFAULT_MODEL:
        return
    options.language = language
    if not given:
        print(
            f"pfsm: {english_name(language)}, as the column {TARGET_LANGUAGE} says: model {model_for(language)}",
            file=sys.stderr,
        )
        options.model = model_for(language)


def open_source(options: Namespace, shared: Sharing = ALONE) -> Source:
    """What the options name; a model or metric at work on the cluster, where there is one."""
    given = check_one_source(options)
    kind = given[0] if given else "model"
    value = getattr(options, kind)
    return _open(kind, model_name(options) if value is None else value, options, shared)


def open_named(name: str, options: Namespace, shared: Sharing = ALONE) -> Source:
    """The metric that ``--versus`` names: ``metric:NAME``, ``column:NAME``, ``scores:FILE``, or a model."""
    kind, colon, value = name.partition(":")
    if colon and kind in {"metric", "column", "scores"}:
        return _open(kind, value, options, shared)
    return _open("model", name, options, shared)


def _open(kind: str, value: str, options: Namespace, shared: Sharing) -> Source:
    if kind == "metric":
        metric = get_metric(value, **metric_options(value, options))
        metric.check_available()
        return Scorer(shared.metric(metric), opened=metric)
    if kind == "column":
        return Column(value)
    if kind == "scores":
        return Lines(display_name(value), _read_scores(value))
    model = load(value, options.threads)
    return Scorer(shared.metric(model), model, model)


def pools(source: Source, level: str) -> bool:
    """Whether scores at a level are computed from pooled counts, not from scores of segments."""
    return level != SEGMENT and isinstance(source, Scorer) and not source.metric.averages


def scores_at_level(source: Source, inputs: Inputs, question: Question[Any]) -> Scores:
    """Scores of the hypotheses, or what they add to the scores of systems or documents."""
    if question.kind == RANKING:
        return _ranked(source, inputs, question)
    data = inputs.absolute
    if data is None or not isinstance(source, Scorer) or not pools(source, question.level):
        return source.absolute(inputs)
    return pooled_scores(source.metric, data.hypotheses, data.all_references, question.corpora)


def _ranked(source: Source, inputs: Inputs, question: Question[Any]) -> Scores:
    """Scores of the rows, or what the translations that were ranked add to the scores of systems."""
    data, chosen = inputs.pairwise, question.translations
    assert data is not None
    assert chosen is not None
    if not isinstance(source, Scorer) or not pools(source, question.level):
        return source.pairwise(inputs)
    hypotheses, references = (*data.better, *data.worse), (*data.all_references, *data.all_references)
    places = chosen.tolist()
    return pooled_scores(
        source.metric, [hypotheses[k] for k in places], [references[k] for k in places], question.corpora
    )


def signatures_at_level(source: Source, inputs: Inputs, level: str) -> dict[str, str | None]:
    """What the scores at a level depend on, long and short: of systems and documents, a metric's signatures of corpora.

    None where that is not known.
    """
    if not isinstance(source, Scorer):
        return {"signature": None, "short_signature": None}
    asked: tuple[NumberOfReferences, Level] = inputs.n_references, "segment" if level == SEGMENT else "corpus"
    return {
        "signature": source.metric.get_signature(*asked),
        "short_signature": source.metric.get_short_signature(*asked),
    }


def _read_scores(path: str) -> tuple[tuple[float, ...], ...]:
    rows = []
    for number, line in enumerate(read_lines(path), start=1):
        scores = []
        for field in line.split("\t"):
            score = finite_number(field)
            if score is None:
                raise PfsmError(
                    f"{display_name(path)}:{number}: score is {shown(field)}, a finite number is needed"
                )
            scores.append(score)
        rows.append(tuple(scores))
    return tuple(rows)
