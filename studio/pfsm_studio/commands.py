"""The commands that the studio adds."""

from pfsm.commands import Command

SERVE = Command(
    "offer scores and explanations over HTTP, and a workbench",
    "score and compare translations",
    "pfsm_studio.serve.command",
    example="pfsm serve",
)
