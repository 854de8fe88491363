"""What ``pfsm evaluate`` reads: judgments, and the scores that are held against people's."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float
from pfsm.commands.arguments import (
    check_text,
    given_scorers,
    model_name,
    named_metric,
    opened_model,
    signatures,
)
from pfsm.commands.output import tell
from pfsm.data import Judgments, Preferences, Table, is_preferences
from pfsm.data.formats import Options
from pfsm.data.formats.mt_metrics_eval import read_test_set
from pfsm.data.formats.records import table_of
from pfsm.data.formats.registry import read_judged
from pfsm.data.formats.rows import Row
from pfsm.data.judgments import TARGET_LANGUAGE, joined_tables, target_languages
from pfsm.data.segments import all_references, others, rows_with_references
from pfsm.data.table import COMET_NAMES, mean_of_judges
from pfsm.errors import PfsmError
from pfsm.evaluation.catalogue import SEGMENT
from pfsm.evaluation.pooled import Scores, pooled_scores
from pfsm.evaluation.questions import PREFERENCE, RANKING, Question, group_names
from pfsm.io.files import display_name, read_lines
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.data_columns import score_distinct_rows
from pfsm.metrics.inputs import NumberOfReferences, number_by_segment
from pfsm.model.shipped import DEFAULT_MODEL, model_for
from pfsm.text.language_names import english_name, main_code

DEFAULT_GROUPING = "source_lang"
TIES = "ties"
# The options that name what is measured.
SOURCES = """
@scorers
--column NAME  evaluate the scores in this column of the data (preferences: NAME_better and NAME_worse)
--scores FILE  evaluate the scores in this file, a line for each row of the data (preferences: two, with a tab)
"""


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

    def tables_of(self, *, pairwise: bool) -> list[Table]:
        """The files with preferences, or those with absolute scores."""
        return [table for table in self.tables if is_preferences(table) == pairwise]

    def file_numbers(self, *, pairwise: bool) -> NDArray[np.int64]:
        """int64 [n]: which of these files each row is of."""
        tables = self.tables_of(pairwise=pairwise)
        return np.repeat(np.arange(len(tables)), [len(table) for table in tables])

    @property
    def parts(self) -> list[Judgments | Preferences]:
        """Absolute scores and preferences, as far as there are any."""
        return [part for part in (self.absolute, self.pairwise) if part is not None]

    def texts(self, *, pairwise: bool) -> tuple[Sequence[str], Sequence[tuple[str, ...]]]:
        """Hypotheses with their references; of preferences the better translations, then the worse ones."""
        data = self.pairwise if pairwise else self.absolute
        assert data is not None
        if isinstance(data, Judgments):
            return data.hypotheses, data.all_references
        return (*data.better, *data.worse), (*data.all_references, *data.all_references)

    def groups(self, data: Judgments | Preferences) -> Sequence[str]:
        """The group of every row."""
        by = self.by
        if by is not None and by not in data.columns:
            by = COMET_NAMES.get(by, by)
        return group_names(data, by)

    @property
    def n_references(self) -> NumberOfReferences:
        """How many references the segments have."""
        return number_by_segment([several for part in self.parts for several in part.all_references])

    @property
    def ties(self) -> Float | None:
        """float64 [n]: how often people preferred neither translation of a pair; None where no file tells."""
        tables = self.tables_of(pairwise=True)
        if not any(TIES in table.columns for table in tables):
            return None
        needed = "a finite number of 0 or more"
        return np.concatenate(
            [
                table.numbers(TIES, minimum=0.0, needed=needed)
                if TIES in table.columns
                else np.zeros(len(table))
                for table in tables
            ]
        )


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
        tell(f"note: {count} {note}")
    tell(f"{name} {pair}: {told}")
    return _inputs([table], "score", options)


def read_inputs(options: Namespace) -> Inputs:
    """Reads and checks all files."""
    column = options.score_column or "score"
    tables = [mean_of_judges(read_judged(path, column)) for path in options.data]
    return _inputs(tables, column, options)


def _inputs(tables: Sequence[Table], score_column: str, options: Namespace) -> Inputs:
    kept, left_out = with_references(tables) if options.skip_missing_references else (tuple(tables), ())
    return Inputs(kept, *joined_tables(kept, score_column), _grouping(options.by, kept), left_out)


def with_references(tables: Sequence[Table]) -> tuple[tuple[Table, ...], tuple[int, ...]]:
    """Tables without the rows that have no reference, and the numbers of these in all tables together, from 0."""
    chosen, left_out, before = [], [], 0
    for table in tables:
        kept = rows_with_references(all_references(table.column("reference"), table.columns), table.path)
        chosen.append(table.select(kept))
        left_out += [before + row for row in others(kept, len(table))]
        before += len(table)
    return tuple(chosen), tuple(left_out)


def _grouping(wanted: str | None, tables: Sequence[Table]) -> str | None:
    if wanted is None:
        return DEFAULT_GROUPING if all(DEFAULT_GROUPING in table.columns for table in tables) else None
    for table in tables:
        if wanted not in table.columns:
            raise PfsmError(
                f"{table.path}: no column {wanted!r} to group by; the columns are {', '.join(table.header)}"
            )
    return wanted


@dataclass(frozen=True, eq=False)
class Scorer:
    """A model or another metric, at work."""

    metric: SegmentMetric

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.metric.name

    def scores(self, inputs: Inputs, *, pairwise: bool) -> Float:
        """Scores of hypotheses, float64 [n], or of better and worse translations, [n, 2].

        A translation that is there many times is scored once.
        """
        hypotheses, references = inputs.texts(pairwise=pairwise)
        data = inputs.pairwise if pairwise else inputs.absolute
        assert data is not None
        columns = {name: np.concatenate([data.numbers(name)], axis=None) for name in self.metric.columns}
        scores = score_distinct_rows(self.metric, hypotheses, references, columns)
        return scores.reshape(2, -1).T if pairwise else scores

    def check(self, inputs: Inputs, options: Namespace) -> None:
        """Refuses a column that is missing and text that the metric cannot take apart, before any long work."""
        for name in self.metric.columns:
            for data in inputs.parts:
                data.numbers(name)
        for data in inputs.parts:
            check_text(self.metric, chain.from_iterable(data.all_references), options)


@dataclass(frozen=True, eq=False)
class Given:
    """Scores that stand in a column of the files, or in a file of their own with a line for each row of the data.

    Of preferences there are two: in the columns ``NAME_better`` and ``NAME_worse``, or on each line.
    """

    name: str
    lines: Sequence[tuple[float, ...]] | None = None

    def scores(self, inputs: Inputs, *, pairwise: bool) -> Float:
        """As `Scorer.scores`."""
        if self.lines is None:
            found = np.concatenate([self._columns(table) for table in inputs.tables_of(pairwise=pairwise)])
        else:
            kept = others(inputs.left_out, len(self.lines))
            kinds = np.repeat([is_preferences(table) for table in inputs.tables], [*map(len, inputs.tables)])
            rows = np.flatnonzero(kinds == pairwise)
            found = np.array([self.lines[kept[row]] for row in rows], dtype=np.float64)
        return found if pairwise else found.reshape(-1)

    def check(self, inputs: Inputs, options: Namespace) -> None:  # noqa: ARG002 - as of a scorer
        """Refuses scores that are not there, before any long work."""
        lines = self.lines
        if lines is None:
            for table in inputs.tables:
                self._columns(table)
            return
        n = sum(map(len, inputs.tables)) + len(inputs.left_out)
        if len(lines) != n:
            raise PfsmError(f"{self.name}: {len(lines)} lines, but the data has {n} rows")
        kept = iter(others(inputs.left_out, n))
        for table in inputs.tables:
            width = 2 if is_preferences(table) else 1
            for line in islice(kept, len(table)):
                if len(lines[line]) != width:
                    raise PfsmError(
                        f"{self.name}:{line + 1}: {len(lines[line])} scores, {width} needed for {table.path}"
                    )

    def _columns(self, table: Table) -> Float:
        sides = ("_better", "_worse") if is_preferences(table) else ("",)
        return np.stack([table.numbers(f"{self.name}{side}") for side in sides], axis=1)


Source = Scorer | Given


def given_sources(options: Namespace) -> list[tuple[str, str]]:
    """What is measured, each by the kind of its option and its value: models and metrics, a column, or a file."""
    scorers = given_scorers(options)
    others = [
        (kind, getattr(options, kind)) for kind in ("column", "scores") if getattr(options, kind) is not None
    ]
    if others and (scorers or len(others) > 1):
        one, other = (kind for kind, _ in [*scorers[:1], *others][:2])
        raise PfsmError(f"give either --{one} or --{other}, not both")
    return scorers or others


def take_language(
    options: Namespace, inputs: Inputs, given: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Sets ``--language`` where it is not given to the one that the data name; chooses the model if none is given."""
    sources = list(given)
    if options.language is None:
        try:
            found = target_languages(inputs.absolute, inputs.pairwise)
        except PfsmError:
            if given:  # what the column says is not needed
                return sources
            raise
        several = len({main_code(code) for code in found}) > 1
        if several and not given:
            names = ", ".join(sorted(found))
            raise PfsmError(
                f"column {TARGET_LANGUAGE} names several languages ({names}); give --model NAME, or --language NAME "
                "(und: none of them)"
            )
        language = min(found, default=None)
        if not several and language is not None and model_for(language) != DEFAULT_MODEL:
            options.language = language
            if not given:
                model = model_for(language)
                tell(f"{english_name(language)}, as the column {TARGET_LANGUAGE} says: model {model}")
                return [("model", model)]
    return sources or [("model", model_name(options))]


