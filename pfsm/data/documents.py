"""Which document a row is of."""

from pfsm.data.judgments import Judgments
from pfsm.data.preferences import Preferences

DOCUMENT = "document"
# A name of a document or segment says little by itself: test sets and languages have their own.
WITHIN = ("test_set", "source_lang", "target_lang")


def document_names(data: Judgments | Preferences) -> list[tuple[str, ...]]:
    """The document of every row: its name with test set and languages, where columns tell them.

    Raises:
        KeyError: If there is no column of documents.
    """
    within = [data.columns[name] for name in WITHIN if name in data.columns]
    return list(zip(*within, data.columns[DOCUMENT], strict=True))
