"""``python -m pfsm``."""

import sys

from pfsm.cli import main

sys.exit(main())
