"""Recurrences of the networks in training, at half precision where the processor has it."""

import torch
from torch import Tensor, nn


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
