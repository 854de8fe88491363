"""Files of every format with arrays of any shape, type and value: refused in one line, or safe for their kernels.

These kernels are run as Python over NumPy, where an index out of bounds is an error.
"""

import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from safetensors.numpy import save

import pfsm
from pfsm.embeddings.words import VECTORS, WORDS, WordTable
from pfsm.encoder.heads import SHAPES, Head, head_from_bytes
from pfsm.encoder.scoring import HeadScorer
from pfsm.errors import PfsmError
from pfsm.io.containers import Array, are_below, are_bounded, content_bytes, read_content
from pfsm.lexicons.compiling import Part, compile_paraphrases, compile_synonyms
from pfsm.lexicons.container import FORMAT as LEXICON
from pfsm.lexicons.container import Lexicon, read_lexicon, write_lexicon
from pfsm.lexicons.paraphrases import ParaphraseTable
from pfsm.lexicons.relations import Relations, RelationTable, compile_relations
from pfsm.lexicons.synonyms import SynonymTable, array_lines
from pfsm.matchers.paraphrase import _links
from pfsm.matchers.protocol import EncodedPairs, TypeLists
from pfsm.text.vocabulary import Vocabulary
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.labeller.label import Labeller
from pfsm_linguistics.labeller.weights import FORMAT as ROLES
from pfsm_linguistics.labeller.weights import read_role_weights, write_role_weights
from pfsm_linguistics.parser.parse import Parser
from pfsm_linguistics.parser.weights import FORMAT as PARSER
from pfsm_linguistics.parser.weights import SCALE, read_weights, restored_arrays, stored_arrays, write_weights
from tests.core.encoder.encoders import DIMENSION, LAYERS, head
from tests.fuzz.mutations import EFFORT
from tests.linguistics.analysis.samples import analysed, random_weights, role_weights
from tests.model_cases import document

PAIRS: dict[tuple[tuple[str, ...], tuple[str, ...]], float] = {
    (("very", "big"), ("huge",)): 0.1,
    (("by", "the", "way"), ("besides",)): 1.0,
    (("very", "big", "dog"), ("by", "the")): 0.5,
}
WORDS_OF = [Part("n", {"dog": ["2"], "dogs": ["2", "3"], "beast": ["1"]}, {"oxen": ["ox"]}, (("s", ""),))]
LINES = "a very big dog by the way", "the huge dogs besides a big ox", "Oxen", ""
TREE = analysed("She PRON PRP 2 nsubj;saw VERB VBD 0 root;the DET DT 4 det;approval NOUN NN 2 obj")
EXTREMES = (0, 1, -1, 2, 127, -128, 255, 2**31 - 1, -(2**31), 2**62, np.nan, np.inf, -np.inf, 1e38, 1e-42)


def changed(array: Array, rng: np.random.Generator) -> Array:
    """Another array: some values or all of them, the type, or the shape."""
    kind = rng.integers(6)
    with np.errstate(all="ignore"):
        if kind < 2 and array.size:
            found = array.copy()
            places = rng.integers(array.size, size=rng.integers(1, 4))
            found.flat[places] = np.array(rng.choice(EXTREMES, places.size)).astype(array.dtype)
            return found
        if kind == 2:
            return rng.permuted(array)
        if kind == 3:
            return array.astype(rng.choice(np.array(["int8", "int32", "float32"])))
        size = int(rng.choice([0, 1, array.size, array.size + 1, 3 * array.size]))
        values = np.array(rng.choice(EXTREMES, size)).astype(array.dtype)
        if rng.integers(2):
            # In the bounds of weights.
            return np.array(rng.choice([0, 1, 1e-42, 1e4, -1e4], array.shape)).astype(array.dtype)
        if kind == 4 or array.ndim < 2:
            return values
        return values.reshape((-1, 1) if rng.integers(2) else (1, -1))


def is_list(offsets: Any, values: Any, n_values: int) -> bool:
    """Every index that a walk through lists of numbers would use, one at a time."""
    walked = [value for first, last in pairwise(offsets) for value in values[int(first) : int(last)]]
    rising = all(0 <= a <= b <= len(values) for a, b in pairwise(offsets))
    return rising and len(walked) == len(values) and all(0 <= value < n_values for value in walked)


def test_bounds_of_indices() -> None:
    for dtype in (np.int32, np.int64, np.uint8):
        assert [are_below(np.array([0, last], dtype), 5) for last in (4, 5)] == [True, False]
    assert not are_below(np.array([-1, 0]), 5)
    assert are_below(np.array([], np.int64), 0)
    assert are_bounded(np.array([1e4, -1e4]))
    assert not any(are_bounded(np.array([0.0, odd])) for odd in (np.nan, np.inf, -2e4))


@pytest.mark.parametrize("odd", [np.nan, np.inf, 2e4])
def test_scales_have_bounds(odd: float) -> None:
    stored = stored_arrays({"w": np.ones((2, 3), np.float32)})
    np.testing.assert_allclose(restored_arrays(stored)["w"], 1.0)
    stored[f"w{SCALE}"][1] = odd
    with pytest.raises(ValueError, match="one scale for each row"):
        restored_arrays(stored)


