"""The network of the parser: an encoder of the line, and heads for tags, sentence starts, arcs, labels and spans.

The input of a word is its learned vector, its fixed vector and a convolution over its characters. Bidirectional LSTMs
read the whole line. Biaffine forms score arcs, labels and spans within each sentence (Dozat and Manning 2017, "Deep
biaffine attention for neural dependency parsing"; for spans Zhang, Zhou and Li 2020, "Fast and accurate neural CRF
constituency parsing").

The objective is the sum of the negative log-likelihoods of trees, labels, tags and sentence starts. Log-sums over trees
are differentiable functions; the kernels compute value and gradient (the marginals) together.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from pfsm_linguistics.kernels.syntax.bracketing import span_marginals_batch
from pfsm_linguistics.kernels.syntax.dependency_trees import tree_marginals_batch
from pfsm_linguistics.training.parsing.treebank import Batch, Inventory

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Sizes:
    """Sizes of the network's parts.

    Attributes:
        word: Length of a learned word vector.
        character: Length of a character vector.
        filters: Number of filters, each over three characters.
        hidden: Units of one direction of an LSTM.
        layers: Number of LSTM layers.
        arc: Length of the vectors of dependents and heads for arcs.
        label: The same for dependency labels.
        tag: Units of the tagger's hidden layer.
        span: Length of the vectors of left and right boundaries for spans.
        span_label: The same for labels of spans.
        dropout: Share of units dropped in training.
    """

    word: int = 100
    character: int = 32
    filters: int = 128
    hidden: int = 200
    layers: int = 2
    arc: int = 192
    label: int = 64
    tag: int = 96
    span: int = 128
    span_label: int = 48
    dropout: float = 0.33


class LockedDropout(nn.Module):
    """Dropout with one mask for all places of a line (Gal and Ghahramani 2016)."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, values: Tensor) -> Tensor:
        """Drops units of ``values``, [batch, places, size]."""
        if not self.training or not self.share:
            return values
        mask = values.new_empty(values.shape[0], 1, values.shape[2]).bernoulli_(1 - self.share)
        return values * mask / (1 - self.share)


class Biaffine(nn.Module):
    """``left' W right + left' u + right' v + c`` for several outputs."""

    def __init__(self, size: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(outputs, size + 1, size + 1))
        nn.init.normal_(self.weight, std=size**-0.75 if outputs == 1 else 0.0)

    def all_pairs(self, left: Tensor, right: Tensor) -> Tensor:
        """The first output for all pairs, [batch, n_left, n_right]."""
        return _with_one(left) @ self.weight[0] @ _with_one(right).transpose(1, 2)

    def pairs(self, left: Tensor, right: Tensor) -> Tensor:
        """All outputs for n pairs, [n, outputs]."""
        return torch.einsum("ni,oij,nj->no", _with_one(left), self.weight, _with_one(right))


def _with_one(values: Tensor) -> Tensor:
    return torch.cat([values, values.new_ones(*values.shape[:-1], 1)], dim=-1)


def _layer(inputs: int, outputs: int, dropout: float) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, outputs), nn.LeakyReLU(0.1), nn.Dropout(dropout))


