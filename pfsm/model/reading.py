"""Text as a model reads it: the tokens of its lines, and the sentence-level features of its pairs."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Sized

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import NotInstalledError, all_missing
from pfsm.features.values import FeatureSet, missing_packages
from pfsm.matchers.protocol import EncodedPairs
from pfsm.metrics.ngram_table import remember_documents
from pfsm.model.settings import RELATIVE, Settings
from pfsm.runtime.garbage import gc_paused
from pfsm.text.characters import CLEAN, clean
from pfsm.text.languages import edition_tokeniser
from pfsm.text.typewriter import typewritten
from pfsm.text.vocabulary import EncodedLines, Vocabulary

Float = NDArray[np.float64]


class TextReader:
    """The vocabulary and the features of a model; keeps what it knows about token types.

    Only the language's settings, the names of the features and whether edits count matter here. So training can learn
    the other settings from what was read, and need not read again.

    Not for use from several threads at once.

    Raises:
        PfsmError: If there is no such tokeniser, stemmer or feature.
    """

    def __init__(self, settings: Settings) -> None:
        tokeniser = edition_tokeniser(settings.tokeniser, settings.language, settings.text)
        self.vocabulary = Vocabulary(tokeniser, settings.stemmer, settings.lowercase)
        remember_documents(settings.counts, "counts")  # another process may have read the settings
        self._relative = settings.form == RELATIVE
        self._features = FeatureSet(tuple(settings.features), relative=self._relative)
        self._edits = settings.edits
        self._form = settings.normalisation
        self._edition = settings.text

    def set_features(self, names: Iterable[str]) -> None:
        """Takes other features; the vocabulary stays."""
        self._features = FeatureSet(tuple(names), relative=self._relative)

    @gc_paused()
    def lines(self, lines: Sequence[str]) -> EncodedLines:
        """Lines as token ids, a repeated line tokenised once. Without edits nothing is tokenised."""
        lines = self.normalised(lines)
        return self.vocabulary.encode(lines) if self._edits else EncodedLines.without_tokens(lines)

    def pairs(self, references: Sequence[str], hypotheses: Sequence[str]) -> EncodedPairs:
        """Sentence pairs as token ids, as ``lines``.

        Raises:
            ValueError: If the two lists differ in length.
        """
        check_lengths(references, hypotheses)
        both = self.lines([*references, *hypotheses])
        half = len(references)
        return EncodedPairs(self.vocabulary, both.part(0, half), both.part(half, 2 * half))

    def feature_values(
        self, references: Sequence[str], hypotheses: Sequence[str], columns: Mapping[str, Float] | None = None
    ) -> Float:
        """Values of the features, not standardised, float64 [n_pairs, n_features]; arguments as `FeatureSet.values`.

        Raises:
            PfsmError: If something that a feature needs is not there.
            ValueError: If the two lists differ in length.
        """
        return self.values_of_read(self.normalised(references), self.normalised(hypotheses), columns)

    def values_of_read(
        self, references: Sequence[str], hypotheses: Sequence[str], columns: Mapping[str, Float] | None = None
    ) -> Float:
        """The same of lines that `lines` or `pairs` returned, which have the form that the settings ask for."""
        try:
            return self._features.values(hypotheses, references, columns)
        except NotInstalledError as error:
            found = missing_packages(self._features.names)
            raise all_missing("the model", found or [error]) from None

    def normalised(self, lines: Sequence[str]) -> Sequence[str]:
        """The lines in the form that the settings ask for; text that has it already costs next to nothing."""
        if self._edition == CLEAN:
            lines = list(map(clean, lines))
        if self._form == "nfc":
            return [unicodedata.normalize("NFC", line) for line in lines]
        if self._form == "nfkc":
            return [unicodedata.normalize("NFKC", line) for line in lines]
        if self._form == "typewriter":
            return [line if line.isascii() else typewritten(line) for line in lines]
        return lines


def check_lengths(references: Sized, hypotheses: Sized) -> None:
    """Refuses sides of different length.

    Raises:
        ValueError: If they differ.
    """
    if len(references) != len(hypotheses):
        raise ValueError(f"{len(references)} references for {len(hypotheses)} hypotheses")
