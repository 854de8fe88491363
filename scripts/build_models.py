"""Builds the shipped models in pfsm/resources/models, with their cards, from the data folder named by PFSM_DATA.

    python scripts/build_models.py [NAME …]

The settings of a model are in configs/models/NAME.yaml, its training sets in `RECIPES`. Lambda is chosen by
cross-validation over source languages, over target languages if there are several, or over segments. The scale is
anchored on the training references. The same versions of the packages on the same kind of machine give the same bytes.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pfsm.data import Judgments, read_judgments
from pfsm.data.minimal_pairs import MinimalPairs, shipped_minimal_pairs
from pfsm.data.table import read_table
from pfsm.english.perturbation.kind import kinds_for
from pfsm.english.perturbation.pairs import minimal_pairs, perturb, translations_of
from pfsm.errors import PfsmError
from pfsm.evaluation import default_seed
from pfsm.evaluation.probe import ProbeResult, probe
from pfsm.io.files import atomic_write
from pfsm.model.file import Model, load_model, save_model
from pfsm.model.metric import Metric
from pfsm_training import read_config, train
from pfsm_training.fit.anchor import anchored

sys.path.insert(0, str(Path(__file__).resolve().parent))
from model_cards import card
from real_data import CHECKOUT, data_folder

MATCHES = ("S_word", "S_punct", "S_num")
# Of the words that both sides have, the share that a model has to match.
LEAST = 0.6


@dataclass(frozen=True)
class Recipe:
    """The training data of a model and the texts of its card.

    Attributes:
        sets: The training sets in words, for the record and the card.
        files: Patterns inside the data folder.
        column: Column of the scores.
        uses: Intended use.
        weak: Weaknesses, in addition to those of all models.
        needs: What has to be installed in addition to the package; empty if nothing.
        languages: If there are several target languages, the training sets of each instead of ``files``.
    """

    sets: str
    files: tuple[str, ...]
    column: str
    uses: str
    weak: tuple[str, ...] = ()
    needs: str = ""
    languages: tuple["Part", ...] = ()


@dataclass(frozen=True)
class Part:
    """The training sets of one target language, whose scores are standardised by themselves.

    Attributes:
        language: The target language, which cross-validation holds out.
        files: Patterns inside the data folder.
        column: Column of the scores.
        step: Every so many judgments are taken, from the first one on.
    """

    language: str
    files: tuple[str, ...]
    column: str
    step: int = 1


_ENGLISH = (
    "WMT15 and WMT16 segment-level direct assessment, into English",
    ("wmt15-daseg/*-en-*.tsv.gz", "wmt16-daseg/*-en-*.tsv.gz"),
    "score",
)
_ENGLISH_PART = Part("en", _ENGLISH[1], "score")
# More German judgments make the model worse in the other languages: see the card of `de`.
_GERMAN_PART = Part("de", ("mlqe-pe/en-de-train.tsv.gz",), "score", 21)
_SPANISH_PART = Part("es", ("iwslt19-enes/*.tsv.gz",), "da_z")
_RUSSIAN_PART = Part("ru", ("wmt16-daseg/en-ru-*.tsv.gz",), "score")
_OVERLAP = "Some of its learned paraphrases come from the texts of WMT15, so its cross-validation is a little too good."
RECIPES: Mapping[str, Recipe] = {
    "en-small": Recipe(
        *_ENGLISH,
        "English translations, where nothing but words, stems and punctuation shall count, or speed.",
        ("It treats a synonym as a wrong word.",),
    ),
    "en-fast": Recipe(
        *_ENGLISH,
        "English translations, where speed counts more than agreement with people.",
        (_OVERLAP,),
    ),
    # More judgments make it worse, though each campaign is standardised by itself: with every tenth direct assessment
    # of WMT21 (mostly of one rater) and every third judgment of experts beside WMT15, r of the encoder's part alone
    # falls from .720 to .675 on WMT16.
    "en": Recipe(
        *_ENGLISH,
        "English translations: the default.",
        (_OVERLAP, "It is some hundred times as slow as `en-fast` on new text."),
    ),
    "ru": Recipe(
        "WMT16 segment-level direct assessment, English-Russian",
        ("wmt16-daseg/en-ru-*.tsv.gz",),
        "score",
        "Russian translations.",
        ("It was trained on only 560 judgments of one source language.",),
    ),
    "de": Recipe(
        "direct assessment of English, Spanish and Russian translations (WMT15, WMT16, IWSLT 2019), read with German "
        "words and stems",
        (),
        "score",
        "German translations.",
        (
            "It has learned from judgments of other languages.",
            "Its r with 7,000 judgments of German translations is .191, that of a model cross-validated on them .189.",
        ),
        languages=(_ENGLISH_PART, _SPANISH_PART, _RUSSIAN_PART),
    ),
    "es": Recipe(
        "IWSLT 2019 English-Spanish direct assessment of talks, with independent references",
        ("iwslt19-enes/*.tsv.gz",),
        "da_z",
        "Spanish translations.",
        ("It was trained on talks only.",),
    ),
    "any": Recipe(
        "direct assessment of English, German, Spanish and Russian translations (WMT15, WMT16, IWSLT 2019, every 21st "
        "judgment of the MLQE-PE training part)",
        (),
        "score",
        "Translations into any language without a model of its own.",
        (
            "It knows no stems and no synonyms of any language.",
            "In scripts without spaces between words it compares characters, and it was trained on none of them.",
        ),
        languages=(_ENGLISH_PART, _GERMAN_PART, _SPANISH_PART, _RUSSIAN_PART),
    ),
}


PER_KIND = 100
SEED = 12345


@dataclass(frozen=True)
class Texts:
    """Good translations in the data folder.

    Attributes:
        about: What they are, for the card.
        file: Path inside the data folder.
        column: What is changed.
        score_column: Of hypotheses, the column of their scores; the best tenth is taken.
    """

    about: str
    file: str
    column: str = "reference"
    score_column: str = "score"


TEXTS: Mapping[str, tuple[Texts, ...]] = {
    "en": (
        Texts("references of WMT19 lt-en", "wmt19-darr/lt-en-test.tsv.gz"),
        Texts("the best translations of WMT21 ru-en", "wmt21-da/ru-en-test.tsv.gz", "hypothesis", "da_z"),
    ),
    "de": (Texts("references of MLQE-PE en-de, test part", "mlqe-pe/en-de-test.tsv.gz"),),
}
"""By language of the translations."""


def main() -> None:
    """Builds the models and their cards, or with --cards the cards alone."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(RECIPES)} (default: all)")
    parser.add_argument("--output", type=Path, default=CHECKOUT / "pfsm" / "resources" / "models")
    parser.add_argument(
        "--cards", action="store_true", help="write only the cards, of the models already built"
    )
    options = parser.parse_args()
    unknown = set(options.names) - set(RECIPES)
    if unknown:
        sys.exit(f"no model is called {', '.join(sorted(unknown))}; known are {', '.join(RECIPES)}")
    for name in options.names or RECIPES:
        if not options.cards:
            build(name, data_folder(), options.output)
        write_card(name, options.output)


