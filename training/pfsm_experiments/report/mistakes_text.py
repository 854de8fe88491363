"""Where metrics err, as Markdown, with an explanation of the tables."""

from collections.abc import Sequence

from pfsm_experiments.report.mistakes import ERROR, LENGTH, PEARSON, WRONG, MistakeTable
from pfsm_experiments.report.tables import markdown_table
from pfsm_experiments.spec import Experiment


def mistakes_markdown(experiment: Experiment, tables: Sequence[MistakeTable]) -> list[str]:
    """Headings, tables with intervals, and how to read them; no text of the data."""
    if not tables:
        return []
    parts = ["## Where the mistakes are"]
    for table in tables:
        parts += [f"### {table.title}", markdown_table(table, intervals=True)]
    return [*parts, "\n".join(how_to_read(experiment, tables))]


def how_to_read(experiment: Experiment, tables: Sequence[MistakeTable]) -> list[str]:
    """The explanation below the tables."""
    found = {(table.statistic, table.by) for table in tables}
    within = _within(experiment)
    lines = []
    if any(by == LENGTH for _, by in found):
        lines.append(
            "Length of the reference: quartiles of its number of words; equal lengths stay together, so bins "
            "differ in size."
        )
    if (PEARSON, LENGTH) in found:
        lines.append(f"Pearson's r by length is computed on scores standardised within {within}.")
    if any(statistic == ERROR for statistic, _ in found):
        lines += _about_errors(within)
    if any(statistic == WRONG for statistic, _ in found):
        lines.append(
            "Wrong pairs: share of the votes for pairs that a row orders the other way round or gives equal scores."
        )
    drawn = f"{experiment.resamples} resamples of the bin's {experiment.resample}, seed {experiment.seed}"
    lines.append(
        f"Intervals: 95%, percentile bootstrap ({drawn}); bins and standardisation are those of the whole test set."
    )
    if experiment.scheme == "learning-curve":
        lines.append(
            "Learning curve: these tables are of the first sample of each row's largest training size."
        )
    return lines


def about_segments(experiment: Experiment) -> str:
    """The meaning of the number before a segment."""
    return (
        "Segments: the number before each is its signed error, predicted minus human score, each in standard "
        f"deviations from its mean within {_within(experiment)}."
    )


def _about_errors(within: str) -> list[str]:
    error = (
        "Signed error: predicted minus human score, each in standard deviations from its mean within "
        f"{within}; above 0 is overrated, below 0 underrated. Columns: fifths of the standardised human scores."
    )
    beyond = (
        "Signed error beyond r: predicted minus r times human score. A metric with a correlation r below 1 overrates "
        "bad translations and underrates good ones, by 1 - r per standard deviation (regression to the mean); this is "
        "the error that remains. Where it is not near 0, the relation to the human scores is not linear: the metric "
        "reflects their differences better at one end of the scale than at the other."
    )
    return [error, beyond]


def _within(experiment: Experiment) -> str:
    return f"the groups of {experiment.group_by}" if experiment.group_by else "the test set"
