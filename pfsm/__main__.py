"""``python -m pfsm``."""

import sys

from pfsm_installation import main

sys.exit(main())