class Encoder(nn.Module):
    """Turns lines of words into a vector for every word."""

    def __init__(self, sizes: Sizes, inventory: Inventory, vectors: Tensor) -> None:
        super().__init__()
        self.sizes = sizes
        self.words = nn.Embedding(len(inventory.words) + 1, sizes.word)
        nn.init.normal_(self.words.weight, std=0.1)
        self.vectors: Tensor
        self.register_buffer("vectors", vectors)
        self.characters = nn.Embedding(len(inventory.characters) + 4, sizes.character, padding_idx=0)
        nn.init.normal_(self.characters.weight, std=0.3)
        self.filters = nn.Linear(3 * sizes.character, sizes.filters)
        inputs = sizes.word + vectors.shape[1] + sizes.filters
        self.input_size = inputs
        lstms = []
        for layer in range(sizes.layers):
            size = inputs if layer == 0 else 2 * sizes.hidden
            lstms.append(nn.ModuleList([nn.LSTM(size, sizes.hidden) for _ in range(2)]))
        self.lstms = nn.ModuleList(lstms)
        self.between = LockedDropout(sizes.dropout)
        # Whether training runs the recurrence, which is most of the work, in bfloat16.
        self.coarse = False

    def forward(self, batch: Batch) -> Tensor:
        """Vectors of the words, [lines, longest, 2 * hidden]; the forward direction comes first."""
        values: Tensor = self.between(self._inputs(batch))
        coarse = self.coarse and self.training
        for pair in self.lstms:
            lstms = list(pair.children())
            ahead = run_recurrence(lstms[0], values, coarse)
            back = _turn(run_recurrence(lstms[1], _turn(values, batch.reversal), coarse), batch.reversal)
            values = self.between(torch.cat([ahead, back], dim=-1))
        return values

    def _inputs(self, batch: Batch) -> Tensor:
        """Three vectors for each word; in training each may be dropped, and the others are scaled up instead."""
        known = self.words(batch.words)
        fixed = self.vectors[batch.vectors]
        windows = self.characters(batch.characters).unfold(1, 3, 1).transpose(2, 3).flatten(2)
        of_type = self.filters(windows)
        outside = (batch.characters[:, 1:-1] == 0).unsqueeze(-1)
        spelled = torch.relu(of_type.masked_fill(outside, -1e9).amax(dim=1))[batch.types]
        views = [known, fixed, spelled]
        if self.training:
            keep = torch.empty(3, *batch.words.shape).bernoulli_(1 - self.sizes.dropout / 2)
            scale = 3 / keep.sum(dim=0).clamp(min=1)
            views = [view * (mask * scale).unsqueeze(-1) for view, mask in zip(views, keep, strict=True)]
        return torch.cat(views, dim=-1)


def _turn(values: Tensor, reversal: Tensor) -> Tensor:
    """The words of each line in reverse; padding stays at the end."""
    return values.gather(1, reversal.unsqueeze(-1).expand(-1, -1, values.shape[2]))


@dataclass(frozen=True, eq=False)
class Scores:
    """Outputs of the network for a batch; sentences are padded at the end.

    Attributes:
        upos: [words, tags], for all words of all lines in order.
        xpos: The same for the tags of the language.
        starts: [words], log-odds that a sentence starts at the word.
        arcs: [sentences, longest, longest + 1], dependent by head; the root first.
        label_dependents: [sentences, longest, label], vectors of the dependents.
        label_heads: [sentences, longest + 1, label], vectors of the heads; the root first.
        spans: [sentences, longest + 1, longest + 1], left by right boundary.
        span_lefts: [sentences, longest + 1, span_label], vectors of the left boundaries.
        span_rights: The same for the right boundaries.
    """

    upos: Tensor
    xpos: Tensor
    starts: Tensor
    arcs: Tensor
    label_dependents: Tensor
    label_heads: Tensor
    spans: Tensor
    span_lefts: Tensor
    span_rights: Tensor


