"""A glossary: a TSV file of two columns, the preferred term and another one that means the same."""

from dataclasses import dataclass

from pfsm.errors import PfsmError
from pfsm.io.files import checksum, display_name, read_lines

Terms = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Glossary:
    """Terms and where they come from.

    Attributes:
        label: Name and checksum of the file, as in ``terms.tsv@1f2e3d4c``.
        terms: Preferred term and variant, in the order of the file.
    """

    label: str
    terms: Terms


def read_glossary(path: str) -> Glossary:
    """Reads a glossary; empty lines and lines that begin with ``#`` do not count.

    Raises:
        PfsmError: If the file cannot be read, or a line has not two columns.
    """
    name = display_name(path)
    terms = []
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip() or line.startswith("#"):
            continue
        columns = tuple(column.strip() for column in line.split("\t"))
        if len(columns) != 2 or not all(columns):
            raise PfsmError(f"{name}:{number}: has not two columns; write preferred term, tab, variant")
        terms.append((columns[0], columns[1]))
    if not terms:
        raise PfsmError(f"{name}: holds no term")
    return Glossary(f"{name.replace(' ', '_')}@{checksum(path)[:8]}", tuple(terms))
