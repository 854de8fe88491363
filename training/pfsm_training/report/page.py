"""The report of a training: one self-contained page.

It needs no network, and its content security policy admits nothing but its own style and script. Pictures are SVG in
the page; without the script all is there but the drawings of the explained segments. The same training gives the same
text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from pfsm.data.groups import SEGMENT
from pfsm.io.files import StrPath, atomic_write
from pfsm.io.html_page import embedded, filled, html_page, joined
from pfsm.model.explain.explanation import Explanation
from pfsm.model.explain.page import FRAME_SCRIPTS, asset, page_data
from pfsm.runtime.charts import text as escaped
from pfsm_training.data.moments import mean_and_sd
from pfsm_training.fit.crossval import HeldOut
from pfsm_training.fit.training import Training
from pfsm_training.report import sections
from pfsm_training.report.charts import table
from pfsm_training.report.learning_curve import LearningCurve, learning_curve, segments_of
from pfsm_training.report.residuals import Errors, ErrorTable, error_tables
from pfsm_training.report.worst import Translation, WorstSegment, worst_segments
from pfsm_training.trainer import one_torch_thread

Float = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class TrainingReport:
    """What a report found, for the log.

    Attributes:
        hints: Sentences on what more data would add; none where that cannot be said.
    """

    hints: tuple[str, ...]


def write_report(training: Training, path: StrPath, doubts: Sequence[str] = ()) -> TrainingReport:
    """Works out the report of a training and writes it as one self-contained page.

    It takes about as long as the training and its cross-validation. The same training gives the same bytes, whatever
    the threads.

    Args:
        training: As `pfsm_training.train` gives it to ``after``.
        path: Where to write the page.
        doubts: Sentences on what is uncertain about the training, to stand at the top.

    Raises:
        PfsmError: If the page cannot be written.
    """
    folds = training.folds
    segments = segments_of(training.judgments, training.preferences, folds.by if folds.asked else SEGMENT)
    with one_torch_thread():
        curve = learning_curve(training, segments)
        text = _page(training, curve, segments, doubts)
    with atomic_write(path) as handle:
        handle.write(text)
    return TrainingReport(
        tuple(sections.hints(curve, sections.noun_of(training), sections.statistic_of(training)))
    )


def _page(training: Training, curve: LearningCurve | str, segments: Rows, doubts: Sequence[str]) -> str:
    model = training.model
    script = joined(map(asset, FRAME_SCRIPTS))
    style = asset("page.css") + _own("training.css")
    held_out = training.validated.held_out
    if held_out is None:
        held_out = HeldOut.unknown(training.data.scores.size, training.data.votes.size)
    scores, weights = training.data.scores, training.data.weights
    errors, margins = (
        (held_out.scores - scores) / mean_and_sd(scores, weights)[1],
        held_out.better - held_out.worse,
    )
    explanations: list[Explanation] = []
    slots = {
        "title": escaped(f"Training of {model.name}"),
        "facts": _facts(training),
        "doubts": "".join(f'<p class="doubt">{escaped(line)}</p>' for line in doubts),
        "learned": sections.learned(training, curve),
        "agreement": sections.agreement(training),
        "curve": sections.curve(curve, sections.noun_of(training), sections.statistic_of(training)),
        "weights": sections.weights(model),
        "residuals": _residuals(training, errors, margins, segments),
        "worst": _worst(worst_segments(training, errors, margins), explanations),
        "record": _record(training),
    }
    data = embedded(page_data([("model", explanations)]))
    return html_page(slots["title"], style, script, filled(_own("training.html"), slots), data)


def _residuals(training: Training, errors: Float, margins: Float, segments: Rows) -> str:
    judgments, preferences = training.judgments, training.preferences
    of_judgments: list[ErrorTable] = []
    of_preferences: list[ErrorTable] = []
    if judgments is not None:
        weights = np.ones(errors.size) if training.data.weights is None else training.data.weights
        of_judgments = error_tables(
            Errors(errors, weights, segments[: errors.size], judgments.references, judgments.columns)
        )
    if preferences is not None:
        wrong = np.where(np.isfinite(margins), np.where(margins > 0.0, 0.0, 1.0), np.nan)
        last = segments[segments.size - margins.size :]
        of_preferences = error_tables(
            Errors(wrong, preferences.votes, last, preferences.references, preferences.columns)
        )
    return sections.residuals(of_judgments, of_preferences)


def _own(name: str) -> str:
    """A file of this page."""
    return (files("pfsm_training") / "page" / name).read_bytes().decode("utf-8")


def _facts(training: Training) -> str:
    record = training.model.training
    choice = training.validated.choice
    chosen = " (by cross-validation)" if record["lambda_choice"] == "by cross-validation" else ""
    counted = [f"{record[kind]:,} {kind}" for kind in ("judgments", "preferences") if kind in record]
    facts = {
        "Trained on": " and ".join(counted),
        "Weights": f"{len(training.model.weights):,}",
        "Lambda": f"{choice.penalty:g}{chosen}",
        **({"Mixture": f"{choice.mixture:g}"} if choice.mixture else {}),
        **({"Initial model": record["init"]["name"]} if "init" in record else {}),
        "Objective": record["objective"].replace("_", " "),
        "Converged": "yes" if record["converged"] else f"no, stopped after {record['iterations']} iterations",
        "Fingerprint": training.model.fingerprint,
    }
    return sections.fact_list(facts)


def _record(training: Training) -> str:
    sources = [
        source
        for part in (training.judgments, training.preferences)
        if part is not None
        for source in part.sources
    ]
    rows = [[escaped(one.name), f"{one.rows:,}", f"<code>{escaped(one.checksum)}</code>"] for one in sources]
    return table(("file", "rows", "SHA-256 of the content"), rows, "Data files")


def _worst(worst: Sequence[WorstSegment], explanations: list[Explanation]) -> str:
    """The worst segments; their explanations are appended to the list that the script reads."""
    if not worst:
        return '<p class="notice">There is no held-out prediction that is wrong.</p>'
    text = (
        "Chosen by the held-out error; explained by the final model, whose score is close to the held-out prediction "
        "but not the same. A line joins words that the best edit sequence aligns. Point at a word or a line, or move "
        "to it with the arrow keys, to see how probable each edit is and how many points it adds to the score."
    )
    cards = "".join(_card(place, one, explanations) for place, one in enumerate(worst, 1))
    noscript = '<noscript><p class="notice">The drawings need JavaScript; the texts and numbers do not.</p></noscript>'
    return f'<p class="reading">{escaped(text)}</p>{noscript}{cards}'


def _card(place: int, one: WorstSegment, explanations: list[Explanation]) -> str:
    facts = sections.fact_list({**dict(one.labels), **dict(one.facts)})
    title = f"{place}. {_KINDS[one.kind]}"
    frames = "".join(_frames(one, explanations))
    return (
        f'<article class="card" aria-labelledby="worst-{place}"><div class="card-head"><h3 id="worst-{place}">'
        f"{escaped(title)}</h3>{facts}</div>{frames}</article>"
    )


_KINDS = {
    "too high": "Rated too high",
    "too low": "Rated too low",
    "wrong way round": "Ordered the wrong way round",
}


def _frames(one: WorstSegment, explanations: list[Explanation]) -> Iterator[str]:
    for translation in one.translations:
        if len(one.translations) > 1:
            yield f'<p class="role">{escaped(translation.role)}</p>'
        yield _frame(one.reference, translation, explanations)


def _frame(reference: str, translation: Translation, explanations: list[Explanation]) -> str:
    """The two texts, in whose place the script draws the explanation, if there is one."""
    texts = sections.source_texts(reference, [("hyp", translation.text)])
    if translation.explanation is None:
        return f'<div class="frame">{texts}<p class="notice">No drawing: {escaped(translation.missing)}.</p></div>'
    explanations.append(translation.explanation)
    return f'<div class="frame" data-explanation="{len(explanations) - 1}">{texts}</div>'
