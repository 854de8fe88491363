"""The recurrence at half precision: only where the processor can."""

import pytest
import torch
from torch import nn

from pfsm_training.parsing.network import run_recurrence


def test_processors_without_bfloat16_compute_in_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    lstm, values = nn.LSTM(8, 8), torch.randn(2, 5, 8)
    fine = run_recurrence(lstm, values, coarse=False)
    assert fine.dtype == torch.float32
    assert run_recurrence(lstm, values, coarse=True).detach().numpy() == pytest.approx(
        fine.detach().numpy(), abs=0.02
    )
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: False)
    assert torch.equal(run_recurrence(lstm, values, coarse=True), fine)
