"""Make what is missing: environment, Node.js, front end, assets, site.

    python book/_tools/prepare.py GOAL...

Goals: `site` (the built site, which needs no torch), `frontend` (the bundled widgets),
`node-modules` (what the front end is built with), `everything` (the environment that executes
chapters and runs the tests). Only the standard library is used: this runs before anything is
installed.
"""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from node import PACKAGE as NODE_PACKAGE
from node import Node, find_node
from stamps import BUILD, ROOT, digest, step

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
FRONTEND = ROOT / "book" / "frontend"
WIDGETS = ROOT / "book" / "seq2bert" / "widgets" / "static"
ASSETS = BUILD / "assets"
GROUPS = {"site": ("site",), "everything": ("site", "test")}


class SetupError(Exception):
    """Why the set-up cannot go on, in one sentence for the user."""


def main(goals: Sequence[str]) -> None:
    """Reach each goal, doing the steps of which something has changed."""
    known = {
        "site": build_site,
        "frontend": build_frontend,
        "node-modules": install_node_modules,
        "everything": lambda: install_python("everything"),
    }
    for goal in goals:
        if goal not in known:
            raise SetupError(f"There is no goal {goal!r}: choose from {', '.join(known)}.")
    for goal in goals:
        known[goal]()


def install_python(wanted: str) -> None:
    """Create the environment and install a group of packages into it, pinned.

    `everything` contains the book's package and torch; `site` contains neither.
    """
    if not (PYTHON.exists() and (VENV / "bin" / "pip").exists()):
        say("Creating the environment .venv")
        run(
            [sys.executable, "-m", "venv", str(VENV)],
            log="venv",
            failure="Python's venv module does not work here: install it "
            "(on Debian and Ubuntu: apt install python3-venv).",
        )
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    packages = [
        name for group in GROUPS[wanted] for name in project["optional-dependencies"][group]
    ]
    if wanted == "everything":
        packages += project["dependencies"]
    key = digest(ROOT / "requirements.txt", *packages, str(VENV.stat().st_ino))
    with step(f"python-{wanted}", key) as needed:
        if needed:
            say(f"Installing the book's Python packages ({wanted}); the first time takes minutes")
            pip(["-c", str(ROOT / "requirements.txt"), *packages])
            if wanted == "everything":
                pip(["--no-deps", "-e", str(ROOT)])


def pip(arguments: Sequence[str]) -> None:
    """Install with pip, and turn its failure into one sentence."""
    run(
        [str(PYTHON), "-m", "pip", "install", "--retries", "2", *arguments],
        log="pip",
        failure="pip could not install the book's packages",
    )


def require_node() -> Node:
    """Return a Node.js, installed from PyPI when the machine has none that is new enough."""
    install_python("site")
    node = find_node(VENV)
    if node is None:
        say("Installing Node.js into the environment")
        pip(["-c", str(ROOT / "requirements.txt"), NODE_PACKAGE])
        node = find_node(VENV)
    if node is None:
        raise SetupError("Node.js 20 or newer is needed and could not be installed: install it.")
    return node


def install_node_modules() -> Node:
    """Install the pinned npm packages of the front end."""
    node = require_node()
    key = digest(FRONTEND / "package.json", FRONTEND / "package-lock.json", str(node.node))
    with step("node-modules", key, [FRONTEND / "node_modules"]) as needed:
        if needed:
            say("Installing the front end's npm packages")
            run(
                [*node.npm, "ci", "--no-audit", "--no-fund"],
                log="npm",
                folder=FRONTEND,
                environment=node.environment(),
                failure="npm could not install the front end's packages",
            )
    return node


def build_frontend() -> Node:
    """Bundle the widgets for Jupyter and for the site."""
    node = install_node_modules()
    key = digest(FRONTEND, ROOT / "book" / "seq2bert" / "palette.py", str(node.node))
    with step("frontend", key, [WIDGETS, ASSETS / "frontend"]) as needed:
        if needed:
            say("Bundling the front end")
            run(
                [*node.npm, "run", "build"],
                log="frontend",
                folder=FRONTEND,
                environment=node.environment(),
                failure="The front end could not be bundled",
            )
    return node


def copy_assets() -> None:
    """Copy what the site serves itself: the styles and fonts of the maths, the icons."""
    tool = ROOT / "book" / "_tools" / "assets.py"
    key = digest(tool, FRONTEND / "package-lock.json", ROOT / "book" / "_sphinx" / "templates")
    with step("assets", key, [ASSETS / "katex", ASSETS / "icons", ASSETS / "text"]) as needed:
        if needed:
            say("Copying fonts and icons")
            run([str(PYTHON), str(tool)], log="assets", failure="Fonts and icons are missing")


def build_site() -> None:
    """Build the site from the stored outputs of the chapters."""
    node = build_frontend()
    copy_assets()
    say("Building the site")
    run(
        [str(PYTHON), str(ROOT / "book" / "_tools" / "build_site.py")],
        log=None,
        environment=node.environment(),
        failure="The site was not built: each fault is named above.",
    )


def run(
    command: Sequence[str],
    *,
    failure: str,
    log: str | None,
    folder: Path = ROOT,
    environment: dict[str, str] | None = None,
) -> None:
    """Run a command, its output going to a log, and raise one sentence if it fails."""
    if log is None:
        if subprocess.run(command, cwd=folder, env=environment).returncode:
            raise SetupError(failure)
        return
    file = BUILD / "logs" / f"{log}.log"
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w") as output:
        code = subprocess.run(
            command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT
        ).returncode
    if code:
        raise SetupError(explain(failure, file))


NO_NETWORK = re.compile(
    r"name resolution|NewConnectionError|Failed to establish|ConnectTimeout|ReadTimeout|getaddrinfo"
    r"|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|Network is unreachable|ProxyError"
)


def explain(failure: str, log: Path) -> str:
    """Say in one sentence why a logged command failed."""
    if failure.endswith("."):
        return failure
    where = log.relative_to(ROOT)
    text = log.read_text(errors="replace")
    if NO_NETWORK.search(text):
        return f"{failure}: there is no network, or it is blocked (details in {where})."
    if "No space left on device" in text:
        return f"{failure}: the disk is full (details in {where})."
    return f"{failure}: see {where}."


def say(message: str) -> None:
    """Tell the user what takes the time."""
    print(f"\N{BULLET} {message}", flush=True)


if __name__ == "__main__":
    os.chdir(ROOT)
    try:
        main(sys.argv[1:])
    except SetupError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        print("\nStopped.")
        sys.exit(130)
