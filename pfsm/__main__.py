"""The command ``pfsm``, and ``python -m pfsm``."""

import sys

from pfsm.installation import fault


def main() -> int:
    """Run the command; return its exit status, 2 if the files of another project stand in its way."""
    found = fault()
    if found is not None:
        sys.stderr.write(f"pfsm: {found}\n")
        return 2
    from pfsm.runtime.process import defer_gc  # noqa: PLC0415 - the other project has no such module

    defer_gc()
    from pfsm.cli import main as run  # noqa: PLC0415 - objects of its imports are not searched

    return run()


if __name__ == "__main__":
    sys.exit(main())
