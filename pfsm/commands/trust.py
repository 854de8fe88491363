"""``pfsm trust``: the user's own list of model files that may run and read what they name."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from pfsm.errors import PfsmError
from pfsm.io.files import checksum, content_checksum, is_file
from pfsm.model.file import read_document
from pfsm.model.shipped import shipped_models
from pfsm.model.trust import described, reaches
from pfsm.model.trusted import list_path, trusted_models, write_trusted

# Digits of a digest that `pfsm trust` prints.
SHOWN_DIGITS, SHORTEST_DIGEST = 12, 8


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "models", nargs="*", metavar="MODEL", help="model files to trust from now on; none: list them"
    )
    parser.add_argument(
        "--remove",
        action="store_true",
        help="trust them no longer; MODEL may also be the beginning of a digest",
    )


def run(options: Namespace) -> None:
    """Lists, adds or removes; nothing is run."""
    if not options.models:
        if options.remove:
            raise PfsmError("--remove needs the models that are to be trusted no longer")
        _list()
    elif options.remove:
        _remove(options.models)
    else:
        _add(options.models)


def _list() -> None:
    entries = trusted_models()
    for digest, note in entries.items():
        print(f"{digest[:SHOWN_DIGITS]}  {note}".rstrip())
    if not entries:
        print(f"no model is trusted; `pfsm trust MODEL` adds one to {list_path()}")


def _add(models: list[str]) -> None:
    entries, lines, added = trusted_models(), [], False
    shipped = {model.name for model in shipped_models()}
    for name in models:
        if name in shipped:
            raise PfsmError(f"{name}: ships with pfsm and needs no trust")
        content, document = read_document(name)
        found = reaches(document)
        if found:
            entries[content_checksum(content)] = str(Path(name).absolute())
            added = True
        lines.append(
            f"{name}: may {described(found)}" if found else f"{name}: needs no trust, it is only data"
        )
    if added:
        lines.append(f"[written to {write_trusted(entries)}]")
    print("\n".join(lines))


def _remove(models: list[str]) -> None:
    entries = trusted_models()
    for name in models:
        there = {checksum(name)} if is_file(name) else set()
        gone = [
            digest
            for digest, note in entries.items()
            if digest in there
            or note == str(Path(name).absolute())
            or (len(name) >= SHORTEST_DIGEST and digest.startswith(name))
        ]
        if not gone:
            raise PfsmError(f"{name}: is not among the trusted models; `pfsm trust` lists them")
        for digest in gone:
            del entries[digest]
    print(f"[written to {write_trusted(entries)}]")
