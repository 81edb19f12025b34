"""Tests of the SDK: quick, without a server and without sleeping. Run ``python3 -m unittest``."""

import logging
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
logging.getLogger("asyncflow").addHandler(logging.NullHandler())
logging.getLogger("asyncflow").propagate = False
