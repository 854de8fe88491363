"""The log-linear model: a parameter vector of named feature weights and the constant alpha."""

from collections.abc import Mapping

import torch
from torch import Tensor

from pfsm.lattice import ArcFeatures, LatticeBatch
from pfsm_training.features import FeatureIndex, feature_index
from pfsm_training.log_sum import log_sum


class LogLinearMachine(torch.nn.Module):
    """Predicts ``y / (m + n) + alpha``, equations (2) and (3) of Wang and Manning (2012).

    Args:
        learned: Names of the weights that are parameters; all start at ``initial``.
        initial: Starting weights by name; absent: zero. Names that are not learned keep these weights.
        alpha: Starting constant.
        threads: Threads over pairs.
    """

    def __init__(
        self, learned: tuple[str, ...], initial: Mapping[str, float], alpha: float = 0.0, threads: int = 1
    ) -> None:
        super().__init__()
        self.learned = learned
        self.initial = dict(initial)
        self.threads = threads
        start = [self.initial.get(name, 0.0) for name in learned]
        self.theta = torch.nn.Parameter(torch.tensor(start, dtype=torch.float64))
        self.alpha = torch.nn.Parameter(torch.tensor(alpha, dtype=torch.float64))

    def forward(self, batch: LatticeBatch) -> Tensor:
        """Predictions in standardised units, float64 [n_pairs]; ``y / (m + n)`` is 0 for an empty pair."""
        index = feature_index(batch, self.learned, self.initial)
        return self.normalised_log_sum(batch, index) + self.alpha

    def normalised_log_sum(self, batch: LatticeBatch, index: FeatureIndex) -> Tensor:
        """``y / (m + n)``, float64 [n_pairs]."""
        weights = torch.cat([self.theta, torch.from_numpy(index.fixed)])
        table = weights[index.states].sum(0) + weights[index.transitions].sum(0)
        n_arcs = batch.lattices.arcs.shape[0]
        y = log_sum(
            table,
            batch.lattices,
            _arc_weights(batch.arc_features, weights[index.arcs], n_arcs),
            _arc_weights(batch.link_features, weights[index.links], n_arcs),
            self.threads,
            batch.jumps,
        )
        lengths = torch.from_numpy(batch.lattices.lengths).clamp(min=1)
        return y / lengths

    def weights(self) -> dict[str, float]:
        """Current weights by name, the fixed ones included."""
        return {**self.initial, **dict(zip(self.learned, self.theta.tolist(), strict=True))}


def _arc_weights(features: ArcFeatures, by_name: Tensor, n_arcs: int) -> Tensor | None:
    if not features.arc.size:
        return None
    values = by_name[torch.from_numpy(features.feature).long()] * torch.from_numpy(features.value)
    return torch.zeros(n_arcs, dtype=torch.float64).index_add(0, torch.from_numpy(features.arc), values)
