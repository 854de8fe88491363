"""Pairs that processes share out have the scores that they have alone."""

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pfsm.model.forked_scoring import FIRST_TO_SHARE, PAIRS_PER_JOB, SCORED_HERE, ForkedScorer, is_plain

from pfsm.errors import PfsmError, PfsmWarning
from pfsm.model import forked_scoring
from pfsm.model.settings import Settings
from pfsm.model.shipped import find_model

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks")
Float = NDArray[np.float64]
MANY = 3 * FIRST_TO_SHARE
PLAIN = Settings()


@pytest.fixture(autouse=True)
def _may_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forked_scoring, "may_fork", lambda: True)


def lines(count: int, start: int = 0) -> tuple[list[str], list[str]]:
    return [f"h {number}" for number in range(start, start + count)], [
        f"r {number % 700}" for number in range(start, start + count)
    ]


class Scorer:
    """Numbers that depend on a pair alone; remembers how many pairs were scored in this process."""

    def __init__(self) -> None:
        self.here = 0

    def __call__(
        self, hypotheses: Sequence[str], references: Sequence[str], columns: Mapping[str, Float], threads: int
    ) -> Float:
        self.here += len(hypotheses)
        if "h bad" in hypotheses:
            raise PfsmError(f"pair {hypotheses.index('h bad') + 1} is too long")
        own = [
            int(hypothesis[2:]) + int(reference[2:]) / 1000
            for hypothesis, reference in zip(hypotheses, references, strict=True)
        ]
        return np.array(own) * columns.get("length", np.ones(len(own)))


def expected(hypotheses: Sequence[str], references: Sequence[str]) -> list[float]:
    return list(Scorer()(hypotheses, references, {}, 1))


def test_scores_stand_at_their_pairs() -> None:
    scorer, forked = Scorer(), ForkedScorer(3, PLAIN)
    pairs = lines(MANY)
    assert forked.scores(scorer, *pairs, {}).tolist() == expected(*pairs)
    assert scorer.here == SCORED_HERE
    more = lines(2 * PAIRS_PER_JOB + 1, MANY)
    numbers = np.linspace(1.0, 2.0, len(more[0]))
    found = forked.scores(scorer, *more, {"length": numbers})
    assert found.tolist() == (np.array(expected(*more)) * numbers).tolist()
    assert scorer.here == SCORED_HERE  # nothing more here


def test_models_that_need_more_than_text_and_tables_stay_here() -> None:
    plain = {name: is_plain(find_model(name).settings) for name in ("en", "en-fast", "en-small", "multi")}
    assert plain == {"en": False, "en-fast": True, "en-small": True, "multi": False}
    for settings in (Settings(matchers=("word", "dep")), Settings(features={"edpm": None})):
        scorer = Scorer()
        assert not is_plain(settings)
        ForkedScorer(2, settings).scores(scorer, *lines(MANY), {})
        assert scorer.here == MANY


def test_the_pair_at_fault_is_told_by_its_place_among_all() -> None:
    hypotheses, references = lines(MANY)
    hypotheses[5000] = "h bad"
    warnings.simplefilter("error")  # pytest sets it back
    with pytest.raises(PfsmError, match=r"^pair 5001 is too long$"):
        ForkedScorer(2, PLAIN).scores(Scorer(), hypotheses, references, {})


def test_where_a_process_is_killed_the_scores_come_from_here() -> None:
    class Dying(Scorer):
        def __call__(self, *given: Any) -> Float:
            if os.getpid() != parent:
                os._exit(9)
            return super().__call__(*given)

    parent, scorer, forked = os.getpid(), Dying(), ForkedScorer(2, PLAIN)
    with pytest.warns(
        PfsmWarning, match=r"^a process has ended by itself, perhaps for want of memory; scored in one"
    ):
        assert forked.scores(scorer, *lines(MANY), {}).tolist() == expected(*lines(MANY))
    before = scorer.here
    forked.scores(scorer, *lines(MANY), {})
    assert scorer.here == before + MANY  # not tried again


COMMAND = """
import json, sys
from pfsm.cli import main
from pfsm.runtime import workers as forked

class Told(forked.ForkedPool):
    def __init__(self, work, processes):
        super().__init__(work, processes)
        print(f"forked {processes}", file=sys.stderr)

forked.ForkedPool = Told
sys.exit(main(sys.argv[1:]))
"""


def test_the_command_line_has_the_same_bytes_on_any_number_of_threads(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    words = np.array(["river", "rivers", "run", "ran", "to", "the", "sea", "slowly", ".", "birch"])
    names = ["reference.txt", "one.txt", "two.txt"]
    for name in names:
        text = [" ".join(words[rng.integers(0, 10, rng.integers(0, 9))]) for _ in range(4500)]
        (tmp_path / name).write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
    found = []
    for threads in ("1", "3"):
        done = subprocess.run(
            [
                sys.executable, "-c", COMMAND, "score", names[0], "-i", *names[1:], "--model", "en-small",
                "--format", "json", "--quiet", "--threads", threads,
            ],
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, capture_output=True, text=True,
            check=True,
        )  # fmt: skip
        found.append(done.stdout)
        assert done.stderr.split() == ([] if threads == "1" else ["forked", threads])
    assert found[1] == found[0]
    assert len(json.loads(found[0])) == 2
