"""``pfsm plugins``: what other packages add to pfsm, and whether it keeps its promises."""

from argparse import ArgumentParser, Namespace
from typing import Any

import yaml

from pfsm.commands.options import declare
from pfsm.commands.output import print_columns, print_json
from pfsm.errors import PfsmError
from pfsm.registry import KINDS, PAGE, Entry, find_table, group, table

CHECK = """
name NAME  the plug-in; of an analyser NAME:ARGUMENT, of a metric NAME(KEY=VALUE,…)
--kind KIND  where several plug-ins have this name: KINDS
--option KEY=VALUE...  an option of a matcher or format
--sample FILE...  judgments to try it on besides the built-in sentences; of a format, files to read
""".replace("KINDS", ", ".join(KINDS))


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.set_defaults(action=_list, format="text")
    actions = parser.add_subparsers(metavar="ACTION", title="actions")
    declare(actions.add_parser("list", help="list all plug-ins (the default)"), "@format text json")
    checking = actions.add_parser("check", help="test whether a plug-in does what pfsm expects of it")
    checking.set_defaults(action=_check)
    declare(checking, CHECK, kind=KINDS)


def run(options: Namespace) -> None:
    """Lists or checks."""
    options.action(options)


def _list(options: Namespace) -> None:
    rows = [_row(entry) for entry in _plugins()]
    if options.format == "json":
        print_json(rows)
        return
    if not rows:
        groups = ", ".join(map(group, KINDS))
        print(f"no plug-ins; packages add them through the entry points {groups} ({PAGE})")
        return
    print_columns([[row[key] for key in ("kind", "name", "package", "state")] for row in rows])


def _plugins() -> list[Entry]:
    """All plug-ins of the kinds that this installation knows."""
    return [entry for kind in KINDS for entry in getattr(find_table(kind), "plugins", tuple)()]


def _row(entry: Entry) -> dict[str, str]:
    try:
        table(entry.kind).loaded(entry)
        state = "ok"
    except PfsmError as error:
        state = f"broken: {str(error).removeprefix(f'{entry}: ')}"
    return {"kind": entry.kind, "name": entry.name, "package": str(entry.origin), "state": state}


def _check(options: Namespace) -> None:
    from pfsm.conformance.checks import Result  # noqa: PLC0415 - brings everything that can be plugged in
    from pfsm.conformance.kinds import check, subject_of  # noqa: PLC0415

    entry = _named(options.name, options.kind)
    files = tuple(options.sample) if entry.kind == "format" else ()
    samples = [] if files else [pair for path in options.sample for pair in _pairs(path)]
    subject = subject_of(entry.kind, options.name, _options(options.option), samples, files)
    print(f"{entry}:")
    failed: list[str] = []

    def report(result: Result) -> None:
        more = result.fault or result.note
        state = "FAILED" if result.fault else "ok"
        print(f"  {state:<6}  {result.name}{f': {more}' if more else ''}", flush=True)
        failed.extend([result.name] if result.fault else [])

    check(entry.kind, subject, report)
    if failed:
        raise PfsmError(f"{entry}: {len(failed)} of its checks failed, the first: {failed[0]}")


def _named(asked: str, kind: str | None) -> Entry:
    bare = asked.partition("(")[0].partition(":")[0]
    entries = _plugins()
    found = [entry for entry in entries if kind in {None, entry.kind} and entry.name in {asked, bare}]
    if not found:
        known = ", ".join(sorted({entry.name for entry in entries}))
        raise PfsmError(f"no plug-in {asked!r}; {f'known are {known}' if known else 'none is installed'}")
    if len(found) > 1:
        kinds = ", ".join(entry.kind for entry in found)
        raise PfsmError(f"several plug-ins are called {asked!r} ({kinds}); choose one with --kind")
    return found[0]


def _options(given: list[str]) -> dict[str, Any]:
    values = {}
    for entry in given:
        key, equals, text = entry.partition("=")
        if not key or not equals:
            raise PfsmError(f"--option is {entry!r}, it must be KEY=VALUE")
        try:
            values[key] = yaml.safe_load(text)
        except yaml.YAMLError:
            raise PfsmError(f"--option {key}: {text!r} cannot be read as YAML") from None
    return values


def _pairs(path: str) -> list[tuple[str, str]]:
    from pfsm.data.formats import Judgment, read_format  # noqa: PLC0415

    return [
        (text, record.references[0])
        for record in read_format([path]).records
        for text in ((record.hypothesis,) if isinstance(record, Judgment) else (record.better, record.worse))
    ]
