"""The network of the labeller, as it is trained: the twin of `pfsm_linguistics.labeller.inputs` and its kernels."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from pfsm_linguistics.training.parsing.network import LockedDropout, run_recurrence


@dataclass(frozen=True)
class RoleSizes:
    """Sizes of the network's parts.

    Attributes:
        tag: Length of a tag's vector.
        relation: Length of a relation's vector.
        state: Units of one direction of an LSTM.
        layers: Number of LSTM layers.
        hidden: Units of the hidden layer.
        pairs: Products of the predicate's and a span's states.
        dropout: Share of units dropped in training.
        lost: Share of features left out in training.
    """

    tag: int = 24
    relation: int = 24
    state: int = 96
    layers: int = 2
    hidden: int = 64
    pairs: int = 48
    dropout: float = 0.3
    lost: float = 0.25


class Batch(NamedTuple):
    """Sentences with the candidates of their predicates; words are counted through the batch.

    Attributes:
        words: int64 [words, 4], rows of the vectors of word and parent, of tag and relation.
        places: int64 [sentences, longest], words of each sentence, padded with its last one.
        reversal: The same, places of the words of each sentence in reverse.
        back: int64 [words], places in the padded table.
        points: int64 [candidates, 4], predicate, head, first and last word.
        rows: int64 [candidates, N_SLOTS], features; the number of features for none.
        nouns: int64 [nouns], the nouns.
        noun_rows: int64 [nouns, NOUN_SLOTS], their features; the number of features for none.
        are_predicates: float32 [nouns], 1 for nouns that are predicates, else 0.
    """

    words: Tensor
    places: Tensor
    reversal: Tensor
    back: Tensor
    points: Tensor
    rows: Tensor
    nouns: Tensor
    noun_rows: Tensor
    are_predicates: Tensor


class RoleNetwork(nn.Module):
    """LSTMs over the words of a sentence with their tags, relations and parents, and a layer over candidates."""

    def __init__(self, sizes: RoleSizes, vectors: Tensor, counts: tuple[int, int, int, int, int]) -> None:
        super().__init__()
        n_tags, n_relations, n_features, n_noun_features, n_labels = counts
        self.sizes, self.n_features = sizes, n_features
        self.vectors: Tensor
        self.register_buffer("vectors", vectors)
        self.tags = nn.Embedding(n_tags + 1, sizes.tag)
        self.relations = nn.Embedding(n_relations + 1, sizes.relation)
        inputs = 2 * vectors.shape[1] + sizes.tag + sizes.relation
        widths = [inputs, *[2 * sizes.state] * (sizes.layers - 1)]
        self.ahead, self.back = (
            nn.ModuleList([nn.LSTM(width, sizes.state) for width in widths]) for _ in range(2)
        )
        size, units = 2 * sizes.state + vectors.shape[1], sizes.hidden + sizes.pairs
        self.features = nn.EmbeddingBag(n_features + 1, sizes.hidden, mode="sum", padding_idx=n_features)
        self.predicate, self.head, self.first, self.last = (
            nn.Linear(size, units, bias=False) for _ in range(4)
        )
        self.bias = nn.Parameter(torch.zeros(sizes.hidden))
        self.output = nn.Linear(units, n_labels)
        self.noun = nn.Linear(size, 1)
        self.noun_features = nn.EmbeddingBag(n_noun_features + 1, 1, mode="sum", padding_idx=n_noun_features)
        nn.init.zeros_(self.noun_features.weight)
        self.between = LockedDropout(sizes.dropout)
        self.drop = nn.Dropout(sizes.dropout / 2)
        for table in (self.tags, self.relations):
            nn.init.normal_(table.weight, std=0.3)
        nn.init.normal_(self.features.weight, std=0.03)
        nn.init.constant_(self.output.bias, -3.0)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Scores of the candidates, [candidates, labels], and log-odds of the nouns, [nouns]."""
        states = self._states(batch)
        return self._candidates(batch, states), self._nouns(batch, states)

    def _nouns(self, batch: Batch, states: Tensor) -> Tensor:
        rows = self._some(batch.noun_rows, self.noun_features)
        scale = 1 / (1 - self.sizes.lost) if self.training else 1.0
        own = self.noun(self.drop(states.index_select(0, batch.nouns)))
        odds: Tensor = own + scale * self.noun_features(rows)
        return odds.squeeze(1)

    def _some(self, rows: Tensor, table: nn.EmbeddingBag) -> Tensor:
        """The rows of features, without those that are lost in training."""
        if not (self.training and self.sizes.lost):
            return rows
        return rows.masked_fill(torch.rand(rows.shape) < self.sizes.lost, table.num_embeddings - 1)

    def _candidates(self, batch: Batch, states: Tensor) -> Tensor:
        rows = self._some(batch.rows, self.features)
        layers = (self.predicate, self.head, self.first, self.last)
        predicate, head, first, last = (
            layer(states).index_select(0, batch.points[:, k]) for k, layer in enumerate(layers)
        )
        span, cut = head + first + last, self.sizes.hidden
        # Features left out are made up for, as in any dropout.
        scale = 1 / (1 - self.sizes.lost) if self.training else 1.0
        hidden = self.bias + predicate[:, :cut] + span[:, :cut] + scale * self.features(rows)
        both = torch.cat([nn.functional.leaky_relu(hidden, 0.1), predicate[:, cut:] * span[:, cut:]], dim=1)
        scores: Tensor = self.output(self.drop(both))
        return scores

    def _states(self, batch: Batch) -> Tensor:
        own, parent, tags, relations = batch.words.unbind(1)
        fixed = self.vectors[own]
        columns = [fixed, self.vectors[parent], self.tags(tags), self.relations(relations)]
        values = torch.cat(columns, dim=1)[batch.places]
        values = self.between(values)
        turned = batch.reversal.unsqueeze(-1)
        for onward, backward in zip(self.ahead, self.back, strict=True):
            ahead = run_recurrence(onward, values, self.training)
            back = run_recurrence(backward, values.gather(1, turned.expand_as(values)), self.training)
            back = back.gather(1, turned.expand_as(back))
            values = self.between(torch.cat([ahead, back], dim=2))
        return torch.cat([values.flatten(0, 1)[batch.back], fixed], dim=1)
