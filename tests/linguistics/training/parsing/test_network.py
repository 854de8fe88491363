"""The network in PyTorch and its twin in NumPy; the sums' gradients."""

import numpy as np
import pytest
import torch

from pfsm_linguistics.analysis.conllu import parse_conllu
from pfsm_linguistics.analysis.constituents import parse_brackets
from pfsm_linguistics.parser.network import Network
from pfsm_linguistics.training.parsing.export import exported
from pfsm_linguistics.training.parsing.network import ParserNetwork, Sizes, losses, span_log_sum, tree_log_sum
from pfsm_linguistics.training.parsing.treebank import (
    Example,
    Numbering,
    join_trees,
    make_lines,
    take_inventory,
)

SMALL = Sizes(word=6, character=4, filters=5, hidden=7, layers=2, arc=5, label=4, tag=6, span=5, span_label=4)


def examples() -> list[Example]:
    rows = [
        ("the cat sees the dog .", (2, 3, 0, 5, 3, 3), "det nsubj root det obj punct"),
        ("it sleeps", (2, 0), "nsubj root"),
        ("Stop", (0,), "root"),
    ]
    text = []
    for words, heads, labels in rows:
        cells = zip(words.split(), heads, labels.split(), strict=True)
        text += [f"{k}\t{w}\t_\tX\tY\t_\t{h}\t{n}\t_\t_" for k, (w, h, n) in enumerate(cells, 1)] + [""]
    trees = [
        "(TOP (S (NP (DT the) (NN cat)) (VP (VBZ sees) (NP (DT the) (NN dog))) (. .)))",
        "(TOP (S (VP (VB Stop))))",
    ]
    return join_trees(parse_conllu(text, "x"), map(parse_brackets, trees))


def network_of(found: list[Example]) -> tuple[ParserNetwork, Numbering, list[str]]:
    torch.manual_seed(3)
    inventory = take_inventory(found, min_word=1, min_character=1, min_span_label=1)
    vector_words = ["cat", "dog", "."]
    network = ParserNetwork(SMALL, inventory, torch.randn(4, 3))
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return network, Numbering(inventory, vector_words), vector_words


def test_both_networks_say_the_same() -> None:
    found = examples()
    network, numbering, vector_words = network_of(found)
    network.eval()
    numbers = [numbering.numbers(example) for example in found]
    # Two sentences on the first line, one on the second: padding of all kinds.
    with torch.no_grad():
        scores = network(numbering.batch([numbers[:2], numbers[2:]]))
    inventory = take_inventory(found, min_word=1, min_character=1, min_span_label=1)
    twin = Network(exported(network, inventory, vector_words, name="x", licence="", card={}))
    words = [list(example.dependencies.forms) for example in found]
    lines = twin.lines([words[0] + words[1], words[2]])
    assert np.concatenate([line.upos for line in lines]) == pytest.approx(scores.upos.numpy(), abs=1e-5)
    assert np.concatenate([line.xpos for line in lines]) == pytest.approx(scores.xpos.numpy(), abs=1e-5)
    assert np.concatenate([line.starts for line in lines]) == pytest.approx(scores.starts.numpy(), abs=1e-5)
    encoded = [lines[0].encoded[:6], lines[0].encoded[6:], lines[1].encoded]
    for k, part in enumerate(encoded):
        n = len(part)
        assert twin.arcs(part) == pytest.approx(scores.arcs[k, :n, : n + 1].numpy(), abs=1e-5)
        assert twin.spans(part) == pytest.approx(scores.spans[k, : n + 1, : n + 1].numpy(), abs=1e-5)
        dependents, heads = np.repeat(np.arange(n), n), np.tile(np.arange(1, n + 1), n)
        with torch.no_grad():
            table = network.labels.pairs(scores.label_dependents[k, dependents], scores.label_heads[k, heads])
            table[:, 0] = -torch.inf
        expected = torch.log_softmax(table, dim=1).numpy()
        assert twin.labels(part, dependents, heads)[:, 1:] == pytest.approx(expected[:, 1:], abs=1e-5)
        starts, ends = [0] * n, list(range(1, n + 1))
        with torch.no_grad():
            forms = network.span_labels.pairs(scores.span_lefts[k, starts], scores.span_rights[k, ends])
        assert twin.span_labels(part, starts, ends) == pytest.approx(
            torch.log_softmax(forms, 1).numpy(), abs=1e-5
        )


def test_gradients_of_the_sums() -> None:
    torch.manual_seed(1)
    lengths = torch.tensor([4, 2])
    arcs = torch.randn(2, 4, 5, dtype=torch.float64, requires_grad=True)
    spans = torch.randn(2, 5, 5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: tree_log_sum(x, lengths), arcs)
    assert torch.autograd.gradcheck(lambda x: span_log_sum(x, lengths), spans)


def test_every_part_of_the_loss_falls_in_training() -> None:
    found = examples()
    network, numbering, _ = network_of(found)
    numbers = [numbering.numbers(example) for example in found]
    batch = numbering.batch([numbers[:2], numbers[2:]])
    network.eval()
    first = {part: float(value.detach()) for part, value in losses(network, batch).items()}
    optimiser = torch.optim.Adam(network.parameters(), lr=0.02)
    for _ in range(40):
        optimiser.zero_grad()
        torch.stack(list(losses(network, batch).values())).sum().backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    last = {part: float(value.detach()) for part, value in losses(network, batch).items()}
    assert all(last[part] < max(0.1, 0.5 * first[part]) for part in first)


def test_lines_join_neighbours_and_lose_none() -> None:
    found = examples()
    _, numbering, _ = network_of(found)
    sentences = [numbering.numbers(found[k % 3]) for k in range(60)]
    lines = make_lines(sentences, np.random.default_rng(1))
    assert [id(one) for line in lines for one in line] == [id(one) for one in sentences]
    assert {len(line) for line in lines} == {1, 2, 3}