def build(name: str, data: Path, output: Path) -> None:
    """Trains, anchors and writes one model."""
    recipe = RECIPES[name]
    if recipe.languages:
        judgments = Judgments.join([_part(part, data) for part in recipe.languages])
    else:
        judgments = _read(recipe.files, recipe.column, data)
    config = read_config(CHECKOUT / "configs" / "models" / f"{name}.yaml")
    model = train(judgments, config=config, name=name, licence="Apache-2.0", score_column=recipe.column)
    # The name of a file (cs-en-test.tsv.gz) does not identify its set.
    texts = {"sets": recipe.sets, "uses": recipe.uses, **({"needs": recipe.needs} if recipe.needs else {})}
    if recipe.languages:
        texts["languages"] = ", ".join(part.language for part in recipe.languages)
    model = replace(model, training={**texts, **model.training})
    model = anchored(model, judgments.references)
    check_matches(Metric(model), some_of(judgments))
    save_model(model, output / f"{name}.json")
    validated = model.training["cross_validated"]
    print(
        f"{name}: lambda {model.training['lambda']}, cross-validated r {validated['pearson']:.3f}", flush=True
    )


def _read(patterns: tuple[str, ...], column: str, data: Path) -> Judgments:
    files = [path for pattern in patterns for path in sorted(data.glob(pattern))]
    if not files:
        sys.exit(f"{data}: no file {' or '.join(patterns)}")
    return once(Judgments.join([read_judgments(path, score_column=column) for path in files]))