class ParserNetwork(nn.Module):
    """The encoder and the heads."""

    def __init__(self, sizes: Sizes, inventory: Inventory, vectors: Tensor) -> None:
        super().__init__()
        self.encoder = Encoder(sizes, inventory, vectors)
        size, drop = 2 * sizes.hidden, sizes.dropout
        self.tag_layer = _layer(size, sizes.tag, drop)
        self.upos = nn.Linear(sizes.tag, len(inventory.upos))
        self.xpos = nn.Linear(sizes.tag, len(inventory.xpos))
        self.starts = nn.Linear(size, 1)
        self.arc_dependent, self.arc_head = _layer(size, sizes.arc, drop), _layer(size, sizes.arc, drop)
        self.label_dependent, self.label_head = (
            _layer(size, sizes.label, drop),
            _layer(size, sizes.label, drop),
        )
        self.root_arc = nn.Parameter(torch.randn(sizes.arc) * 0.1)
        self.root_label = nn.Parameter(torch.randn(sizes.label) * 0.1)
        self.arcs = Biaffine(sizes.arc, 1)
        # The root's label is among them; the parser takes it from the arc instead, since there it is certain.
        self.labels = Biaffine(sizes.label, len(inventory.labels))
        self.span_left, self.span_right = _layer(size, sizes.span, drop), _layer(size, sizes.span, drop)
        self.spans = Biaffine(sizes.span, 1)
        self.span_label_left = _layer(size, sizes.span_label, drop)
        self.span_label_right = _layer(size, sizes.span_label, drop)
        self.span_labels = Biaffine(sizes.span_label, len(inventory.span_labels))

    def forward(self, batch: Batch) -> Scores:
        """The scores of a batch."""
        encoded = self.encoder(batch)
        flat = encoded.flatten(0, 1)
        words = flat[batch.word_places]
        tags = self.tag_layer(words)
        inside = flat[batch.sentence_places]
        heads = _with_root(self.root_arc, self.arc_head(inside))
        boundaries = _boundaries(inside, batch.lengths)
        return Scores(
            self.upos(tags),
            self.xpos(tags),
            self.starts(words).squeeze(-1),
            self.arcs.all_pairs(self.arc_dependent(inside), heads),
            self.label_dependent(inside),
            _with_root(self.root_label, self.label_head(inside)),
            self.spans.all_pairs(self.span_left(boundaries), self.span_right(boundaries)),
            self.span_label_left(boundaries),
            self.span_label_right(boundaries),
        )


def _with_root(root: Tensor, words: Tensor) -> Tensor:
    return torch.cat([root.expand(words.shape[0], 1, -1), words], dim=1)


def _boundaries(inside: Tensor, lengths: Tensor) -> Tensor:
    """Vectors of the boundaries between words: the forward vector of the word before, the backward one of that after.

    At the ends of a sentence, where there is no such word, the entries are 0.
    """
    half = inside.shape[2] // 2
    real = (torch.arange(inside.shape[1]) < lengths[:, None]).unsqueeze(-1)
    inside = inside * real
    nothing = inside.new_zeros(inside.shape[0], 1, half)
    before = torch.cat([nothing, inside[:, :, :half]], dim=1)
    after = torch.cat([inside[:, :, half:], nothing], dim=1)
    # The last boundary has no word after it, and boundaries in the padding have none at all.
    return torch.cat([before, after], dim=-1)


def run_recurrence(lstm: nn.Module, values: Tensor, coarse: bool) -> Tensor:
    """States of one direction of an LSTM, float32 [lines, longest, units].

    Args:
        lstm: Takes the words of all lines first.
        values: float32 [lines, longest, inputs].
        coarse: Whether bfloat16 will do. Processors without it compute in float32: PyTorch has no recurrence in
            bfloat16 for them, and raises where it is asked for one.
    """
    half = coarse and torch.ops.mkldnn._is_mkldnn_bf16_supported()  # noqa: SLF001 - no public name
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
        outputs: Tensor = lstm(values.transpose(0, 1))[0]
    columns: Tensor = outputs.transpose(0, 1).float()
    return columns


@contextmanager
def without_subnormals() -> Iterator[None]:
    """Counts subnormal numbers of this thread as zero, as long as the block lasts.

    Adam's moments of rare words become subnormal numbers, on which the processor is a hundred times slower. What comes
    after the block computes with them again: scores depend on them.
    """
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


