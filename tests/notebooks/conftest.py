"""`pytest tests/notebooks` runs every notebook of the table of contents through nbval, strictly."""

from pathlib import Path

import nbval.plugin
import pytest
import yaml

from comparison import Tolerance, differences

ROOT = Path(__file__).parents[2]


def pages_in_contents() -> list[str]:
    """The pages that `_toc.yml` names, without suffix, relative to the top of the repository."""

    def names(entry: dict) -> list[str]:
        own = [entry[key] for key in ("root", "file") if key in entry]
        nested = [entry.get(key, []) for key in ("parts", "chapters", "sections")]
        return own + [name for group in nested for child in group for name in names(child)]

    return names(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf8")))


def notebooks_in_contents() -> list[Path]:
    """The notebooks among these pages."""
    paths = [ROOT / f"{page}.ipynb" for page in pages_in_contents()]
    return [path for path in paths if path.is_file()]


def pytest_configure(config: pytest.Config) -> None:
    """Add the notebooks to what is collected, and switch nbval on for them."""
    config.option.nbval = True
    config.option.nbval_current_env = True
    config.args = [*config.args, *map(str, notebooks_in_contents())]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Fail if a notebook of the contents was not collected: a chapter cannot be forgotten."""
    found = {item.path for item in items if isinstance(item, nbval.plugin.IPyNbCell)}
    forgotten = set(notebooks_in_contents()) - found
    if forgotten:
        raise pytest.UsageError(f"not collected: {', '.join(map(str, sorted(forgotten)))}")


def compare_outputs(
    cell: nbval.plugin.IPyNbCell, test: list, ref: list, skip_compare: object = None
) -> bool:
    """Whether the fresh outputs of a cell (`test`) agree with the stored ones (`ref`)."""
    found = differences(ref, test, Tolerance.of(cell.cell.metadata))
    cell.comparison_traceback = found
    return not found


nbval.plugin.IPyNbCell.compare_outputs = compare_outputs
