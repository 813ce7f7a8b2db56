"""A real JupyterLab with a real kernel, and a browser in front of it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page

from browser import browser, playwright_driver  # noqa: F401 (fixtures)

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Lab:
    """A running server and the folder that its notebooks are in."""

    address: str
    folder: Path
    kernels: Path


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """JupyterLab on a free port, without a token and without the settings of its user."""
    if not (ROOT / "book/seq2bert/widgets/static/heatmap.js").is_file():
        pytest.fail("the front end is not built: run `npm run build` in book/frontend")
    folder = tmp_path_factory.mktemp("notebooks")
    home = tmp_path_factory.mktemp("home")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *(f"--ServerApp.port={port}", "--ServerApp.ip=127.0.0.1", "--ServerApp.port_retries=0"),
        *("--IdentityProvider.token=", f"--ServerApp.root_dir={folder}"),
        # an announcement would ask a question and stand in the way
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    environment = os.environ | {
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "IPYTHONDIR": str(home / "ipython"),
    }
    log = (home / "log").open("w")
    server = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    try:
        up = _wait_until(lambda: _answers(f"{address}/api/status") or server.poll() is not None, 90)
        if not up or server.poll() is not None:
            pytest.fail(f"JupyterLab did not start:\n{(home / 'log').read_text()[-2000:]}")
        yield Lab(address, folder, home / "data" / "kernels")
    finally:
        server.terminate()
        server.wait(20)
        log.close()
        shutil.rmtree(home, ignore_errors=True)


@dataclass
class Notebook:
    """A notebook open in JupyterLab, its cells run one by one."""

    page: Page
    path: Path
    complaints: list[str] = field(default_factory=list)
    exempt: str | None = None

    def cell(self, number: int):
        """The cell with this number, from 0."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(number)

    def start(self, number: int) -> Locator:
        """Run one cell, and wait until the notebook has heard it; the prompt of the cell."""
        prompt = self.cell(number).locator(".jp-InputPrompt").first
        before = prompt.inner_text()
        for _ in range(4):
            self.cell(number).locator(".cm-content").first.click()
            self.page.keyboard.press("Control+Enter")
            # a notebook that is still being set up may not hear the first time
            if _wait_until(lambda: prompt.inner_text() != before, 8, self.page):
                break
        return prompt

    def run(self, number: int) -> None:
        """Run one cell and wait until the kernel has done it."""
        prompt = self.start(number)
        done = _wait_until(lambda: prompt.inner_text().strip("[]: \xa0").isdigit(), 90, self.page)
        assert done, f"cell {number} did not finish; its prompt is {prompt.inner_text()!r}"

    def restart(self) -> None:
        """Restart the kernel through the menu, as a learner does, and wait until it is there."""
        self.page.locator(".lm-MenuBar-item", has_text="Kernel").click()
        self.page.locator(".lm-Menu-item", has_text="Restart Kernel…").first.click()
        self.page.locator(".jp-Dialog button", has_text="Restart").click()
        self.page.wait_for_timeout(2_000)
        self.page.locator('.jp-NotebookPanel [data-status="idle"]').first.wait_for(timeout=60_000)


@pytest.fixture
def open_notebook(
    lab: Lab,
    browser: Browser,  # noqa: F811
) -> Iterator[Callable[..., Notebook]]:
    """Write cells into a notebook and open it; console errors are collected, and fail the test."""
    opened: list[Notebook] = []

    def open_cells(
        *sources: str, dark: bool = False, path: Path | None = None, exempt: str | None = None
    ) -> Notebook:
        """Open a notebook with these cells.

        Args:
            sources: the cells.
            dark: use the dark theme.
            path: a folder whose packages the kernel imports before the installed ones.
            exempt: a console message with this text is no fault.
        """
        file = lab.folder / f"test{len(list(lab.folder.iterdir()))}.ipynb"
        cells = [nbformat.v4.new_code_cell(source) for source in sources]
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        if path is not None:
            kernel["name"] = _kernel_with(lab.kernels, path)
        notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
        nbformat.write(notebook, file)
        theme = "JupyterLab Dark" if dark else "JupyterLab Light"
        _set(lab, "apputils-extension:themes", {"theme": theme})
        # no question about news in front of the notebook
        _set(lab, "apputils-extension:notification", {"fetchNews": "false"})
        page = browser.new_context(viewport={"width": 1400, "height": 1000}).new_page()
        shown = Notebook(page, file, exempt=exempt)
        opened.append(shown)
        page.on("console", lambda message: _note(shown, message))
        page.on("pageerror", lambda error: shown.complaints.append(str(error)))
        page.goto(f"{lab.address}/lab/tree/{file.name}?reset")
        page.locator(".jp-Notebook .jp-Cell").nth(len(sources) - 1).wait_for(timeout=60_000)
        idle = page.locator('.jp-NotebookPanel [data-status="idle"]')
        idle.first.wait_for(timeout=60_000)
        return shown

    yield open_cells
    for notebook in opened:
        notebook.page.context.close()
    complaints = [text for notebook in opened for text in notebook.complaints]
    assert not complaints, "\n".join(complaints)


def _note(notebook: Notebook, message: ConsoleMessage) -> None:
    """Keep errors that are ours: JupyterLab's own (a missing setting, say) are not."""
    text = f"{message.text} {message.location.get('url', '')}"
    ours = ("anywidget", "s2b", "seq2bert", "heatmap", "translate", "predict", "widget", "blob:")
    if notebook.exempt is not None and notebook.exempt in text:
        return
    if message.type == "error" and any(word in text.lower() for word in ours):
        notebook.complaints.append(text)


def _kernel_with(kernels: Path, path: Path) -> str:
    """Describe a kernel that imports the packages of a folder first; its name."""
    folder = kernels / path.name.lower()
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": command, "display_name": path.name, "language": "python"}
    (folder / "kernel.json").write_text(json.dumps(spec | {"env": {"PYTHONPATH": str(path)}}))
    return folder.name


def _set(lab: Lab, plugin: str, settings: dict[str, str]) -> None:
    """Change one of JupyterLab's settings before a page is opened."""
    request = urllib.request.Request(
        f"{lab.address}/lab/api/settings/@jupyterlab/{plugin}",
        data=json.dumps({"raw": json.dumps(settings)}).encode(),
        method="PUT",
        headers={"Content-Type": "application/json"},
    )
    # the server hands out a cookie against forged requests; take it first
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    opener.open(f"{lab.address}/lab", timeout=30).read()
    cookies = next(
        handler.cookiejar
        for handler in opener.handlers
        if isinstance(handler, urllib.request.HTTPCookieProcessor)
    )
    token = next((cookie.value for cookie in cookies if cookie.name == "_xsrf"), "")
    request.add_header("X-XSRFToken", token or "")
    opener.open(request, timeout=30)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=2):
            return True
    except (urllib.error.URLError, OSError):
        return False


def _wait_until(condition: Callable[[], bool], seconds: float, page: Page | None = None) -> bool:
    """Wait for a condition; return whether it came true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        if page is None:
            time.sleep(0.1)
        else:
            page.wait_for_timeout(100)
    return True
