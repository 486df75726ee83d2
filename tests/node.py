"""The bots for Node, with all that they need."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]


def node_bots(folder: Path) -> Path:
    """Where the bots are, in a copy of their own with what ``npm ci`` installs."""
    for tool in ("node", "npm"):
        if shutil.which(tool) is None:
            raise RuntimeError(f"the tests of the Node bots need {tool}; on Debian: apt-get install nodejs npm")
    bots = folder / "bots" / "node"
    shutil.copytree(ROOT / "bots" / "node", bots, ignore=shutil.ignore_patterns("node_modules"))
    shutil.copytree(ROOT / "protos", folder / "protos")
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    done = subprocess.run(command, cwd=bots, capture_output=True, text=True, timeout=150, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return bots
