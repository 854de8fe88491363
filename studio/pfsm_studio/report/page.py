"""The page of a training: what was learned, how far to trust it, and the worst segments, explained.

Without the script all is there but the drawings of the explained segments.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm.data.groups import SEGMENT
from pfsm.errors import PfsmError
from pfsm.model.explain.explanation import Explanation
from pfsm.model.metric import Metric
from pfsm.runtime.charts import text as escaped
from pfsm_studio.explanation import FRAME_SCRIPTS, asset, page_data
from pfsm_studio.html_page import embedded, filled, html_page, joined
from pfsm_studio.report import sections
from pfsm_studio.report.learning_curve import learning_curve, segments_of
from pfsm_training.data.moments import mean_and_sd
from pfsm_training.fit.training import Training
from pfsm_training.trainer import one_torch_thread

# Of each kind: rated too high, rated too low, ordered the wrong way round.
SHOWN = 5
# More words than this on both sides together make neither a picture nor a quick page.
MOST_WORDS = 400
LABELS = ("segment_id", "system", "better_system", "worse_system", "source_lang", "document")


class _Case(NamedTuple):
    """A judgment or preference whose held-out prediction is wrong: its translations, each with its role."""

    title: str
    facts: Mapping[str, str]
    references: Sequence[str]
    translations: Sequence[tuple[str, str, Mapping[str, float]]]


def render_report(training: Training, doubts: Sequence[str] = ()) -> tuple[str, str]:
    """Return the page, and a sentence on what more data would add: see `pfsm_training.report.write_report`."""
    folds, model = training.folds, training.model
    segments = segments_of(training.judgments, training.preferences, folds.by if folds.asked else SEGMENT)
    noun, statistic = sections.noun_of(training), sections.statistic_of(training)
    with one_torch_thread():
        curve = learning_curve(training, segments)
        worst, explanations = _worst_segments(training)
    slots = {
        "title": escaped(f"Training of {model.name}"),
        "facts": sections.fact_list(_facts(training)),
        "doubts": "".join(f'<p class="doubt">{escaped(line)}</p>' for line in doubts),
        "learned": sections.learned(training, curve),
        "agreement": sections.agreement(training),
        "curve": sections.curve(curve, noun, statistic),
        "weights": sections.weights(model),
        "worst": worst,
    }
    style, script = asset("page.css") + asset("training.css"), joined(map(asset, FRAME_SCRIPTS))
    data = embedded(page_data([("model", explanations)]))
    page = html_page(slots["title"], style, script, filled(asset("training.html"), slots), data)
    return page, sections.hint(curve, noun, statistic)


def _facts(training: Training) -> dict[str, str]:
    record, choice = training.model.training, training.validated.choice
    chosen = " (by cross-validation)" if record["lambda_choice"] == "by cross-validation" else ""
    return {
        "Trained on": " and ".join(
            f"{record[kind]:,} {kind}" for kind in ("judgments", "preferences") if kind in record
        ),
        "Weights": f"{len(training.model.weights):,}",
        "Lambda": f"{choice.penalty:g}{f', mixture {choice.mixture:g}' if choice.mixture else ''}{chosen}",
        **({"Initial model": record["init"]["name"]} if "init" in record else {}),
        "Objective": record["objective"].replace("_", " "),
        "Converged": "yes" if record["converged"] else f"no, stopped after {record['iterations']} iterations",
        "Fingerprint": training.model.fingerprint,
    }


def _worst_segments(training: Training) -> tuple[str, list[Explanation]]:
    """The segments furthest from people in HTML, and the explanations that the script draws into them."""
    metric, explanations, articles = Metric(training.model, threads=1), [], ""
    for place, case in enumerate(_worst(training, metric.columns), 1):
        frames, shown = "", ""
        for role, line, numbers in case.translations:
            n = len(case.references)
            scores = metric.score_pairs(
                [line] * n, case.references, {name: [value] * n for name, value in numbers.items()} or None
            )
            best = case.references[int(np.argmax(scores))]
            # Both translations of a preference are shown with the reference of the better one.
            shown = shown or best
            mean = ""
            if n > 1 and metric.segment_references == "mean":
                mean = f" (mean score against {n} references {float(scores.mean()):.4g})"
            texts = "".join(
                f'<p class="source"><span class="side">{side}</span> <bdi>{escaped(words) or "(empty)"}</bdi></p>'
                for side, words in (("ref", shown), ("hyp", line))
            )
            marked, told = "", ""
            try:
                if len(line.split()) + len(best.split()) > MOST_WORDS:
                    raise PfsmError(f"the pair has more than {MOST_WORDS} words")
                explanations.append(metric.explain(line, best, numbers or None))
                marked = f' data-explanation="{len(explanations) - 1}"'
            except PfsmError as error:
                told = f'<p class="notice">No drawing: {escaped(str(error))}.</p>'
            head = f'<p class="role">{escaped(role + mean)}</p>' if role else ""
            frames += f'{head}<div class="frame"{marked}>{texts}{told}</div>'
        articles += (
            f'<article class="card" aria-labelledby="worst-{place}"><div class="card-head"><h3 id="worst-{place}">'
            f"{place}. {case.title}</h3>{sections.fact_list(case.facts)}</div>{frames}</article>"
        )
    return articles or '<p class="notice">There is no held-out prediction that is wrong.</p>', explanations


def _worst(training: Training, features: Sequence[str]) -> Iterator[_Case]:
    """The worst judgments, then the worst preferences; with the columns of the data that the model needs."""
    judgments, preferences, held_out = training.judgments, training.preferences, training.validated.held_out
    if held_out is None:
        return
    if judgments is not None:
        errors = (held_out.scores - training.data.scores) / mean_and_sd(
            training.data.scores, training.data.weights
        )[1]
        columns = {name: judgments.numbers(name) for name in features}
        for title, values in (("Rated too high", errors), ("Rated too low", -errors)):
            for at in _largest(values):
                facts = {
                    "Error": f"{errors[at]:+.2f} sd",
                    "Human score": f"{judgments.scores[at]:.6g}",
                    "Held-out prediction": f"{held_out.scores[at]:.4g}",
                }
                numbers = {name: float(column[at]) for name, column in columns.items()}
                translations = [("", judgments.hypotheses[at], numbers)]
                facts = _labels(judgments.columns, at) | facts
                yield _Case(title, facts, judgments.all_references[at], translations)
    if preferences is not None:
        margins = held_out.better - held_out.worse
        both = {name: preferences.numbers(name) for name in features}
        for at in _largest(np.where(preferences.votes > 0.0, -margins, np.nan)):
            facts = {"Held-out margin": f"{margins[at]:+.4g}", "Votes": f"{preferences.votes[at]:g}"}
            roles = (
                ("Better, people say", preferences.better[at]),
                ("Worse, people say", preferences.worse[at]),
            )
            translations = [
                (role, line, {name: float(pair[place][at]) for name, pair in both.items()})
                for place, (role, line) in enumerate(roles)
            ]
            facts = _labels(preferences.columns, at) | facts
            yield _Case("Ordered the wrong way round", facts, preferences.all_references[at], translations)


def _largest(values: NDArray[np.float64]) -> list[int]:
    """The largest values above 0, by number; equal ones in the order of the data."""
    order = np.argsort(-np.where(np.isfinite(values), values, -np.inf), kind="stable")[:SHOWN]
    return [at for at in order.tolist() if values[at] > 0.0]


def _labels(columns: Mapping[str, Sequence[str]], at: int) -> dict[str, str]:
    return {name: columns[name][at] for name in LABELS if name in columns}
