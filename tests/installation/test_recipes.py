"""The Dockerfile, the conda recipe and the workflow name files, packages, extras and commands that there are."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from pfsm.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OLDEST = PROJECT["requires-python"].removeprefix(">=")
PYTHONS = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", one)]


def requirements(lines: list[str]) -> dict[str, str]:
    """Names and bounds."""
    found = [Requirement(line.replace(" ", "")) for line in lines]
    return {canonicalize_name(one.name): str(one.specifier) for one in found}


class TestConda:
    @pytest.fixture
    def recipe(self) -> Any:
        text = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")
        # What is in ${{ }} is not YAML's; names of the context stand there.
        recipe = yaml.safe_load(text)
        assert set(re.findall(r"\$\{\{ (\w+) \}\}", text)) <= set(recipe["context"])
        return recipe

    def test_needs_what_the_package_needs(self, recipe: Any) -> None:
        run = requirements(recipe["requirements"]["run"])
        assert run.pop("python") == f">={OLDEST}"
        assert run == requirements(PROJECT["dependencies"])
        host = requirements(recipe["requirements"]["host"])
        build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
        assert host == {"python": f">={OLDEST}", "pip": "", **requirements(build["requires"])}

    def test_names_what_there_is(self, recipe: Any) -> None:
        assert recipe["context"]["name"] == PROJECT["name"]
        assert recipe["context"]["version"] == PROJECT["version"]
        assert recipe["about"]["license"] == PROJECT["license"]
        assert (ROOT / recipe["about"]["license_file"]).is_file()
        scripts = [f"{name} = {place}" for name, place in PROJECT["scripts"].items()]
        assert recipe["build"]["python"]["entry_points"] == scripts


class TestDocker:
    TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")

    def test_python_is_one_that_is_tested(self) -> None:
        images = re.findall(r"^FROM python:([\d.]+)-slim", self.TEXT, re.MULTILINE)
        # Compiled packages of one stage are used by the other.
        assert len(images) == 2
        assert set(images) <= set(PYTHONS)
        assert len(set(images)) == 1

    def test_what_is_copied_is_sent_to_the_build(self) -> None:
        copied = re.findall(r"^COPY (?!--from)(\S+)", self.TEXT, re.MULTILINE)
        sent = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
        assert copied == [line.removeprefix("!") for line in sent if line.startswith("!")]

    def test_it_runs_as_a_user_without_privileges(self) -> None:
        *_, user = re.findall(r"^USER (\S+)", self.TEXT, re.MULTILINE)
        assert user != "root"
        assert f" {user} " in next(line for line in self.TEXT.splitlines() if "useradd" in line).replace(
            "&&", " "
        )
        assert self.TEXT.index("USER") < self.TEXT.index("ENTRYPOINT")

    def test_its_commands_are_commands(self) -> None:
        for command in re.findall(r"^RUN pfsm (\w+)", self.TEXT, re.MULTILINE):
            assert command in COMMANDS
        assert re.search(r'^ENTRYPOINT \["(\w+)"\]', self.TEXT, re.MULTILINE)[1] in PROJECT["scripts"]  # type: ignore[index]


class TestWorkflow:
    @pytest.fixture
    def jobs(self) -> Any:
        text = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
        return yaml.safe_load(text)["jobs"]

    def test_versions_of_python(self, jobs: Any) -> None:
        assert jobs["matrix"]["strategy"]["matrix"]["python"] == PYTHONS
        assert PYTHONS[0] == OLDEST
        assert len(jobs["matrix"]["strategy"]["matrix"]["os"]) > 1

    def test_targets_and_extras(self, jobs: Any) -> None:
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        steps = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
        targets = [
            one
            for run in steps
            for words in re.findall(r"^make (.+)$", run, re.MULTILINE)
            for one in words.split()
        ]
        assert targets
        for target in targets:
            assert re.search(rf"^{target}:", makefile, re.MULTILINE)
        extras = [
            one for run in steps for names in re.findall(r"\.\[([\w,]+)\]", run) for one in names.split(",")
        ]
        assert extras
        assert set(extras) <= set(PROJECT["optional-dependencies"])
        for run in steps:
            for path in re.findall(r"[\w/]+\.(?:py|toml|txt)\b", run):
                assert (ROOT / path).is_file()
