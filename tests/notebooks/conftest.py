"""`pytest tests/notebooks` runs every notebook of the table of contents through nbval, strictly.

With `--threads one` only those that ask torch for a single thread, which may run beside other
work; with `--threads several` only the others.
"""

import os
from pathlib import Path

import nbval.plugin
import pytest

from comparison import Tolerance, differences
from contents import notebooks_in_contents


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a part of the notebooks be chosen."""
    parser.addoption("--threads", choices=["one", "several"], help="only notebooks with so many")


def chosen(config: pytest.Config) -> list[Path]:
    """The notebooks that are to run."""
    threads = config.getoption("--threads")
    return [
        path
        for path in notebooks_in_contents()
        if threads is None
        or (threads == "one") == ("set_num_threads(1)" in path.read_text(encoding="utf-8"))
    ]


def pytest_configure(config: pytest.Config) -> None:
    """Add the notebooks to what is collected, and switch nbval on for them."""
    config.option.nbval = True
    config.option.nbval_current_env = True
    if config.getoption("--threads") == "one":
        config.args = []  # what is no notebook runs with the others
        # numpy's and scikit-learn's threads are not torch's: beside other work they only wait
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ[name] = "1"
    config.args = [*config.args, *map(str, chosen(config))]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Fail if a notebook was not collected: a chapter cannot be forgotten."""
    found = {item.path for item in items if isinstance(item, nbval.plugin.IPyNbCell)}
    forgotten = set(chosen(config)) - found
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
