"""Commands that are given something bad among the good files; each returns the line that says so."""

from tests.command_runs import Cli

MODEL = ("-m", "hand.json")


def train(cli: Cli, *arguments: str) -> str:
    """`pfsm train`, its output where an old file is."""
    return cli("train", *arguments, "--output", "out.json").fault


def evaluate(cli: Cli, *arguments: str) -> str:
    """`pfsm evaluate`."""
    return cli("evaluate", *arguments, *MODEL, "--confidence-n", "9").fault


def compare(cli: Cli, *arguments: str) -> str:
    """`pfsm compare`, its sentences where an old file is."""
    return cli("compare", *arguments, *MODEL, "--sentences", "out.tsv").fault
