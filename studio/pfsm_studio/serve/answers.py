"""Answers to checked requests: the documents that the command line prints, to the last digit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from msgspec import UNSET

from pfsm.arrays import Float
from pfsm.data.segments import others, rows_with_references
from pfsm.errors import PfsmError
from pfsm.evaluation import Comparison, compare_systems
from pfsm.evaluation.comparison import comparison_document, interval_entry
from pfsm.metrics.inputs import (
    as_streams,
    best_numbers,
    best_of_references,
    flat_pairs,
    mean_of_references,
    number_by_segment,
)
from pfsm.model.explain.explanation import Explanation, explanation_document
from pfsm.model.metric import Metric
from pfsm.model.settings import MEAN
from pfsm.text.language_names import doubt_of_english
from pfsm.text.mismatch import mismatches
from pfsm.text.scripts import REFUSED, lines_without_spaces
from pfsm_studio.explanation import render_page
from pfsm_studio.serve.batching import Batcher, FaultyPairError, cost, portion_end
from pfsm_studio.serve.limits import RequestError, invalid
from pfsm_studio.serve.model_pool import LoadedModel
from pfsm_studio.serve.requests import CompareRequest, ExplainRequest, References, ScoreRequest, pointer

# Explanations are asked for in portions, so that a thread is free again soon.
EXPLAINED_AT_ONCE, MOST_CELLS = 20, 500_000
# Characters of references that are looked at without a thread.
LOOKED_AT_ONCE = 20_000


async def scores(
    batcher: Batcher,
    loaded: LoadedModel,
    hypotheses: Sequence[str],
    references: References,
    deadline: float,
    where: str = "hypotheses",
) -> Float:
    """Scores of segments, float64 [n_segments], as `Metric.score_segments` gives them.

    Raises:
        RequestError: If a pair cannot be scored, or not in time; ``where`` is the pointer to the hypotheses.
    """
    repeated, flat, starts = flat_pairs(hypotheses, references)
    try:
        found = await batcher.score(loaded, repeated, flat, deadline)
    except FaultyPairError as error:
        segment = int(np.searchsorted(starts, error.place, side="right")) - 1
        raise invalid(f"/{where}/{segment}", error.message) from None
    over = mean_of_references if loaded.model.settings.references == MEAN else best_of_references
    return over(lambda *_: found, hypotheses, references)


def check_text(loaded: LoadedModel, references: References, force: bool) -> list[str]:
    """Refuses text that the model cannot take apart into words, and doubts text in another language.

    Returns:
        Warnings: one if the model is for English and the text does not look it; none with ``force``.

    Raises:
        RequestError: If at least a quarter of the references are in a script without spaces between words, and the
            model finds words between spaces alone.
    """
    metric = loaded.metric  # made ready here, in a thread, if it was not
    if force:
        return []
    if metric.needs_spaces:
        check_spaces(loaded.name, *lines_without_spaces(chain.from_iterable(references)), "/references")
    return doubts(loaded, chain.from_iterable(references))


def check_spaces(name: str, found: int, seen: int, field: str | None = None) -> None:
    """Refuses text for a model that finds words between spaces.

    Args:
        name: The model.
        found: Lines in a script without spaces.
        seen: All lines.
        field: Where they stand in the request.

    Raises:
        RequestError: If a quarter of the lines or more are of the former.
    """
    if seen and found >= REFUSED * seen:
        told = (
            f"model {name} finds words between spaces, but {found} of {seen} lines are in a script without them; "
            "choose another model (any is for every language), or say force"
        )
        raise RequestError(422, told, field)


def doubts(loaded: LoadedModel, lines: Iterable[str]) -> list[str]:
    """One warning if the model is for English and the text does not look it, else none."""
    doubt = doubt_of_english(loaded.name, loaded.metric.language, lines)
    return [f"{doubt}; choose another model (any is for every language)"] if doubt else []


async def _checked_text(
    batcher: Batcher,
    loaded: LoadedModel,
    references: References,
    force: bool,
    outputs: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, list[str]]:
    """``warnings`` for the answer, if any; looked for in a thread where that takes long: a short look need not wait."""

    def look() -> list[str]:
        found = check_text(loaded, references, force)
        return [*found, *mismatches(outputs, as_streams(references))] if outputs and not force else found

    size = sum(map(len, chain.from_iterable(references))) * max(1, len(outputs or ()))
    found = look() if loaded.ready and size <= LOOKED_AT_ONCE else await batcher.run(look)
    return {"warnings": found} if found else {}


async def score(
    batcher: Batcher, loaded: LoadedModel, asked: ScoreRequest, deadline: float
) -> dict[str, Any]:
    """What ``pfsm score --sentence-level --format json`` prints of a system's output.

    Raises:
        RequestError: If a pair cannot be scored, or not in time.
    """
    references, kept, left_out = _given(asked)
    hypotheses = [asked.hypotheses[segment] for segment in kept]
    warned = await _checked_text(batcher, loaded, references, asked.force, {"hypotheses": hypotheses})
    found = await scores(batcher, loaded, hypotheses, references, deadline)
    nrefs = number_by_segment(references)
    named = loaded.named(nrefs)
    document: dict[str, Any] = {
        "name": named["name"],
        "score": float(found.mean()),
        "signature": named["signature"],
        "short_signature": named["short_signature"],
        "segments": found.size,
    }
    if asked.confidence:
        work = partial(compare_systems, ["it"], [found], asked.resamples)
        comparison = await batcher.run_long(work, deadline)
        document |= {
            "interval": interval_entry(comparison.systems[0].interval),
            "resamples": asked.resamples,
            "seed": comparison.seed,
        }
    document["segment_signature"] = named["segment_signature"]
    document["segment_scores"] = found.tolist()
    return document | left_out | warned


def _given(asked: ScoreRequest | CompareRequest) -> tuple[References, Sequence[int], dict[str, Any]]:
    """References of the segments to score, the numbers of these from 0, and what the answer says of the others."""
    references = asked.all_references
    if not asked.skip_missing_references:
        return references, range(len(references)), {}
    try:
        kept = rows_with_references(references, "the request")
    except PfsmError as error:
        raise invalid("/references", str(error)) from None
    left_out = others(kept, len(references))
    return [references[row] for row in kept], kept, {"segments_left_out": left_out} if left_out else {}


async def compare(
    batcher: Batcher, loaded: LoadedModel, asked: CompareRequest, deadline: float
) -> dict[str, Any]:
    """What ``pfsm compare --format json`` prints; with scores of segments by system where they are wanted.

    Raises:
        RequestError: If a pair cannot be scored, or not in time.
    """
    references, kept, left_out = _given(asked)
    outputs = {system.name: [system.hypotheses[segment] for segment in kept] for system in asked.systems}
    warned = await _checked_text(batcher, loaded, references, asked.force, outputs)
    found = [
        await scores(batcher, loaded, lines, references, deadline, f"systems/{place}/hypotheses")
        for place, lines in enumerate(outputs.values())
    ]
    seed = None if asked.seed is UNSET else asked.seed
    work = partial(compare_systems, list(outputs), found, n_resamples=asked.resamples, seed=seed)
    result: Comparison = await batcher.run_long(work, deadline)
    named = loaded.named(number_by_segment(references))
    document = comparison_document(result, named["name"], named["signature"], named["short_signature"])
    if asked.segments:
        document["segment_scores"] = [
            {"name": name, "scores": own.tolist()} for name, own in zip(outputs, found, strict=True)
        ]
    return document | left_out | warned


async def explain(
    batcher: Batcher, loaded: LoadedModel, asked: ExplainRequest, deadline: float, *, page: bool
) -> dict[str, Any] | str:
    """What ``pfsm explain --format json`` prints, or the page that ``--html`` writes.

    Raises:
        RequestError: If a pair cannot be explained, or not in time.
    """
    references, start = asked.all_references, asked.first_segment
    warned = await _checked_text(batcher, loaded, references, asked.force)
    explained: list[Explanation] = []
    means: list[float | None] = []
    costs = [
        sum(cost(line, one) for one in several)
        for line, several in zip(asked.hypotheses, references, strict=True)
    ]
    while len(explained) < len(costs):
        first = len(explained)
        part = slice(first, portion_end(costs, first, EXPLAINED_AT_ONCE, MOST_CELLS))
        work = partial(_explained, loaded.metric, asked.hypotheses[part], references[part], first)
        own, own_means = await batcher.run_long(work, deadline)
        explained += own
        means += own_means
    named = loaded.named(number_by_segment(references))
    if page:
        signature = f"{named['name']}|{named['segment_signature']}"
        numbers = range(start, start + len(explained))
        systems = [("translations", explained)]
        title = f"Explanations by {loaded.name}"
        return await batcher.run_long(partial(render_page, systems, title, signature, numbers), deadline)
    return {
        "name": named["name"],
        "signature": named["segment_signature"],
        "short_signature": named["short_signature"],
        "segments_counted_from": 0,
        **warned,
        "segments": [
            {"segment": place, **explanation_document(one, mean)}
            for place, (one, mean) in enumerate(zip(explained, means, strict=True), start - 1)
        ],
    }


def _explained(
    metric: Metric, hypotheses: Sequence[str], references: References, first: int
) -> tuple[list[Explanation], list[float | None]]:
    """Explanations of segments against the reference with the best score; and scores that are means over references."""
    best = best_numbers(metric.score_pairs, hypotheses, references)
    chosen = [several[number] for several, number in zip(references, best, strict=True)]
    found: list[Explanation] = []
    means: list[float | None] = []
    try:
        for place, explanation in enumerate(metric.explanations(hypotheses, chosen)):
            count = len(references[place])
            mean = None
            if count > 1 and metric.segment_references == MEAN:
                mean = float(metric.score_segments([hypotheses[place]], [references[place]])[0])
            told = "" if mean is None else f"; mean score of all references {mean:.4f}"
            counted = f"{best[place] + 1} of {count}{told}" if count > 1 else ""
            found.append(replace(explanation, counted=counted))
            means.append(mean)
    except PfsmError as error:
        raise invalid(pointer("hypotheses", first + len(found)), str(error)) from None
    return metric.undone(found, hypotheses, chosen), means
