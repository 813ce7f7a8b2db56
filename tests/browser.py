"""Find and start a real Chromium for the browser tests.

Both `tests/site` and `tests/lab` use it. A `conftest.py` makes the fixtures known with
`from browser import browser, browser_page, playwright_driver` (pytest puts `tests` on the path).

A machine without a browser skips these tests and says why, except under `CI=true`,
where a missing browser is a failure: a build that skips its browser tests proves nothing.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # nothing but this machine can be reached, whatever a page asks for
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
)

# The first is the same browser without windows: no time goes into drawing tab strips.
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)

MAC_APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)

REMEDY = (
    "no Chromium or Chrome was found; install one (Debian: apt-get install "
    "chromium-headless-shell; "
    "anywhere: playwright install chromium) or set BROWSER_PATH to its program file"
)


def find_chromium(playwright: Playwright | None = None) -> Path | None:
    """Return the browser's program file, or None if the machine has none.

    The order is: the variable BROWSER_PATH, the system's own browser, Playwright's own.

    Raises:
        ValueError: BROWSER_PATH is set and is not a file.
    """
    named = os.environ.get("BROWSER_PATH")
    if named:
        if not Path(named).is_file():
            raise ValueError(f"BROWSER_PATH is {named!r}, which is not a file; correct or unset it")
        return Path(named)
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return Path(found)
    if sys.platform == "darwin":
        for application in MAC_APPLICATIONS:
            if Path(application).is_file():
                return Path(application)
    if playwright is not None:
        own = Path(playwright.chromium.executable_path)
        if own.is_file():
            return own
    return None


def launch(playwright: Playwright) -> Browser:
    """Start the browser; skip the test, or under CI=true fail it, if there is none."""
    path = find_chromium(playwright)
    if path is None:
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(f"CI=true, and {REMEDY}")
        pytest.skip(REMEDY)
    return playwright.chromium.launch(executable_path=str(path), args=list(FLAGS))


@pytest.fixture(scope="session")
def playwright_driver() -> Iterator[Playwright]:
    """Playwright itself, started once for the whole run."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright_driver: Playwright) -> Iterator[Browser]:
    """One browser for the whole run; each test opens its own context in it."""
    chromium = launch(playwright_driver)
    yield chromium
    chromium.close()


@pytest.fixture
def browser_page(browser: Browser) -> Iterator[Page]:
    """A fresh page in a fresh context (no cookies, no cache, no storage of another test)."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    yield context.new_page()
    context.close()


def until(page: Page, condition: str, seconds: float = 20) -> None:
    """Wait until an expression is true in the page.

    It is asked from outside: the policy of the site forbids Playwright's own way of waiting.
    """
    end = time.monotonic() + seconds
    while not page.evaluate(f"Boolean({condition})"):
        assert time.monotonic() < end, f"did not come true: {condition}"
        page.wait_for_timeout(20)
