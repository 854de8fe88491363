"""``pfsm help``: the pages of the documentation, which ship with pfsm, and the options of a command."""

import re
from argparse import ArgumentParser, Namespace
from importlib import import_module, resources
from pathlib import Path

from pfsm.commands import COMMANDS
from pfsm.commands.usage import Parser, meant
from pfsm.errors import PfsmError

_FOLDER = Path(str(resources.files("pfsm.resources") / "topics"))
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)\n*")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_PAGE = re.compile(r"([a-z-]+)\.md(?:#.*)?")


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "topic", nargs="?", metavar="TOPIC", help="a topic or a command; none: list the topics"
    )


def run(options: Namespace) -> None:
    """Prints the page, or the options of the command."""
    topic = options.topic
    if topic is None:
        _print_topics()
    elif topic in topics():
        print(page(topic))
        if topic in COMMANDS:
            print(f"`pfsm {topic} --help` lists the options of the command.")
    elif topic in COMMANDS:
        command = import_module(f"pfsm.commands.{topic}")
        parser = Parser(prog=f"pfsm {topic}")
        command.add_arguments(parser)
        parser.print_help()
    else:
        known = [*topics(), *COMMANDS]
        raise PfsmError(
            f"no topic and no command {topic!r}{meant(topic, known)}; `pfsm help` lists the topics"
        )


def topics() -> dict[str, Path]:
    """The pages by name."""
    return {path.stem: path for path in sorted(_FOLDER.glob("*.md"))}


def page(topic: str) -> str:
    """The text of a page for a terminal: without images, with links as commands and addresses."""
    text = topics()[topic].read_text(encoding="utf-8")
    return _LINK.sub(lambda link: _linked(link[1], link[2]), _IMAGE.sub("", _COMMENT.sub("", text))).rstrip()


def _linked(text: str, target: str) -> str:
    if "://" in target:
        return f"{text} <{target}>"
    match = _PAGE.fullmatch(target)
    if match is None or match[1] not in topics():
        return text  # a place on the same page, or a file of the checkout
    command = f"`pfsm help {match[1]}`"
    return command if text.startswith(match[1]) else f"{text} ({command})"


def _print_topics() -> None:
    width = max(map(len, topics()))
    print("topics:")
    for name, path in topics().items():
        title = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        print(f"  {name:<{width}}  {title}")
    print()
    print("`pfsm help TOPIC` prints one; `pfsm help COMMAND` explains the options of a command.")
