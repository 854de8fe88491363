"""The text side: tokens, stems, and sentences as arrays of token ids."""

from pfsm.text.languages import default_stemmer, default_tokeniser
from pfsm.text.vocabulary import EncodedLines, Vocabulary

__all__ = ["EncodedLines", "Vocabulary", "default_stemmer", "default_tokeniser"]
