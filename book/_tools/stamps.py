"""Stamps: a step is done again only when what it depends on has changed."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build"
BUNDLED = ROOT / "book" / "seq2bert" / "widgets" / "static"  # made by the build itself


def digest(*parts: Path | str) -> str:
    """Hash texts and files, a folder counting as its files' names and contents."""
    total = hashlib.sha256()
    for part in parts:
        if isinstance(part, str):
            total.update(part.encode())
            continue
        for file in sorted(files_below(part)):
            total.update(file.relative_to(ROOT).as_posix().encode())
            total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()


def files_below(path: Path) -> Iterator[Path]:
    """Yield the files of a folder (or the file itself), installed and cached ones left out."""
    if path.is_file():
        yield path
    elif path.is_dir() and path.name not in {"node_modules", "__pycache__"} and path != BUNDLED:
        for child in path.iterdir():
            yield from files_below(child)


@contextmanager
def step(name: str, key: str, products: Iterable[Path] = ()) -> Iterator[bool]:
    """Open a step of the set-up: the value is whether it has to run.

    The stamp is written only when the body ends without an exception, so that a step that was
    stopped half-way runs again.

    Args:
        name: the file name of the stamp.
        key: a hash of everything the step depends on.
        products: what the step makes; if one of them is missing, the step runs.
    """
    stamp = BUILD / "stamps" / name
    done = stamp.is_file() and stamp.read_text() == key and all(p.exists() for p in products)
    if not done:
        stamp.unlink(missing_ok=True)
    yield not done
    if not done:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(key)