class _LogSum(torch.autograd.Function):
    """Log-sums that a kernel has found together with their derivatives."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, log_sums: Float, marginals: Float) -> Tensor:
        ctx.save_for_backward(torch.from_numpy(marginals).to(scores.dtype))
        return torch.from_numpy(log_sums).to(scores.dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        (marginals,) = ctx.saved_tensors
        return marginals * gradients[0][:, None, None], None, None


def tree_log_sum(scores: Tensor, lengths: Tensor) -> Tensor:
    """Log of the sum over all single-root trees of each sentence, [batch].

    Args:
        scores: [batch, longest, longest + 1], of word m under head h, where head 0 is the root; padded at the end.
        lengths: int64 [batch].
    """
    table = scores.detach().double().contiguous().numpy()
    marginals, log_sums, determinants = np.zeros_like(table), np.zeros(len(table)), np.zeros(len(table))
    tree_marginals_batch(table, lengths.numpy(), log_sums, determinants, marginals)
    # Where rounding has destroyed the determinant, the sentence has no gradient in this step.
    broken = ~(np.isfinite(log_sums) & (determinants > 1e-12))
    marginals[broken] = 0.0
    log_sums[broken] = 0.0
    result: Tensor = _LogSum.apply(scores, log_sums, marginals)  # type: ignore[no-untyped-call]
    return result


def span_log_sum(scores: Tensor, lengths: Tensor) -> Tensor:
    """Log of the sum over all binary bracketings of each sentence, [batch].

    Args:
        scores: [batch, longest + 1, longest + 1], of the span from boundary i to boundary j.
        lengths: int64 [batch], words of each sentence.
    """
    table = scores.detach().double().contiguous().numpy()
    marginals, log_sums = np.zeros_like(table), np.zeros(len(table))
    span_marginals_batch(table, lengths.numpy(), log_sums, marginals)
    # Single words belong to every bracketing and have no score.
    places = np.arange(table.shape[1] - 1)
    marginals[:, places, places + 1] = 0.0
    result: Tensor = _LogSum.apply(scores, log_sums, marginals)  # type: ignore[no-untyped-call]
    return result


PARTS = ("arcs", "labels", "upos", "xpos", "starts", "spans", "span_labels")


def losses(network: ParserNetwork, batch: Batch) -> dict[str, Tensor]:
    """Negative log-likelihood of every part, divided by the number of words."""
    scores = network(batch)
    n_words = batch.upos.shape[0]
    asked = batch.starts >= 0
    sums = {
        "arcs": _arc_loss(scores, batch),
        "labels": functional.cross_entropy(
            _gold_label_scores(network, scores, batch), batch.labels, reduction="sum"
        ),
        "upos": functional.cross_entropy(scores.upos, batch.upos, reduction="sum"),
        "xpos": functional.cross_entropy(scores.xpos, batch.xpos, reduction="sum"),
        "starts": functional.binary_cross_entropy_with_logits(
            scores.starts[asked], batch.starts[asked], reduction="sum"
        ),
        "spans": _span_loss(scores, batch),
        "span_labels": functional.cross_entropy(
            _gold_span_label_scores(network, scores, batch), batch.labelled[:, 3], reduction="sum"
        ),
    }
    return {part: value / n_words for part, value in sums.items()}


def _arc_loss(scores: Scores, batch: Batch) -> Tensor:
    sentence, word, head = batch.arcs.unbind(1)
    return tree_log_sum(scores.arcs, batch.lengths).sum() - scores.arcs[sentence, word, head].sum()


def _gold_label_scores(network: ParserNetwork, scores: Scores, batch: Batch) -> Tensor:
    sentence, word, head = batch.arcs.unbind(1)
    return network.labels.pairs(scores.label_dependents[sentence, word], scores.label_heads[sentence, head])


def _span_loss(scores: Scores, batch: Batch) -> Tensor:
    if not batch.bracketed.numel():
        return scores.spans.new_zeros(())
    kept = scores.spans[batch.bracketed]
    sentence, start, end = batch.spans.unbind(1)
    return span_log_sum(kept, batch.lengths[batch.bracketed]).sum() - scores.spans[sentence, start, end].sum()


def _gold_span_label_scores(network: ParserNetwork, scores: Scores, batch: Batch) -> Tensor:
    sentence, start, end, _ = batch.labelled.unbind(1)
    return network.span_labels.pairs(scores.span_lefts[sentence, start], scores.span_rights[sentence, end])
