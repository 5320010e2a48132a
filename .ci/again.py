"""Run the tests that failed last once more, by themselves and one after another.

The cells of a notebook need each other, so a notebook is run whole. Where more failed than a busy
machine can explain, or nothing is known to have failed, nothing is run and the exit code is 1.
"""

import json
import subprocess
import sys
from pathlib import Path

FAILED = Path(".pytest_cache/v/cache/lastfailed")
MOST = 20

failed = list(json.loads(FAILED.read_text())) if FAILED.exists() else []
again = sorted({test.partition("::")[0] if ".ipynb::" in test else test for test in failed})
if not again or len(again) > MOST:
    sys.exit(f"{len(failed)} tests have failed, and none is run again.")
sys.exit(subprocess.call([sys.executable, "-m", "pytest", "--nbval", *again]))
