"""The reference files of test sets in sacrebleu's cache."""

import io
import os
from contextlib import redirect_stdout
from pathlib import Path

from pfsm.errors import PfsmError
from pfsm.runtime.names import known_names
from pfsm.text.language_names import code_of


def cached_references(test_set: str, pair: str | None, download: bool) -> list[Path]:
    """The reference files of a test set in sacrebleu's cache (``$SACREBLEU``, else ``~/.sacrebleu``)."""
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
        with redirect_stdout(io.StringIO()):
            return [Path(path) for path in data.get_reference_files(chosen)]
    except (Exception, SystemExit) as error:  # sacrebleu ends the program where a download fails
        said = " ".join(str(error).split())
        raise PfsmError(f"--download: sacrebleu could not download {test_set} ({said})") from None
