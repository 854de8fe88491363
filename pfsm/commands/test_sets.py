"""Test sets by name, as sacrebleu has them: their references come from sacrebleu's own cache."""

import contextlib
import io
import os
from argparse import Namespace
from pathlib import Path

from pfsm.errors import PfsmError
from pfsm.runtime.near_names import known_names
from pfsm.text.language_names import code_of


def reference_paths(options: Namespace) -> list[str]:
    """The reference files: those given, or those of the test set."""
    given: list[str] = options.references
    if options.test_set is None:
        if options.language_pair is not None:
            raise PfsmError("--language-pair goes with --test-set NAME")
        return given
    if given:
        raise PfsmError(
            f"give either reference files or --test-set, not both; {given[0]} is a reference file"
        )
    return list(map(str, cached_references(options.test_set, options.language_pair, options.download)))


def cached_references(test_set: str, pair: str | None, download: bool) -> list[Path]:
    """The reference files of a test set in sacrebleu's cache (``$SACREBLEU``, else ``~/.sacrebleu``).

    Args:
        test_set: The name that sacrebleu gives it.
        pair: The language pair, of codes or names of languages.
        download: Whether sacrebleu may download the set if it is not there.
    """
    from sacrebleu.dataset import DATASETS  # noqa: PLC0415 - only where a test set is asked for

    if test_set not in DATASETS:
        known = known_names(test_set, tuple(DATASETS), "`sacrebleu --list`")
        raise PfsmError(f"--test-set {test_set!r}: unknown; {known}")
    data = DATASETS[test_set]
    chosen = "-".join(map(code_of, (pair or "").split("-")))
    if chosen not in data.langpairs:
        known = known_names(chosen, tuple(data.langpairs), f"`sacrebleu -t {test_set} --list`")
        raise PfsmError(f"--language-pair {pair or 'is missing'}: {test_set} has no such pair; {known}")
    # Where sacrebleu keeps them: CACHE/SET/SET.PAIR.FIELD.
    folder = Path(os.environ.get("SACREBLEU", Path("~").expanduser() / ".sacrebleu")) / test_set
    fields = [field.replace(":", "-") for field in data.fieldnames(chosen) if field.startswith("ref")]
    found = [folder / f"{test_set.replace('/', '_')}.{chosen}.{field}" for field in fields]
    if all(path.is_file() for path in found):
        return found
    if not download:
        raise PfsmError(
            f"{found[0]}: not there; say --download to let sacrebleu download {test_set} into its cache"
        )
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return [Path(path) for path in data.get_reference_files(chosen)]
    except (Exception, SystemExit) as error:  # sacrebleu ends the program where a download fails
        said = " ".join(str(error).split())
        raise PfsmError(f"--download: sacrebleu could not download {test_set} ({said})") from None
