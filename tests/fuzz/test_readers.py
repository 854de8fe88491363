"""Readers of text and of documents on damaged files: a value, or one line that says what is wrong."""

import gzip
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfsm.data import read_judgments, read_preferences, read_table
from pfsm.data.markup import markup_events
from pfsm.data.minimal_pairs import read_minimal_pairs
from pfsm.embeddings.words import FileVectors
from pfsm.errors import PfsmError
from pfsm.io.files import read_lines
from pfsm.lexicons.omw import read_multilingual
from pfsm.lexicons.paraphrase_formats import format_of, read_paraphrases
from pfsm.model.file import load_model
from pfsm_experiments.reading import read_experiment
from pfsm_linguistics.analysis.conllu import read_conllu
from pfsm_linguistics.analysis.constituents import read_brackets
from pfsm_training.config import read_config
from pfsm_training.fit.checkpoint import Checkpoint
from tests.fuzz.mutations import damaged, effort
from tests.fuzz.samples import SAMPLES


def paraphrases(path: Path) -> object:
    return list(read_paraphrases(path, format_of(path)))


def resumed(path: Path) -> object:
    checkpoint = Checkpoint(path, resume=True)
    checkpoint.begin({})
    return checkpoint.next_fit().load()


READERS: dict[str, tuple[tuple[str, ...], Callable[[Path], object]]] = {
    "lines": (("text.txt",), read_lines),
    "table": (("judgments.tsv", "judgments.csv"), read_table),
    "judgments": (("judgments.tsv", "judgments.csv"), read_judgments),
    "preferences": (("preferences.tsv",), read_preferences),
    "SGML and XML": (("set.sgm", "set.xml"), lambda path: list(markup_events(path))),
    "minimal pairs": (("pairs.tsv",), read_minimal_pairs),
    "CoNLL-U": (("trees.conllu",), read_conllu),
    "brackets": (("trees.ptb",), read_brackets),
    "model": (("model.json",), load_model),
    "settings": (("settings.yaml",), read_config),
    "experiment": (("experiment.yaml",), read_experiment),
    "checkpoint": (("checkpoint.json",), resumed),
    "word vectors": (("vectors.txt",), lambda path: FileVectors(path).of_tokens([["the", "cat"]])),
    "paraphrases": (("meteor.txt", "terp.txt", "ppdb.txt"), paraphrases),
    "wordnet": (("wn.tab",), lambda path: read_multilingual([path])),
}


def check(read: Callable[[Path], object], path: Path) -> None:
    """Reads; what is wrong is said in one line that names the file, and the file stays."""
    before, fault = path.read_bytes(), None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read(path)
    except PfsmError as error:
        fault = str(error)
    assert fault is None or (fault and "\n" not in fault and len(fault) < 3000)
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("kind", READERS)
def test_damaged_files(kind: str, tmp_path: Path) -> None:
    names, read = READERS[kind]

    @effort(40)
    @given(
        st.sampled_from(names).flatmap(lambda name: st.tuples(st.just(name), damaged(SAMPLES[name]))),
        st.booleans(),
    )
    def run(sample: tuple[str, bytes], packed: bool) -> None:
        name, content = sample
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(gzip.compress(content, 1) if packed else content)
            check(read, path)

    run()
    for name in names:
        path = tmp_path / name
        path.write_bytes(SAMPLES[name])
        if kind != "checkpoint":
            read(path)
