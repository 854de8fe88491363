"""Dependency features against a straightforward reading of their definition."""

from pathlib import Path

from pfsm.lattice.arrays import ArcFeatures, LatticeBatch
from pfsm.matchers.analysed_lines import relations
from pfsm.model.builder import LatticeBuilder
from pfsm.model.settings import settings_from_dict
from tests.analysis.samples import CONLLU


def conllu(words: str, heads: tuple[int, ...], labels: str) -> str:
    cells = zip(words.split(), heads, labels.split(), strict=True)
    return "".join(f"{k}\t{w}\t_\t_\t_\t_\t{h}\t{n}\t_\t_\n" for k, (w, h, n) in enumerate(cells, 1)) + "\n"


def batch_of(folder: Path, text: str, reference: str, hypothesis: str, **options: object) -> LatticeBatch:
    (folder / "trees.conllu").write_text(text)
    settings = settings_from_dict(
        {
            "matchers": ["word", "dep"],
            "options": {"dep": {"parser": f"file:{folder / 'trees.conllu'}", **options}},
        },
        "x",
    )
    return LatticeBuilder(settings).build([reference], [hypothesis])


def table(batch: LatticeBatch, features: ArcFeatures) -> dict[tuple[int, int, str], float]:
    """Value by place of the arc and name."""
    found = {}
    for arc, name, value in zip(features.arc, features.feature, features.value, strict=True):
        i, p, j, q, _ = batch.lattices.arcs[arc].tolist()
        assert p == q == 1
        found[i, j, features.names[name]] = float(value)
    return found


LEFT = conllu("dogs chase cats today", (2, 0, 2, 2), "nsubj root obj obl:tmod")
RIGHT = conllu("now dogs chase cats", (3, 3, 0, 3), "advmod nsubj:pass root iobj")


def test_links_and_arcs_by_hand(tmp_path: Path) -> None:
    batch = batch_of(tmp_path, LEFT + RIGHT, "dogs chase cats today", "now dogs chase cats")
    assert batch.states == ("Insert", "Delete", "S_word")
    # On "chase" after "dogs" the subject of both; on "cats" after "chase" an object of both.
    assert table(batch, batch.link_features) == {(1, 2, "link:subject"): 1.0, (2, 3, "link:object"): 1.0}
    # As the paper has it: an object (obj) is not an indirect object (iobj).
    labels = batch_of(tmp_path, LEFT + RIGHT, "dogs chase cats today", "now dogs chase cats", links="label")
    assert table(labels, labels.link_features) == {(1, 2, "link:subject"): 1.0}
    assert table(batch, batch.arc_features) == {
        (0, 1, "dep:class"): 1.0, (0, 1, "dep:head"): 1.0, (0, 1, "dep:both"): 1.0,
        (1, 2, "dep:class"): 1.0, (1, 2, "dep:head"): 1.0, (1, 2, "dep:both"): 1.0,
        (2, 3, "dep:head"): 1.0,
    }  # fmt: skip


def test_relations_in_different_directions_are_no_links(tmp_path: Path) -> None:
    left = conllu("dogs bark", (2, 0), "nsubj root")
    right = conllu("dogs bark .", (0, 1, 1), "root nsubj punct")
    every = left + right + LEFT + RIGHT
    batch = batch_of(tmp_path, every, "dogs bark", "dogs bark .")
    assert table(batch, batch.link_features) == table(batch, batch.arc_features) == {}
    lines = "dogs chase cats today", "now dogs chase cats"
    assert batch_of(tmp_path, every, *lines, links=False).link_features.names == ()
    assert batch_of(tmp_path, every, *lines, arcs=False).arc_features.names == ()


def test_relations_through_another_tokenisation(tmp_path: Path) -> None:
    from pfsm.analysis.conllu import analysis_of, parse_conllu

    analysis = analysis_of(next(parse_conllu(CONLLU.split("\n"), "x")))
    found = relations(["We", "don't", "sing", ",", "Anna", "."], analysis, marginals=False)
    assert [[(one.head, one.label) for one in token] for token in found] == [
        [(3, "nsubj")], [(3, "aux")], [(0, "root")], [(5, "punct")], [(3, "vocative")], [(3, "punct")],
    ]  # fmt: skip
    # A token that is part of one of theirs: the first part stands for it.
    parts = relations(["W", "e", "do", "n't", "sing", ",", "Anna", "."], analysis, marginals=False)
    assert [(one.head, one.label) for one in parts[0]] == [(5, "nsubj")]
    assert parts[1] == ()
    assert relations(["another", "text"], analysis, marginals=True) == ((), ())