def source_named(name: str) -> tuple[str, str]:
    """What ``--versus`` names: ``metric:NAME``, ``column:NAME``, ``scores:FILE``, or a model."""
    kind, colon, value = name.partition(":")
    return (kind, value) if colon and kind in {"metric", "column", "scores"} else ("model", name)


def open_source(kind: str, value: str, options: Namespace) -> Source:
    """A source of scores."""
    if kind == "column":
        return Given(value)
    if kind == "scores":
        return Given(display_name(value), _read_scores(value))
    metric: SegmentMetric = opened_model(value, options) if kind == "model" else named_metric(value, options)
    if kind == "metric":
        metric.check_available()
    return Scorer(metric)


def pools(source: Source, level: str) -> bool:
    """Whether scores at a level are computed from pooled counts, not from scores of segments."""
    return level != SEGMENT and isinstance(source, Scorer) and not source.metric.averages


def scores_at_level(source: Source, inputs: Inputs, question: Question[Any]) -> Scores:
    """Scores of the rows, or what their translations add to the scores of systems or documents."""
    ranked = question.kind in {PREFERENCE, RANKING}
    if not isinstance(source, Scorer) or not pools(source, question.level):
        return source.scores(inputs, pairwise=ranked)
    hypotheses, references = inputs.texts(pairwise=ranked)
    if question.translations is not None:
        chosen = question.translations.tolist()
        hypotheses, references = [hypotheses[k] for k in chosen], [references[k] for k in chosen]
    return pooled_scores(source.metric, hypotheses, references, question.corpora)


def signatures_at_level(source: Source, inputs: Inputs, level: str) -> dict[str, str | None]:
    """What the scores at a level depend on, long and short: of systems and documents, a metric's signatures of corpora.

    None where that is not known.
    """
    if not isinstance(source, Scorer):
        return {"signature": None, "short_signature": None}
    return {**signatures(source.metric, inputs.n_references, "segment" if level == SEGMENT else "corpus")}


def _read_scores(path: str) -> list[tuple[float, ...]]:
    name, lines = display_name(path), enumerate(read_lines(path), start=1)
    return [
        tuple(Row(name, number, {"score": field}).number("score") for field in line.split("\t"))
        for number, line in lines
    ]
