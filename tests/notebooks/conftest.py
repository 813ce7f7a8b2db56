"""`pytest tests/notebooks` runs every notebook of the table of contents through nbval, strictly."""

import nbval.plugin
import pytest

from comparison import Tolerance, differences
from contents import notebooks_in_contents


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
