"""``python -m toolcell.cli``."""

import sys

from toolcell.cli import main

sys.exit(main())
