"""Minimal pairs from texts that no shipped model was trained on, for the cards of models."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pfsm.data.minimal_pairs import MinimalPairs
from pfsm.data.table import read_table
from pfsm.perturbation.pairs import minimal_pairs, perturb
from pfsm.perturbation.registry import kinds_for
from pfsm.perturbation.translations import translations_of

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
