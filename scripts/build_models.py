"""Builds the shipped models in pfsm/resources/models, with their cards, from the data folder named by PFSM_DATA.

    python scripts/build_models.py [NAME …]

The settings of a model are in configs/models/NAME.yaml, its training sets in recipes.yaml. Lambda is chosen by
cross-validation over source languages, over target languages if there are several, or over segments. The scale is
set on the training references. The same versions of the packages on the same kind of machine give the same bytes.
"""

import argparse
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from real_data import CHECKOUT, data_folder, explained, refuse, rows_of

from pfsm.data import Judgments, read_judgments
from pfsm.data.minimal_pairs import SEVERITIES, MinimalPairs, shipped_minimal_pairs
from pfsm.data.reference_digests import digests
from pfsm.data.table import read_table
from pfsm.encoder.heads import Head, head_from_bytes, known_head
from pfsm.encoder.names import labels_in
from pfsm.errors import PfsmError
from pfsm.evaluation import default_seed
from pfsm.evaluation.probe import ALL, KindResult, ProbeResult, probe
from pfsm.io.files import atomic_write
from pfsm.lattice.names import sentence_feature
from pfsm.model.explain.errors import marker_of
from pfsm.model.file import Model, load_model, save_model
from pfsm.model.metric import Metric
from pfsm.perturbation.catalogue import all_kinds, kinds_for
from pfsm.perturbation.pairs import minimal_pairs, perturb, translations_of
from pfsm_training import read_config, train
from pfsm_training.fit.anchor import combined, relative

MATCHES = ("S_word", "S_punct", "S_num")
# Of the words that both sides have, the share that a model has to match.
LEAST = 0.6
SHIPPED = CHECKOUT / "pfsm" / "resources" / "models"
LARGE = CHECKOUT / "encoders" / "large" / "pfsm_encoder_large" / "models"
# Over how many pairs the deviations of edits and head are computed.
PAIRS = 2000
PER_KIND, SEED = 100, 12345
# Of good translations that are changed for a card: language, what they are, file, what of it, and the column of scores,
# by which the best tenth of hypotheses is taken.
TEXTS = (
    ("en", "references of WMT19 lt-en", "wmt19-darr/lt-en-test.tsv.gz", "reference", "score"),
    ("en", "the best translations of WMT21 ru-en", "wmt21-da/ru-en-test.tsv.gz", "hypothesis", "da_z"),
    ("de", "references of MLQE-PE en-de, test part", "mlqe-pe/en-de-test.tsv.gz", "reference", "score"),
)

# Share of the pairs of a contrast test below which the model is said not to notice the error.
SELDOM = 0.5
LIMITS = (
    "Each model has its own scale: compare translations by the scores of one model.",
    "A single segment's score is uncertain; means over a few hundred segments tell systems apart (`pfsm compare`).",
    "It may judge other texts and systems than those named above less well (`pfsm train --init` adapts it).",
)
CHANGED = (
    "How often the changed text scores lower, by kind (`pfsm data perturb`, then `pfsm probe`). The texts are "
    "not among the training data. Harmless changes should cost little: for each, the mean loss as a share of the "
    "median loss of a critical error."
)


@dataclass(frozen=True)
class Sets:
    """Judgments: patterns of files inside the data folder, and the column of their scores."""

    files: tuple[str, ...] = ()
    column: str = "score"


@dataclass(frozen=True)
class Beside:
    """A head that `scripts/distil.py` learned, beside edits.

    Attributes:
        edits: Whose settings and training data the edits have.
        source: The encoder.
        share: What the head counts.
        learned: From what it was learned, in words.
        files: The judgments among it.
    """

    edits: str
    source: str
    share: float
    learned: str
    files: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Recipe(Sets):
    """The training data of a model's edits, the texts of its card, and what is beside the edits.

    Attributes:
        sets: The training sets in words, for the record and the card.
        uses: Intended use.
        weak: Weaknesses, in addition to those of all models.
        needs: What has to be installed in addition to the package; empty if nothing.
        languages: If there are several target languages, the training sets of each instead of ``files``.
        encoder: The head beside the edits; None: there is none.
        at_least: What sentence-level features of the edits weigh at least.
    """

    sets: str
    uses: str
    weak: tuple[str, ...] = ()
    needs: str = ""
    languages: dict[str, Sets] = field(default_factory=dict)
    encoder: Beside | None = None
    at_least: dict[str, float] = field(default_factory=dict)