def test_sizes_and_names_in_a_header(tmp_path: Path) -> None:
    write_lexicon(compile_synonyms("few", WORDS_OF, "free", []), tmp_path / "few")
    content = read_content(tmp_path / "few", LEXICON)
    content.header["counts"]["synsets"] = 10**9
    (tmp_path / "few").write_bytes(content_bytes(LEXICON, content.header, content.arrays))
    with pytest.raises(PfsmError, match="damaged"):
        SynonymTable(read_lexicon(tmp_path / "few"))
    twice = json.dumps({"format": LEXICON.name, "arrays": [["x", "int8", 8]] * 2}).encode()
    body = twice + b" " * (-(len(twice) + 1) % 8) + b"\n" + bytes(16)
    (tmp_path / "x").write_bytes(body + sha256(body).digest())
    with pytest.raises(PfsmError, match="not a complete"):
        read_content(tmp_path / "x", LEXICON)


def pairs() -> EncodedPairs:
    vocabulary = Vocabulary()
    return EncodedPairs(vocabulary, vocabulary.encode(LINES), vocabulary.encode(LINES[::-1]))


def are_finite(*numbers: Any) -> bool:
    return all(np.isfinite(one).all() for one in numbers)


def paraphrases(path: Path) -> bool:
    lexicon = read_lexicon(path)
    table = ParaphraseTable(lexicon)
    nodes, words = len(table.child_offsets) - 1, len(array_lines(lexicon.array("words", np.uint8)))
    _links(table, pairs(), "forward", 4)
    return (
        is_list(table.child_offsets.tolist(), table.child_words.tolist(), words)
        and words + len(table.child_words) == nodes
        and is_list(table.target_offsets.tolist(), table.targets.tolist(), nodes)
        and all(0 <= value <= 1 for value in table.probabilities.tolist())
    )


def synonyms(path: Path) -> bool:
    table = SynonymTable(read_lexicon(path))
    TypeLists(table.synsets_of_bases).sharing(pairs(), table.size)
    TypeLists(table.synsets).sharing(pairs(), table.size)
    return is_list(table._offsets, table._synsets, table.size)


def relations(path: Path) -> bool:
    few = read_lexicon(path.parent / "few")
    table = RelationTable(read_lexicon(path), SynonymTable(few))
    table.antonyms("dog", "n")
    return all(0 <= one < table.synonyms.size for k in range(table.synonyms.size) for one in table.parents(k))


def is_sound(arrays: dict[str, Any]) -> bool:
    return all(np.abs(one).max(initial=0.0) <= 1e4 for one in arrays.values())


def parser(path: Path) -> bool:
    weights = read_weights(path)
    wanted = Wanted(trees=3, marginals=True, constituents=True, headed=2)
    (found,) = Parser(weights).parse([LINES[0].split()], wanted)
    assert found.marginals is not None
    return is_sound(dict(weights.arrays)) and are_finite(found.marginals.probability)


def labeller(path: Path) -> bool:
    weights = read_role_weights(path)
    frames = Labeller(weights, random_weights()).labelled(TREE, nominal=True).frames or ()
    found = [argument.probability for frame in frames for argument in frame.arguments]
    return is_sound(dict(weights.arrays)) and are_finite(found)


def word_vectors(path: Path) -> bool:
    (path.parent / WORDS).write_text("a\nb\nc", encoding="utf-8")
    path.replace(path.parent / VECTORS)
    table = WordTable(path.parent)
    (rows,) = table.of_tokens([["a", "C", "?"]])
    from pfsm_kernels.strings.closeness import close_words

    both = pairs()
    left, right = both.references, both.hypotheses
    places, vectors = both.vocabulary.column(table.row_numbers), table.rows
    close_words(places[left.ids], left.offsets, places[right.ids], right.offsets, vectors, 0.3, 2)
    return rows.shape == (3, table.dimension) and len(table) == 3


def files(folder: Path) -> dict[str, tuple[dict[str, Array], Callable[[dict[str, Array]], bytes], Any]]:
    """By format: the arrays of a good file, what makes a file of others, and what reads it and tells if it is sound."""
    few = compile_synonyms("few", WORDS_OF, "free", [])
    write_lexicon(few, folder / "few")
    made: dict[str, tuple[Callable[[Path], None], Any, Callable[[Path], bool]]] = {
        "paraphrases": (
            partial(write_lexicon, compile_paraphrases("x", PAIRS, "", ())),
            LEXICON,
            paraphrases,
        ),
        "synonyms": (partial(write_lexicon, few), LEXICON, synonyms),
        "relations": (partial(write_lexicon, _related(folder)), LEXICON, relations),
        "parser": (partial(write_weights, random_weights()), PARSER, parser),
        "labeller": (partial(write_role_weights, role_weights()), ROLES, labeller),
    }
    found: dict[str, Any] = {}
    for name, (write, form, read) in made.items():
        write(folder / name)
        content = read_content(folder / name, form)
        rest = {key: value for key, value in content.header.items() if key not in {"format", "arrays"}}
        found[name] = (dict(content.arrays), partial(content_bytes, form, rest), read)
    one = head()
    found["head"] = ({name: getattr(one, name) for name in SHAPES}, save, _head)
    scaled = {"vectors": np.ones((3, 4), np.int8), "vectors.scale": np.ones(3, np.float32)}
    found["word vectors"] = (scaled, save, word_vectors)
    return found


