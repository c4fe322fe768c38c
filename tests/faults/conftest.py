"""Lets the tests of this folder import what the commands are made of, as the commands do."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
