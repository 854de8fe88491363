"""The document that a row belongs to."""

from pfsm.data.judgments import Judgments
from pfsm.data.preferences import Preferences

DOCUMENT = "document"
# The name of a document or segment alone is not unique: every test set and language pair has its own.
WITHIN = ("test_set", "source_lang", "target_lang")


def document_names(data: Judgments | Preferences) -> list[tuple[str, ...]]:
    """The document of every row: its name, with test set and languages where there are such columns.

    Raises:
        KeyError: If there is no column of documents.
    """
    within = [data.columns[name] for name in WITHIN if name in data.columns]
    return list(zip(*within, data.columns[DOCUMENT], strict=True))
