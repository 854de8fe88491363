"""The section of the report on where metrics err: tables, and the worst segments as folded lists."""

from collections.abc import Sequence

from pfsm.evaluation.questions import ONE_GROUP
from pfsm_experiments.report.markup import escaped, fact_list, result_table
from pfsm_experiments.report.mistakes import MistakeTable
from pfsm_experiments.report.mistakes_text import about_segments, how_to_read
from pfsm_experiments.report.worst import Mistake, WorstSegments
from pfsm_experiments.spec import Experiment

TITLE = "Where the mistakes are"


def mistakes_section(
    experiment: Experiment, tables: Sequence[MistakeTable], worst: Sequence[WorstSegments]
) -> str:
    """The section; empty if there is nothing to show."""
    if not tables and not worst:
        return ""
    reading = how_to_read(experiment, tables) if tables else []
    if worst:
        reading.append(about_segments(experiment))
    return (
        f'<section aria-labelledby="mistakes-title"><h2 id="mistakes-title">{TITLE}</h2>'
        f"{''.join(map(result_table, tables))}"
        f'<div class="reading">{"".join(f"<p>{escaped(line)}</p>" for line in reading)}</div>'
        f"{''.join(map(_worst, worst))}</section>"
    )


def _worst(worst: WorstSegments) -> str:
    lists = (("overrates", worst.overrated), ("underrates", worst.underrated))
    return "".join(_folded(worst, verb, mistakes) for verb, mistakes in lists if mistakes)


def _folded(worst: WorstSegments, verb: str, mistakes: Sequence[Mistake]) -> str:
    count = "The segment" if len(mistakes) == 1 else f"The {len(mistakes)} segments"
    summary = f"{count} of {worst.test} that {worst.row} {verb} most"
    items = "".join(f"<li>{_item(mistake)}</li>" for mistake in mistakes)
    return f'<details class="worst"><summary>{escaped(summary)}</summary><ol>{items}</ol></details>'


def _item(mistake: Mistake) -> str:
    """The error and the hypothesis; all details of the segment are folded below them."""
    facts = {
        "Reference": mistake.reference,
        "Hypothesis": mistake.hypothesis,
        "Human score": f"{mistake.human:.6g}",
        "Predicted score": f"{mistake.predicted:.6g}",
        **({} if mistake.group == ONE_GROUP else {"Group": mistake.group}),
        **dict(mistake.labels),
    }
    why = (
        f'<pre tabindex="0">{escaped(chr(10).join(mistake.explanation))}</pre>' if mistake.explanation else ""
    )
    return (
        f'<details><summary><span class="error">{mistake.error:+.2f}</span> '
        f"{escaped(mistake.hypothesis) or '(empty)'}</summary>{fact_list(facts)}{why}</details>"
    )
