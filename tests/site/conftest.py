"""The built site, served by the book's own server, in a real browser that may go nowhere else."""

import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Response,
)

from browser import browser, playwright_driver, until  # noqa: F401 (fixtures)
from contents import ROOT, pages_in_contents

SITE = ROOT / "_build" / "html"

sys.path.insert(0, str(ROOT / "book" / "_tools"))
from serve import make_server

PAGES = pages_in_contents()
ALL_PAGES = [*PAGES, "search"]


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Serve the built site and return its address."""
    if not (SITE / "index.html").is_file():
        pytest.fail("There is no built site: run make site first.")
    with make_server(SITE) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_address[1]}"
        server.shutdown()


@dataclass
class Visit:
    """One visitor with a browser of their own, and everything that went wrong on the way."""

    context: BrowserContext
    page: Page
    address: str
    scripts: bool = True
    scheme: str = "light"
    messages: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the page that is open."""
        return self.page.url.removeprefix(f"{self.address}/").removesuffix(".html")

    def open(self, name: str, *, live: bool = True) -> Page:
        """Open a page by its name in the table of contents and wait until it is at rest.

        Without `live` it does not wait for the widgets, which then are not to come to life.
        """
        self.page.goto(f"{self.address}/{name}.html", wait_until="load")
        if live and self.scripts:
            # asked from outside: the page's policy forbids Playwright's own way of waiting in it
            until(
                self.page,
                "[...document.querySelectorAll('figure.s2b-widget')]"
                ".every((f) => f.dataset.live && f.dataset.live !== 'loading')",
            )
        self.page.evaluate("document.fonts.ready.then(() => true)")
        return self.page

    def faults(self) -> list[str]:
        """Return everything that a page without faults has none of."""
        return [
            *(f"console: {message}" for message in self.messages),
            *(f"failed: {failure}" for failure in self.failures),
            *(f"another host: {url}" for url in self.elsewhere),
        ]


def visitor(browser: Browser, address: str, settings: dict[str, Any]) -> Visit:  # noqa: F811
    """Return a fresh visitor whose browser goes nowhere but to the site."""
    context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **settings})
    page = context.new_page()
    visit = Visit(
        context,
        page,
        address,
        settings.get("java_script_enabled", True),
        settings.get("color_scheme", "light"),
    )

    def note(request: Request) -> None:
        here = request.url.startswith((address, "data:", "blob:"))
        (visit.requests if here else visit.elsewhere).append(request.url)

    def hear(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            visit.messages.append(f"{message.type}: {message.text}")

    def hear_of_failure(failed: Request) -> None:
        # whoever leaves a page cancels what is still on its way
        if failed.failure != "net::ERR_ABORTED":
            visit.failures.append(failed.url)

    def judge(answer: Response) -> None:
        if answer.status >= 400:
            visit.failures.append(f"{answer.status} {answer.url}")

    # the browser knows no other host (`browser.FLAGS`); here it is noted if one was asked
    context.on("request", note)
    page.on("console", hear)
    page.on("pageerror", lambda error: visit.messages.append(f"exception: {error}"))
    page.on("requestfailed", hear_of_failure)
    page.on("response", judge)
    return visit


@pytest.fixture
def visit(
    browser: Browser,  # noqa: F811
    address: str,
    request: pytest.FixtureRequest,
) -> Iterator[Visit]:
    """A visitor for one test; `indirect` parameters are the settings of their browser."""
    one = visitor(browser, address, getattr(request, "param", {}))
    yield one
    one.context.close()


@pytest.fixture(scope="module")
def typist(
    browser: Browser,  # noqa: F811
    address: str,
    request: pytest.FixtureRequest,
) -> Iterator[Visit]:
    """One reader for all tests of a module, on its `PAGE`: what one test leaves, the next meets."""
    one = visitor(browser, address, {})
    one.open(request.module.PAGE)
    yield one
    one.context.close()


@pytest.fixture(
    scope="session",
    params=[(name, scheme) for name in ALL_PAGES for scheme in ("light", "dark")],
    ids=lambda param: "-".join(param),
)
def opened(
    browser: Browser,  # noqa: F811
    address: str,
    request: pytest.FixtureRequest,
) -> Iterator[Visit]:
    """Each page in light and in dark, opened once for all the tests that only look at it."""
    name, scheme = request.param
    one = visitor(browser, address, {"color_scheme": scheme})
    one.open(name)
    yield one
    one.context.close()


@pytest.fixture(scope="session", params=PAGES)
def used(
    browser: Browser,  # noqa: F811
    address: str,
    request: pytest.FixtureRequest,
) -> Iterator[Visit]:
    """Each page of the book, opened once for all the tests that point at things and press keys."""
    one = visitor(browser, address, {})
    one.open(request.param)
    yield one
    one.context.close()


@pytest.fixture(scope="session", params=ALL_PAGES)
def narrow(
    browser: Browser,  # noqa: F811
    address: str,
    request: pytest.FixtureRequest,
) -> Iterator[Visit]:
    """Each page on a phone, opened once for all the tests that only look at it."""
    one = visitor(browser, address, {"viewport": {"width": 390, "height": 844}})
    one.open(request.param)
    yield one
    one.context.close()
