"""Encoders on a GPU beside the processor: whether scores agree, and pairs a second. Says so where there is no GPU.

    python scripts/benchmarks/device.py    # under five minutes

Needs one GPU of NVIDIA with onnxruntime-gpu in place of onnxruntime. Each model scores the same pairs on either device,
in a process of its own. The exit status is 1 if a score differs by more than `TOLERANCE`, or by anything between two
runs or two orders of the lines on the GPU; 2 without a GPU.
"""

import json
import random
import subprocess
import sys
from time import perf_counter

import numpy as np
from stopwatch import machine

import pfsm
from pfsm.embeddings.session import use_device
from pfsm.encoder.heads import is_encoder_feature
from pfsm.errors import PfsmError
from pfsm.model.shipped import find_model, shipped_models

PAIRS, TOLERANCE = 1000, 0.01  # points


def _pairs() -> tuple[list[str], list[str]]:
    """Lines of 2 to 60 words and the same with a tenth of the words changed."""
    dice = random.Random(1)
    words = ["the", "a", "house", "river", "green", "quickly", "runs", "market", "7", ","]
    references = [" ".join(dice.choices(words, k=dice.randint(2, 60))) for _ in range(PAIRS)]
    changed = [
        [dice.choice(words) if dice.random() < 0.1 else one for one in line.split()] for line in references
    ]
    return [" ".join(line) for line in changed], references


def _measure(name: str, device: str) -> None:
    """Prints scores in two orders and pairs a second, as JSON."""
    hypotheses, references = _pairs()
    metric = pfsm.load(name, device=device)
    metric.score_pairs(hypotheses[:20], references[:20])
    start = perf_counter()
    scores = pfsm.load(name).score_pairs(hypotheses, references)
    seconds = perf_counter() - start
    again = pfsm.load(name).score_pairs(hypotheses[::-1], references[::-1])[::-1]
    print(json.dumps({"scores": scores.tolist(), "again": again.tolist(), "speed": PAIRS / seconds}))


def main() -> int:
    """Measures every shipped model with an encoder on both devices."""
    try:
        use_device("cuda")
    except PfsmError as error:
        print(f"no GPU here: {error}")
        return 2
    use_device("auto")
    print(
        f"{machine()}\n\n| model | pairs/s, processor | pairs/s, GPU | largest difference |\n|---|---|---|---|"
    )
    failed = 0
    for name in [
        one
        for one in (each.name for each in shipped_models())
        if any(map(is_encoder_feature, find_model(one).settings.features))
    ]:
        found = {}
        for device in ("cpu", "cuda"):
            command: list[str] = [sys.executable, __file__, name, device]
            found[device] = json.loads(
                subprocess.run(command, capture_output=True, text=True, check=True).stdout
            )
        gap = float(np.abs(np.subtract(found["cpu"]["scores"], found["cuda"]["scores"])).max())
        failed += gap > TOLERANCE or found["cuda"]["scores"] != found["cuda"]["again"]
        speeds = " | ".join(f"{found[device]['speed']:,.0f}" for device in found)
        print(f"| {name} | {speeds} | {gap:.6f} |", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    if sys.argv[1:]:
        _measure(*sys.argv[1:])
    else:
        sys.exit(main())
