"""Build the site with Jupyter Book, every warning being a fault.

    python book/_tools/build_site.py [--all]

Sphinx reports a page's warnings only when it reads that page. A build that failed is therefore
forgotten, so that the next one does not pass over the page in silence.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from stamps import BUILD, ROOT, digest

OUTPUT = ROOT / "_build"
# What shapes every page; when one of these changes, all pages are written again.
SHAPERS = (
    "_config.yml",
    "_toc.yml",
    "book/_sphinx",
    "book/_static",
    "book/references.bib",
    ".build/assets",
)


def main() -> int:
    """Build, and return the exit code."""
    stamp = BUILD / "stamps" / "site"
    key = digest(*(ROOT / name for name in SHAPERS))
    fresh = "--all" in sys.argv or not stamp.is_file() or stamp.read_text() != key
    if fresh:
        shutil.rmtree(OUTPUT, ignore_errors=True)
    stamp.unlink(missing_ok=True)
    builder = Path(sys.executable).with_name("jupyter-book")
    environment = {"PYTHONPATH": str(ROOT / "book" / "_sphinx"), "PYTHONWARNINGS": "ignore"}
    log = BUILD / "logs" / "site.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as progress:  # faults go to the terminal
        code = subprocess.run(
            [builder, "build", ROOT, "-W", "--keep-going", "-q"],
            cwd=ROOT,
            env=os.environ | environment,
            stdout=progress,
        ).returncode
    if code:
        shutil.rmtree(OUTPUT / ".doctrees", ignore_errors=True)
        return code
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(key)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