def _part(part: Part, data: Path) -> Judgments:
    """The judgments of one target language; folds go by it, under the name of the source language."""
    judgments = _read(part.files, part.column, data)
    judgments = judgments.select(np.arange(0, len(judgments), part.step))
    scores = judgments.scores
    segments = judgments.columns["segment_id"]
    columns = {
        "segment_id": tuple(f"{part.language} {name}" for name in segments),
        "source_lang": (part.language,) * len(judgments),
    }
    return replace(judgments, scores=(scores - scores.mean()) / scores.std(), columns=columns)


def write_card(name: str, folder: Path) -> None:
    """Writes the card of a model into the same folder."""
    model = load_model(folder / f"{name}.json")
    text = card(model, RECIPES[name].weak, probed(model), changed(model, data_folder()))
    with atomic_write(folder / f"{name}.md") as handle:
        handle.write(text)


def once(judgments: Judgments) -> Judgments:
    """The judgments without duplicate rows: the same pair with the same score."""
    found: set[tuple[Any, ...]] = set()

    def rows() -> Iterator[int]:
        facts = zip(judgments.references, judgments.hypotheses, judgments.scores.tolist(), strict=True)
        for row, fact in enumerate(facts):
            if fact not in found:
                found.add(fact)
                yield row

    return judgments.select(np.fromiter(rows(), dtype=np.int64))


def probed(model: Model) -> ProbeResult | None:
    """The results of the contrast tests; None for a language without them."""
    if model.settings.language != "en":
        return None
    return probe(Metric(model), shipped_minimal_pairs(), seed=default_seed())


def changed(model: Model, data: Path) -> dict[str, ProbeResult]:
    """The results of minimal pairs from texts that the model was not trained on."""
    metric = Metric(model)
    pairs = changed_texts(model.settings.language, data)
    return {about: probe(metric, found, seed=default_seed()) for about, found in pairs.items()}


def changed_texts(language: str, data: Path) -> dict[str, MinimalPairs]:
    """Minimal pairs of all kinds for a language, by what was changed; empty where there are no texts."""
    found = {}
    for texts in TEXTS.get(language, ()):
        table = read_table(data / texts.file)
        translations = translations_of(table, texts.column, top=0.1, score_column=texts.score_column)
        kinds = kinds_for(language)
        pairs = perturb(translations, kinds, language=language, seed=SEED, per_kind=PER_KIND)
        found[texts.about] = minimal_pairs(list(pairs), table.source)
    return found


class Matched(NamedTuple):
    """Of the tokens that both sides have, case aside, the share that is matched.

    Attributes:
        best: By the best edits.
        expected: Under the posteriors of the edits.
    """

    best: float
    expected: float


def some_of(judgments: Judgments) -> list[tuple[str, str]]:
    """About 200 hypotheses and their references, from all over the judgments."""
    step = 1 + len(judgments) // 200
    return list(zip(judgments.hypotheses[::step], judgments.references[::step], strict=True))


def check_matches(metric: Metric, pairs: Iterable[tuple[str, str]]) -> None:
    """Refuses a model whose best edits delete and insert words that could be matched.

    Args:
        metric: With the model.
        pairs: Hypotheses and their references.

    Raises:
        PfsmError: If fewer than `LEAST` of the tokens that two sides share are matched.
    """
    share = matched_words(metric, pairs).best
    if share < LEAST:
        raise PfsmError(
            f"{metric.model.name}: matches {share:.0%} of the words that both sides have, and deletes and inserts the "
            f"others; {LEAST:.0%} are wanted, so that explanations can be read"
        )


def matched_words(metric: Metric, pairs: Iterable[tuple[str, str]]) -> Matched:
    """How many of the words of both sides are matched; all of them where there are none."""
    matched = shared = 0
    expected = 0.0
    for hypothesis, reference in pairs:
        explanation = metric.explain(hypothesis, reference)
        sides = (explanation.hypothesis, explanation.reference)
        ours, theirs = (Counter(token.lower() for token in side) for side in sides)
        shared += (ours & theirs).total()
        matched += sum(edit.state.startswith(MATCHES) for edit in explanation.edits)
        expected += sum(one.posterior for one in explanation.contributions if one.state.startswith(MATCHES))
    return Matched(matched / shared, expected / shared) if shared else Matched(1.0, 1.0)


if __name__ == "__main__":
    try:
        main()
    except PfsmError as error:
        sys.exit(str(error))