RECIPES = msgspec.convert(
    msgspec.yaml.decode(Path(__file__).with_name("recipes.yaml").read_bytes())["models"], dict[str, Recipe]
)


def main() -> None:
    """Builds the models and their cards, or with --cards the cards alone."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(RECIPES)} (default: all)")
    parser.add_argument("--heads", type=Path, help="folder with NAME.safetensors of `scripts/distil.py`")
    parser.add_argument("--output", type=Path, help="a folder (default: where each belongs)")
    parser.add_argument(
        "--cards", action="store_true", help="write only the cards, of the models already built"
    )
    options = parser.parse_args()
    if unknown := set(options.names) - set(RECIPES):
        refuse(f"no model is called {', '.join(sorted(unknown))}; known are {', '.join(RECIPES)}")
    for name in options.names or RECIPES:
        output = options.output or (LARGE if name == "en-large" else SHIPPED)
        if not options.cards:
            save_model(built(name, data_folder(), output, options.heads), output / f"{name}.json")
        write_card(name, output)


def built(name: str, data: Path, output: Path, heads: Path | None) -> Model:
    """A model, trained and scaled; its head is that in ``heads``, or else the one that the model has now."""
    recipe, beside = RECIPES[name], RECIPES[name].encoder
    if recipe.languages:
        judgments = Judgments.join([of_language(one, sets, data) for one, sets in recipe.languages.items()])
    else:
        judgments = read(recipe, data)
    config = read_config(CHECKOUT / "configs" / "models" / f"{beside.edits if beside else name}.yaml")
    model = train(judgments, config=config, name=name, licence="Apache-2.0", score_column=recipe.column)
    # The name of a file (cs-en-test.tsv.gz) does not identify its set.
    texts = {"sets": recipe.sets, "uses": recipe.uses, "needs": recipe.needs}
    texts["languages"] = ", ".join(recipe.languages)
    training = {**{key: text for key, text in texts.items() if text}, **model.training}
    if recipe.at_least:
        least = {sentence_feature(one): weight for one, weight in recipe.at_least.items()}
        raised = {one: max(model.weights[one], weight) for one, weight in least.items()}
        training["at_least"] = recipe.at_least
        model = replace(model, weights={**model.weights, **raised})
    model = relative(replace(model, training=training), judgments.references)
    check_matches(Metric(model), some_of(judgments))
    validated = model.training["cross_validated"]["pearson"]
    print(f"{name}: lambda {model.training['lambda']}, edits' cross-validated r {validated:.3f}", flush=True)
    if beside is None:
        return model
    hypotheses, references = zip(*some_of(judgments, PAIRS), strict=True)
    head = head_of(name, output, heads)
    model = combined(model, head, beside.source, beside.share, hypotheses, references)
    return replace(model, training=with_head(model.training, beside, data))


def head_of(name: str, output: Path, heads: Path | None) -> Head:
    """The head that a model is to have."""
    if heads is not None:
        path = heads / f"{name}.safetensors"
        return head_from_bytes(path.read_bytes(), str(path))
    (label,) = labels_in(load_model(output / f"{name}.json").settings.features)
    return known_head(label, name)


def with_head(training: Mapping[str, Any], beside: Beside, data: Path) -> dict[str, Any]:
    """The record of a training of edits, with what the head has seen; agreement in it is that of the edits."""
    files = [path for pattern in beside.files for path in data.glob(pattern)]
    references = {row["reference"] for path in files for row in rows_of(path)}
    of_edits = {key: training[key] for key in ("pearson", "pearson_interval", "cross_validated")}
    rest = {key: value for key, value in training.items() if key not in (*of_edits, "overfitting")}
    return {
        **rest,
        "reference_digests": digests(sorted(references)),
        "encoder": {**training["encoder"], "learned_from": beside.learned, "edits_alone": of_edits},
        "cross_validated": {},
    }


def read(sets: Sets, data: Path) -> Judgments:
    """The judgments of some files, without those of the same pair with the same score."""
    files = [path for pattern in sets.files for path in sorted(data.glob(pattern))]
    if not files:
        refuse(f"{data}: no file {' or '.join(sets.files)}")
    judgments = Judgments.join([read_judgments(path, score_column=sets.column) for path in files])
    facts = zip(judgments.references, judgments.hypotheses, judgments.scores.tolist(), strict=True)
    first: dict[tuple[str, str, float], int] = {}
    for row, fact in enumerate(facts):
        first.setdefault(fact, row)
    return judgments.select(np.array(list(first.values())))


def of_language(language: str, sets: Sets, data: Path) -> Judgments:
    """The judgments of one target language; folds go by it, under the name of the source language."""
    judgments = read(sets, data)
    scores = judgments.scores
    columns = {
        "segment_id": tuple(f"{language} {name}" for name in judgments.columns["segment_id"]),
        "source_lang": (language,) * len(judgments),
    }
    return replace(judgments, scores=(scores - scores.mean()) / scores.std(), columns=columns)


def write_card(name: str, folder: Path) -> None:
    """Writes the card of a model into the same folder."""
    model = load_model(folder / f"{name}.json")
    metric, language, seed = Metric(model), model.settings.language, default_seed()
    # Contrast tests are English; changed texts of the large model would take a quarter of an hour.
    result = probe(metric, shipped_minimal_pairs(), seed=seed) if language == "en" else None
    pairs = {} if name == "en-large" else changed_texts(language, data_folder())
    found = {about: probe(metric, own, seed=seed) for about, own in pairs.items()}
    with atomic_write(folder / f"{name}.md") as handle:
        handle.write(card(model, RECIPES[name].weak, result, found))


def changed_texts(language: str, data: Path) -> dict[str, MinimalPairs]:
    """Minimal pairs of all kinds for a language, by what was changed; empty where there are no texts."""
    found = {}
    for _, about, file, column, score_column in (texts for texts in TEXTS if texts[0] == language):
        table = read_table(data / file)
        translations = translations_of(table, column, top=0.1, score_column=score_column)
        pairs = perturb(translations, kinds_for(language), language=language, seed=SEED, per_kind=PER_KIND)
        found[about] = minimal_pairs(list(pairs), table.source)
    return found


def card(
    model: Model, weak: Sequence[str], result: ProbeResult | None, changed: Mapping[str, ProbeResult]
) -> str:
    """The card as Markdown."""
    lines = [*_head(model), *_agreement(model)]
    if result is not None:
        about = "How often the worse of two translations scores lower (`pfsm probe`)."
        lines += [
            "",
            "## Contrast tests",
            "",
            about,
            "",
            "| kind | pairs | worse is lower |",
            "|---|---|---|",
        ]
        lines += [f"| {kind.kind} | {kind.n} | {100 * kind.lower.value:.0f}% |" for kind in result.kinds]
        unnoticed = [kind.kind for kind in result.kinds if kind.lower.value < SELDOM]
        if unnoticed:
            rarely = (
                "More often than not it penalises these errors less than a harmless change of the same size"
            )
            weak = [f"{rarely}: {', '.join(unnoticed)}.", *weak]
    if changed:
        lines += ["", "## Changes made on purpose", "", CHANGED, "", *_changed(changed)]
    lines += ["", "## Where it is weak", "", *(f"- {text}" for text in (*weak, *LIMITS)), ""]
    return "\n".join(lines)


def _head(model: Model) -> Iterator[str]:
    settings, training = model.settings, model.training
    features = list(settings.features)
    yield from (f"# {model.name}", "", training["uses"], "")
    yield f"- Language of the translations: `{settings.language}`"
    yield f"- Knowledge: {', '.join(settings.matchers)}{'; split by word class' if settings.split else ''}"
    if features:
        yield f"- Sentence-level features: {', '.join(features)}"
    column = training["score_column"]
    yield f"- Learned from: {training['sets']}; {training['judgments']:,} judgments (column `{column}`)"
    beside = training.get("encoder")
    if beside:
        yield f"- Beside the edits, over the encoder `{beside['source']}`: a head that counts {beside['share']:g}"
        yield f"- The head has learned from: {beside['learned_from']}"
    if least := training.get("at_least"):
        rare = ", ".join(f"`{name}` {weight:g}" for name, weight in least.items())
        yield f"- Set to at least this, for grave faults that judgments hold too few of: {rare}"
    yield f"- Weights: {len(model.weights)}; lambda {training['lambda']:g}, {training['lambda_choice']}"
    if "needs" in training:
        yield f"- Needs: `{training['needs']}`"
    yield f"- Scale: {model.scale.note}"
    major = marker_of(training, features, model.name).major
    yield f"- Errors are major from {major:g} points on, as experts' marks say (`scripts/build_errors.py`)."
    yield f"- Licence of the weights: {model.licence}. The file contains no text of the data."
    heads = "; heads by `scripts/distil.py`" if beside else ""
    yield f"- Built by `scripts/build_models.py {model.name}` with `configs/models`{heads}"


def _agreement(model: Model) -> Iterator[str]:
    beside = model.training.get("encoder")
    training = beside["edits_alone"] if beside else model.training
    validated, folds = training["cross_validated"], training["cross_validated"]["folds"]
    yield from ("", "## Agreement with people", "")
    if beside:
        yield "Of the whole: `docs/results.md`. What follows is the edits alone.\n"
    by_language = validated["by"] == "source_lang"
    side = "target" if "languages" in model.training else "source"
    by = f"{side} languages" if by_language else f"folds of {validated['by']}"
    yield f"Pearson's r with the judgments, cross-validated over {by}: **{validated['pearson']:.3f}**"
    if isinstance(folds, dict) and by_language:
        yield "(" + ", ".join(f"{name} {value:.3f}" for name, value in folds.items()) + ")."
    yield f"On the training data: {training['pearson']:.3f}."


def _changed(changed: Mapping[str, ProbeResult]) -> Iterator[str]:
    """Accuracy by kind, and what harmless changes cost, for each set of changed texts."""
    yield "| kind | severity | " + " | ".join(changed) + " |"
    yield "|---|---|" + "---|" * len(changed)
    results = list(changed.values())
    by_name = [{kind.kind: kind for kind in result.kinds} for result in results]
    for kind in sorted({name for known in by_name for name in known} - {ALL}, key=list(all_kinds()).index):
        severity = next(known[kind].severity for known in by_name if kind in known)
        cells = [_cell(known.get(kind), result) for known, result in zip(by_name, results, strict=True)]
        yield f"| {kind} | {severity} | {' | '.join(cells)} |"
    yield f"| mean of kinds | | {' | '.join(f'**{100 * result.mean_of_kinds:.0f}%**' for result in results)} |"
    shares = [result.severity.harmless_share.value if result.severity else math.nan for result in results]
    shown = " | ".join("–" if math.isnan(share) else f"{share:.2f}" for share in shares)
    yield f"| harmless / critical, medians | | {shown} |"


def _cell(kind: KindResult | None, result: ProbeResult) -> str:
    if kind is None:
        return "–"
    if kind.severity != SEVERITIES[0]:
        return f"{100 * kind.lower.value:.0f}%"
    losses = {one.severity: one.median.value for one in result.severity.losses} if result.severity else {}
    critical = losses.get(SEVERITIES[-1], math.nan)
    return f"costs {kind.difference.value / critical:.2f}" if critical > 0.0 else "–"


def some_of(judgments: Judgments, number: int = 200) -> list[tuple[str, str]]:
    """About so many hypotheses and their references, from all over the judgments."""
    step = 1 + len(judgments) // number
    return list(zip(judgments.hypotheses[::step], judgments.references[::step], strict=True))


def check_matches(metric: Metric, pairs: Iterable[tuple[str, str]]) -> None:
    """Refuses a model whose best edits delete and insert words that could be matched."""
    share = matched_words(metric, pairs)
    if share < LEAST:
        raise PfsmError(
            f"{metric.model.name}: matches {share:.0%} of the words that both sides have, and deletes and inserts the "
            f"others; {LEAST:.0%} are wanted, so that explanations can be read"
        )


def matched_words(metric: Metric, pairs: Iterable[tuple[str, str]]) -> float:
    """Of the tokens that both sides have, case aside, the share that the best edits match; 1 where there are none."""
    matched = shared = 0
    for hypothesis, reference in pairs:
        explanation = metric.explain(hypothesis, reference)
        sides = (explanation.hypothesis, explanation.reference)
        ours, theirs = (Counter(token.lower() for token in side) for side in sides)
        shared += (ours & theirs).total()
        matched += sum(edit.state.startswith(MATCHES) for edit in explanation.edits)
    return matched / shared if shared else 1.0


if __name__ == "__main__":
    explained(main)
