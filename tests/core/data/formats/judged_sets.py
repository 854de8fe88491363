"""Random test sets with judgments, and the same sets written in every format by the plainest of means."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from hypothesis import strategies as st

from pfsm.data.table import finite_number

SEGMENT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r\ufeff"), max_size=15)
NAME = st.text("abcXYZ09_-", min_size=1, max_size=6)
SCORE = (
    st.floats(-1e6, 1e6, allow_nan=False)
    .map(lambda score: score + 0.0)
    .filter(lambda score: finite_number(repr(score)) is not None)
)


@dataclass(frozen=True)
class JudgedSet:
    """Texts by segment, and scores of some translations."""

    references: tuple[tuple[str, ...], ...]
    """[n_references][n]"""
    sources: tuple[str, ...]
    documents: tuple[str, ...]
    """In one piece each."""
    outputs: dict[str, tuple[str, ...]]
    scores: dict[tuple[str, int], float]
    """Of system and segment from 0."""

    def __len__(self) -> int:
        return len(self.sources)


@st.composite
def judged_sets(draw: st.DrawFn, text: st.SearchStrategy[str] = SEGMENT) -> JudgedSet:
    """Test sets of one to six segments with one to three systems, every system judged at least once."""
    count = draw(st.integers(1, 6))
    stream = st.tuples(*[text] * count)
    systems = draw(st.lists(NAME, min_size=1, max_size=3, unique=True))
    names = draw(st.lists(NAME, min_size=count, max_size=count, unique=True))
    breaks = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    documents: list[str] = []
    for name, new in zip(names, breaks, strict=True):
        documents.append(name if new or not documents else documents[-1])
    places = [(system, at) for system in systems for at in range(count)]
    chosen = draw(st.lists(st.sampled_from(places), min_size=1, unique=True))
    return JudgedSet(
        tuple(draw(st.lists(stream, min_size=1, max_size=3))),
        draw(stream),
        tuple(documents),
        {system: draw(stream) for system in systems},
        {place: draw(SCORE) for place in chosen},
    )


def lines(path: Path, content: Sequence[str]) -> str:
    """Writes lines; returns the name of the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}\n" for line in content).encode())
    return str(path)


def write_texts(folder: Path, judged: JudgedSet) -> dict[str, Any]:
    """Writes references, sources, documents and outputs; returns the options that name them."""
    references = [lines(folder / f"ref{k}", stream) for k, stream in enumerate(judged.references)]
    for system, output in judged.outputs.items():
        lines(folder / "outputs" / f"{system}.txt", output)
    return {
        "references": tuple(references),
        "sources": lines(folder / "src", judged.sources),
        "documents": lines(folder / "docs", judged.documents),
        "system_outputs": (str(folder / "outputs"),),
    }


def nist_set(tag: str, judged: JudgedSet, texts: Sequence[str], name: str = "") -> str:
    """A srcset, refset or tstset with one ``doc`` a document and ids that count within it."""
    attributes = ' setid="set" srclang="cs"' + ("" if tag == "srcset" else ' trglang="en"')
    attributes += f" sysid={quoteattr(name)}" if tag == "tstset" else ""
    attributes += f" refid={quoteattr(name)}" if tag == "refset" else ""
    parts, before = [f"<{tag}{attributes}>"], None
    for document, number, text in zip(judged.documents, numbers_in_documents(judged), texts, strict=True):
        if document != before:
            parts += ["</doc>"] * (before is not None) + [f"<doc docid={quoteattr(document)} genre='news'>"]
        before = document
        parts.append(f'<seg id="{number}">{escape(text)}</seg>')
    return "\n".join([*parts, "</doc>", f"</{tag}>", ""])


def numbers_in_documents(judged: JudgedSet) -> list[int]:
    """The number of each segment in its document, from 1."""
    return [judged.documents[: at + 1].count(document) for at, document in enumerate(judged.documents)]
