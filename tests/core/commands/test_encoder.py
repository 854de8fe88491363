"""A model with something learned over an encoder, from training to explanation, on the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

from pfsm_training.encoder import learning
from tests.command_runs import Cli, Write
from tests.core.encoder.encoders import network
from tests.judgment_cases import rows, tsv

ROWS = rows(24, seed=3)


def test_train_score_explain_and_show(
    cli: Cli, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "MOST_PASSES", 1)
    source = Path(network(tmp_path)).name
    write("d.tsv", tsv(ROWS))
    write("c.yaml", f"matchers: [word]\nlambda: 5\nencoder: {{tune: head, source: {source}}}\n")
    assert cli("train", "d.tsv", "--config", "c.yaml", "-o", "/dev/null").fault == (
        "/dev/null: with encoder, two files are written; --output must name a file"
    )
    cli("train", "d.tsv", "--config", "c.yaml", "-o", "m.json").lines  # noqa: B018 - checks that it succeeded
    (file,) = Path().glob("encoder-*.safetensors")
    label = file.stem.removeprefix("encoder-")
    write("h.txt", "".join(f"{row[1]}\n" for row in ROWS))
    write("r.txt", "".join(f"{row[0]}\n" for row in ROWS))
    scored = [
        cli(
            "score", "r.txt", "-i", "h.txt", "-m", "m.json", "-sl", "-f", "json", "--threads", threads
        ).document
        for threads in ("1", "2")
    ]
    assert scored[0] == scored[1]
    assert f"encoder(head={label},source={source}@" in scored[0]["signature"]
    shown = "\n".join(cli("show", "m.json").lines)
    assert f"encoder     {source}@" in shown
    assert f"head {label}" in shown
    explained = cli("explain", "r.txt", "-i", "h.txt", "-m", "m.json", "-f", "json").document
    segments = explained[0]["segments"]
    found = [one["score"] for one in segments]
    assert found == pytest.approx(scored[0]["segment_scores"], abs=1e-9)
    for one in segments:
        points = one["encoder"]["constant"] + sum(part[2] for part in one["encoder"]["parts"])
        assert points == pytest.approx(one["features"][0]["points"], abs=1e-9)
    text = "\n".join(cli("explain", "r.txt", "-i", "h.txt", "-m", "m.json", "--segment", "1").lines)
    assert "part of encoder" in text
    assert np.isfinite(json.loads(Path("m.json").read_text())["training"]["encoder"]["held_out"]["1"])
    file.rename("elsewhere.safetensors")
    assert cli("score", "r.txt", "-i", "h.txt", "-m", "m.json").fault == (
        f"m.json: needs {file.name} in the same folder, which is not there; copy it with the model"
    )
    assert f"head {label}" in "\n".join(cli("show", "m.json").lines)