def _related(folder: Path) -> Lexicon:
    parts = [Relations("n", [("dog", "beast")], {"2": ["1"], "3": ["2"]})]
    return compile_relations("more", parts, read_lexicon(folder / "few"), WORDS_OF, [])


def _head(path: Path) -> bool:
    found: Head = head_from_bytes(path.read_bytes(), "x")
    scorer = HeadScorer(found)
    states = np.random.default_rng(1).normal(size=(LAYERS, 5, DIMENSION)).astype(np.float32)[scorer.layers]
    one, other = (scorer.line(scorer.rows(states[:, :size])) for size in (5, 2))
    return is_sound({name: getattr(found, name) for name in SHAPES}) and are_finite(scorer.value(one, other))


# Of settings and weights; some are allowed, and scores have to be finite under them.
NUMBERS: tuple[Any, ...] = (
    0, 1, -1, 2, 5, 1000, 1001, 2**31, -(2**63), 1e-320, 0.5, 1e4, -1e4, 1e99, -1e100, 1e101, True, None, "1", [],
)  # fmt: skip
WHERE = [
    *(("weights", name) for name in ("Insert", "S_word", "Jump", "S_word>S_word", "S_lemma")),
    *(("settings", name) for name in ("max_block", "max_jump", "text")),
    *(("scale", name) for name in ("mean", "sd")),
]


def model(path: Path) -> bool:
    return are_finite(pfsm.load(path).score_pairs(list(LINES), list(LINES[::-1])))


def models(rng: np.random.Generator) -> Iterator[bytes]:
    while True:
        one = document(settings={"language": "en", "matchers": ["word", "lemma"]})
        for place in rng.integers(len(WHERE), size=rng.integers(0, 4)):
            part, name = WHERE[place]
            one[part][name] = NUMBERS[rng.integers(len(NUMBERS))]
        yield json.dumps(one).encode()


def damaged_files(kind: str, folder: Path, rng: np.random.Generator) -> Iterator[bytes]:
    arrays, made, _ = files(folder)[kind]
    yield made(arrays)
    while True:
        others = dict(arrays)
        for name in rng.choice(np.array(list(arrays)), rng.integers(1, 3)):
            others[name] = changed(arrays[name], rng)
        try:
            yield made(others)
        except ValueError:  # a type or a shape that no such file has
            continue


KINDS = ("paraphrases", "synonyms", "relations", "parser", "labeller", "word vectors", "head", "model")


@pytest.mark.filterwarnings(
    "error", "ignore:overflow encountered in"
)  # as hashes and exponentials are meant to
def test_nothing_leads_a_kernel_out_of_bounds(tmp_path: Path) -> None:
    if numba.config.DISABLE_JIT:
        for kind in KINDS:
            (tmp_path / kind).mkdir()
            try_damaged_files(kind, tmp_path / kind)
        return
    name = test_nothing_leads_a_kernel_out_of_bounds.__name__
    call = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"{__file__}::{name}"]
    done = subprocess.run(
        call, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout.decode()


def try_damaged_files(kind: str, tmp_path: Path) -> None:
    rng, path, used, refused = np.random.default_rng(52), tmp_path / "x", 0, 0
    read = model if kind == "model" else files(tmp_path)[kind][2]
    contents = models(rng) if kind == "model" else damaged_files(kind, tmp_path, rng)
    for content in islice(contents, 25 * EFFORT):
        path.write_bytes(content)
        tracemalloc.start()
        try:
            assert read(path), kind
            used += 1
        except PfsmError:
            refused += 1
        # The first one brings modules.
        assert used == 1 or tracemalloc.get_traced_memory()[1] < 2_000_000, kind
        tracemalloc.stop()
    assert used > 1
    assert refused > 1


def test_a_scale_is_not_multiplied_with_everything(tmp_path: Path) -> None:
    """One row and as many scales as there is room for: their outer product is a thousand times the file."""
    arrays, made, read = files(tmp_path)["parser"]
    arrays |= {"words": np.ones((1, 20_000), np.int8), "words.scale": np.ones(5_000, np.float32)}
    (tmp_path / "x").write_bytes(made(arrays))
    tracemalloc.start()
    with pytest.raises(PfsmError, match="not a complete parser"):
        read(tmp_path / "x")
    assert tracemalloc.get_traced_memory()[1] < 2_000_000
    tracemalloc.stop()
