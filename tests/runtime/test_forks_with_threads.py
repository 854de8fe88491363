"""A process that forks while another of its threads scores has children that work."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, threading, time
import pfsm
metric = pfsm.load("en-small", 1)
pairs = ["the cat sat on the mat"] * 20, ["a cat sat on a mat"] * 20
wanted = metric.score_pairs(*pairs).tolist()
stop = False
def work():
    while not stop:
        metric.score_pairs(*pairs)
other = threading.Thread(target=work, daemon=True)
other.start()
time.sleep(0.1)
ended = []
for _ in range(3):
    child = os.fork()
    if not child:
        signal.alarm(20)
        os._exit(0 if metric.score_pairs(*pairs).tolist() == wanted else 3)
    ended.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
stop = True
print(ended)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_children_of_a_busy_process_score() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.stdout, done.returncode) == ("[0, 0, 0]\n", 0), done.stderr
