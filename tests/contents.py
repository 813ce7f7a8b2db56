"""What the table of contents names: the pages of the book, and the notebooks among them."""

from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]


def pages_in_contents() -> list[str]:
    """The pages that `_toc.yml` names, without suffix, in reading order."""

    def names(entry: dict[str, Any]) -> list[str]:
        own = [str(Path(entry[key]).with_suffix("")) for key in ("root", "file") if key in entry]
        nested = [entry.get(key, []) for key in ("parts", "chapters", "sections")]
        return own + [name for group in nested for child in group for name in names(child)]

    return names(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8")))


def notebooks_in_contents() -> list[Path]:
    """The notebooks among these pages."""
    paths = [ROOT / f"{page}.ipynb" for page in pages_in_contents()]
    return [path for path in paths if path.is_file()]
