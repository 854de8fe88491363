"""The report of a training: one self-contained page.

It needs no network, and its content security policy admits nothing but its own style and script. Pictures are SVG in
the page; without the script all is there but the drawings of the explained segments. The same training gives the same
text.

It ends with the segments on which held-out predictions are furthest from people, with explanations of their scores.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from pfsm.data.groups import SEGMENT
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, atomic_write
from pfsm.io.html_page import embedded, filled, html_page, joined
from pfsm.model.explain.explanation import Explanation
from pfsm.model.explain.page import FRAME_SCRIPTS, asset, page_data
from pfsm.model.metric import Metric
from pfsm.runtime.charts import text as escaped
from pfsm_training.data.moments import mean_and_sd
from pfsm_training.fit.crossval import HeldOut
from pfsm_training.fit.training import Training
from pfsm_training.report import sections
from pfsm_training.report.learning_curve import LearningCurve, learning_curve, segments_of
from pfsm_training.report.sections import ErrorBin, error_tables, fact_list, source_texts
from pfsm_training.trainer import one_torch_thread

Float = NDArray[np.float64]

# Of each kind: rated too high, rated too low, ordered the wrong way round.
SHOWN = 5
# More words than this on both sides together make neither a picture nor a quick page.
MOST_WORDS = 400
LABELS = ("segment_id", "system", "source_lang", "document")
PAIR_LABELS = ("segment_id", "better_system", "worse_system", "source_lang")
READING = (
    "Chosen by the held-out error; explained by the final model, whose score is close to the held-out prediction "
    "but not the same. A line joins words that the best edit sequence aligns. Point at a word or a line, or move "
    "to it with the arrow keys, to see how probable each edit is and how many points it adds to the score."
)


def worst_segments(training: Training, errors: Float, margins: Float) -> tuple[str, list[Explanation]]:
    """The worst judgments, then the worst preferences, in HTML; and the explanations that the script draws.

    Args:
        training: The training.
        errors: float64 [n_scored], predicted minus human score in standard deviations; NaN where unknown.
        margins: float64 [n_preferences], predicted score of the better minus that of the worse translation.
    """
    cards = _Cards(Metric(training.model, threads=1))
    found = [*_judgments(training, errors, cards), *_preferences(training, margins, cards)]
    if not found:
        return '<p class="notice">There is no held-out prediction that is wrong.</p>', []
    noscript = '<noscript><p class="notice">The drawings need JavaScript; the texts and numbers do not.</p></noscript>'
    articles = "".join(
        f'<article class="card" aria-labelledby="worst-{place}"><div class="card-head"><h3 id="worst-{place}">'
        f"{place}. {title}</h3>{facts}</div>{frames}</article>"
        for place, (title, facts, frames) in enumerate(found, 1)
    )
    return f'<p class="reading">{escaped(READING)}</p>{noscript}{articles}', cards.explanations


@dataclass(frozen=True)
class _Cards:
    """Makes cards, and collects the explanations that are drawn on them."""

    metric: Metric
    explanations: list[Explanation] = field(default_factory=list)

    def reference_of(
        self, hypothesis: str, references: Sequence[str], columns: Mapping[str, float]
    ) -> tuple[str, str]:
        """The reference that counts, the one with the highest score; and what to say where the mean counts."""
        several = {name: [value] * len(references) for name, value in columns.items()}
        scores = self.metric.score_pairs(
            [hypothesis] * len(references), references, several if self.metric.columns else None
        )
        # The explanation is that of one score among those that the mean is over.
        told = len(references) > 1 and self.metric.segment_references == "mean"
        mean = (
            f" (mean score against {len(references)} references {float(scores.mean()):.4g})" if told else ""
        )
        return references[int(np.argmax(scores))], mean

    def frame(self, shown: str, hypothesis: str, reference: str, columns: Mapping[str, float]) -> str:
        """The two texts, in whose place the script draws the explanation of the score, if there is one.

        Args:
            shown: The reference that is shown.
            hypothesis: The translation.
            reference: The reference of the explanation.
            columns: Numbers of the translation.
        """
        texts = source_texts(shown, [("hyp", hypothesis)])
        try:
            if len(hypothesis.split()) + len(reference.split()) > MOST_WORDS:
                raise PfsmError(f"the pair has more than {MOST_WORDS} words")
            self.explanations.append(
                self.metric.explain(hypothesis, reference, columns if self.metric.columns else None)
            )
        except PfsmError as error:
            return f'<div class="frame">{texts}<p class="notice">No drawing: {escaped(str(error))}.</p></div>'
        return f'<div class="frame" data-explanation="{len(self.explanations) - 1}">{texts}</div>'


def _largest(values: Float) -> list[int]:
    """The largest values above 0, by number; equal ones in the order of the data."""
    order = np.argsort(-np.where(np.isfinite(values), values, -np.inf), kind="stable")[:SHOWN]
    return [at for at in order.tolist() if values[at] > 0.0]


def _labels(columns: Mapping[str, Sequence[str]], names: Sequence[str], at: int) -> dict[str, str]:
    return {name: columns[name][at] for name in names if name in columns}


def _judgments(training: Training, errors: Float, cards: _Cards) -> Iterator[tuple[str, str, str]]:
    """Title, facts and frames of each card."""
    judgments, held_out = training.judgments, training.validated.held_out
    if judgments is None or held_out is None:
        return
    references = judgments.all_references
    columns = {name: judgments.numbers(name) for name in cards.metric.columns}
    for title, values in (("Rated too high", errors), ("Rated too low", -errors)):
        for at in _largest(values):
            facts = {
                **_labels(judgments.columns, LABELS, at),
                "Error": f"{errors[at]:+.2f} sd",
                "Human score": f"{judgments.scores[at]:.6g}",
                "Held-out prediction": f"{held_out.scores[at]:.4g}",
            }
            numbers = {name: float(column[at]) for name, column in columns.items()}
            hypothesis = judgments.hypotheses[at]
            reference, _ = cards.reference_of(hypothesis, references[at], numbers)
            yield title, fact_list(facts), cards.frame(reference, hypothesis, reference, numbers)


def _preferences(training: Training, margins: Float, cards: _Cards) -> Iterator[tuple[str, str, str]]:
    """As `_judgments`, with a frame for each translation; both show the reference of the better one."""
    preferences = training.preferences
    if preferences is None:
        return
    references = preferences.all_references
    columns = {name: preferences.numbers(name) for name in cards.metric.columns}
    for at in _largest(np.where(preferences.votes > 0.0, -margins, np.nan)):
        facts = {
            **_labels(preferences.columns, PAIR_LABELS, at),
            "Held-out margin": f"{margins[at]:+.4g}",
            "Votes": f"{preferences.votes[at]:g}",
        }
        frames, shown = "", ""
        told = (("Better, people say", preferences.better[at]), ("Worse, people say", preferences.worse[at]))
        for place, (role, text) in enumerate(told):
            numbers = {name: float(both[place][at]) for name, both in columns.items()}
            reference, mean = cards.reference_of(text, references[at], numbers)
            shown = shown if place else reference
            frames += f'<p class="role">{escaped(role + mean)}</p>'
            frames += cards.frame(shown, text, reference, numbers)
        yield "Ordered the wrong way round", fact_list(facts), frames


Rows = NDArray[np.int64]


def write_report(training: Training, path: StrPath, doubts: Sequence[str] = ()) -> list[str]:
    """Works out the report of a training and writes it as one self-contained page.

    It takes about as long as the training and its cross-validation. The same training gives the same bytes, whatever
    the threads.

    Args:
        training: As `pfsm_training.train` gives it to ``after``.
        path: Where to write the page.
        doubts: Sentences on what is uncertain about the training, to stand at the top.

    Returns:
        Sentences on what more data would add; none where that cannot be said.

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
    return sections.hints(curve, sections.noun_of(training), sections.statistic_of(training))


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
    worst, explanations = worst_segments(training, errors, margins)
    slots = {
        "title": escaped(f"Training of {model.name}"),
        "facts": _facts(training),
        "doubts": "".join(f'<p class="doubt">{escaped(line)}</p>' for line in doubts),
        "learned": sections.learned(training, curve),
        "agreement": sections.agreement(training),
        "curve": sections.curve(curve, sections.noun_of(training), sections.statistic_of(training)),
        "weights": sections.weights(model),
        "residuals": _residuals(training, errors, margins, segments),
        "worst": worst,
    }
    data = embedded(page_data([("model", explanations)]))
    return html_page(slots["title"], style, script, filled(_own("training.html"), slots), data)


def _residuals(training: Training, errors: Float, margins: Float, segments: Rows) -> str:
    judgments, preferences = training.judgments, training.preferences
    found: list[tuple[str, str, list[ErrorBin]]] = []
    if judgments is not None:
        weights = np.ones(errors.size) if training.data.weights is None else training.data.weights
        tables = error_tables(errors, weights, segments[: errors.size], judgments)
        found += [("judgments", by, bins) for by, bins in tables.items()]
    if preferences is not None:
        wrong = np.where(np.isfinite(margins), np.where(margins > 0.0, 0.0, 1.0), np.nan)
        last = segments[segments.size - margins.size :]
        tables = error_tables(wrong, preferences.votes, last, preferences)
        found += [("preferences", by, bins) for by, bins in tables.items()]
    return sections.residuals(found)


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
