"""Every page of the built site, looked at in a real browser."""

import json
from urllib.parse import urljoin

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Error

from conftest import ALL_PAGES, PAGES, ROOT, SITE, Visit

AXE = ROOT / "book" / "frontend" / "node_modules" / "axe-core" / "axe.min.js"


def test_loading_a_page_leaves_no_message_and_asks_no_other_host(opened: Visit) -> None:
    assert opened.faults() == []


def test_another_host_would_be_noticed_and_cannot_be_reached(visit: Visit) -> None:
    with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
        visit.page.goto("http://example.org/")
    assert visit.elsewhere == ["http://example.org/"]


def test_the_site_s_address_leads_to_the_first_page(visit: Visit) -> None:
    visit.page.goto(visit.address)
    visit.page.wait_for_url(f"**/{PAGES[0]}.html")
    assert visit.faults() == []


def test_no_page_prints_an_object_or_a_traceback_for_its_value(opened: Visit) -> None:
    text = opened.page.inner_text("main")
    for trace in (
        "<VegaLite object>",
        "alt.Chart(...)",
        "[object Object]",
        "undefined",
        "Traceback (most recent call last)",
        "<Figure size",
        "IPY_MODEL_",
    ):
        assert trace not in text


def test_every_output_shows_something(opened: Visit) -> None:
    empty = opened.page.evaluate(
        """() => [...document.querySelectorAll(".cell_output, figure")]
            .filter((e) => !e.closest("details:not([open])"))
            .filter((e) => {
                const box = e.getBoundingClientRect();
                const picture = [...e.querySelectorAll("img, svg, canvas")].some((p) => {
                    const size = p.getBoundingClientRect();
                    return size.width > 20 && size.height > 20;
                });
                const words = e.innerText.trim() || e.querySelector("details");
                return box.height < 5 || !(picture || words);
            })
            .map((e) => (e.closest(".cell") ?? e).innerText.slice(0, 200))"""
    )
    assert empty == []


def test_ids_are_unique(opened: Visit) -> None:
    twice = opened.page.evaluate(
        """() => { const seen = new Set(), twice = [];
            for (const e of document.querySelectorAll("[id]"))
                seen.has(e.id) ? twice.push(e.id) : seen.add(e.id);
            return twice; }"""
    )
    assert twice == []


def test_there_is_one_search_field(opened: Visit) -> None:
    assert opened.page.locator('input[type="search"], input[name="q"]').count() == 1


def test_every_picture_has_a_name_or_is_marked_as_decoration(opened: Visit) -> None:
    nameless = opened.page.evaluate(
        """() => [...document.querySelectorAll("img, svg")].filter((e) => {
            if (e.closest('[aria-hidden="true"]') || e.parentElement.closest("svg")) return false;
            if (e.tagName === "IMG") return !e.alt.trim();
            if (e.querySelector(":scope > title")?.textContent.trim()) return false;
            return !e.getAttribute("aria-label")?.trim() && !e.getAttribute("aria-labelledby");
        }).map((e) => e.outerHTML.slice(0, 200))"""
    )
    assert nameless == []


def test_folded_solutions_open_by_keyboard(narrow: Visit) -> None:
    for fold in narrow.page.locator("details.sd-dropdown > summary").all():
        fold.focus()
        narrow.page.keyboard.press("Enter")
        assert fold.evaluate("(e) => e.parentElement.open")


def test_a_narrow_screen_does_not_scroll_sideways(narrow: Visit) -> None:
    page = narrow.page
    page.evaluate("for (const d of document.querySelectorAll('article details')) d.open = true")
    page.evaluate("window.scrollTo(500, 0)")
    assert page.evaluate("[window.scrollX, document.documentElement.scrollWidth]") == [0, 390]


# Of the words of code that look alike three are looked at: a page has ten thousand of them.
LIKE_WORDS_OF_CODE = """() => { const seen = new Map();
    for (const span of document.querySelectorAll("pre span:not(:has(*))")) {
        const times = (seen.get(span.className) ?? 0) + 1;
        seen.set(span.className, times);
        if (times > 3) span.replaceWith(span.textContent);
    } }"""


def test_accessibility_checker_finds_nothing_serious(opened: Visit) -> None:
    page = opened.page
    page.evaluate("for (const d of document.querySelectorAll('article details')) d.open = true")
    page.evaluate(LIKE_WORDS_OF_CODE)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    # the theme changes colours and nothing else that it looks at
    only = {"runOnly": ["color-contrast"]} if opened.scheme == "dark" else {}
    found = page.evaluate("(o) => axe.run(document, o)", {"resultTypes": ["violations"], **only})
    serious = [
        f"{violation['id']}: {node['html'][:160]} ({node['failureSummary']})"
        for violation in found["violations"]
        if violation["impact"] in {"serious", "critical"}
        for node in violation["nodes"][:4]
    ]
    assert serious == []


def test_formulas_are_set_and_none_is_left_as_source(opened: Visit) -> None:
    page = opened.page
    raw = page.evaluate(
        """() => { const walker = document.createTreeWalker(
                document.querySelector("main"), NodeFilter.SHOW_TEXT);
            const found = [];
            while (walker.nextNode()) {
                const node = walker.currentNode;
                if (node.parentElement.closest("pre, code, script, style, .katex, svg")) continue;
                if (/\\$[^$\\s][^$]*\\$|\\\\(frac|sum|alpha|begin)\\b|\\{(cite|ref|eq|doc)[:}]/
                    .test(node.data)) found.push(node.data.trim());
            }
            return found; }"""
    )
    assert raw == []
    if page.locator(".katex").count():
        assert page.locator(".katex-error").count() == 0
        assert page.evaluate("document.fonts.check('16px KaTeX_Main')")
        loaded = page.evaluate(
            "[...document.fonts].filter((f) => f.status === 'loaded').map((f) => f.family)"
        )
        assert any(family.startswith("KaTeX") for family in loaded)


def test_the_icons_of_the_buttons_are_drawn_by_the_icon_font(visit: Visit) -> None:
    page = visit.open(PAGES[0])
    missing = page.evaluate(
        """() => [...document.querySelectorAll(".fa-solid, .fas")].filter((e) => {
            const style = getComputedStyle(e, "::before");
            const character = style.content.replace(/^"|"$/g, "");
            const drawn = document.fonts.check('900 16px "Book Icons"', character);
            return e.getBoundingClientRect().width > 0 && (character === "none" || !drawn);
        }).map((e) => e.outerHTML)"""
    )
    assert missing == []
    assert page.evaluate(
        "[...document.fonts].some((f) => /Book Icons/.test(f.family) && f.status === 'loaded')"
    )


def test_search_finds_a_word_and_leads_to_its_page(visit: Visit) -> None:
    page = visit.open(PAGES[0])
    page.keyboard.press("Control+k")
    page.locator("#search-input").fill("recurrence")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=recurrence")
    page.locator("#search-results li a").first.click()
    page.wait_for_url("**/book/**")
    assert "recurrence" in page.inner_text("article").lower()
    assert visit.faults() == []


def test_the_theme_button_changes_the_colours_and_they_stay(visit: Visit) -> None:
    page = visit.open(PAGES[0])
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    while page.evaluate("document.documentElement.dataset.theme") != "dark":
        page.locator(".theme-switch-button:visible").first.click()
    dark = page.evaluate(paper)
    assert light != dark
    visit.open(PAGES[-1])
    assert page.evaluate(paper) == dark


@pytest.mark.parametrize(
    "visit", [pytest.param({"color_scheme": "dark"}, id="dark")], indirect=True
)
def test_a_dark_page_is_dark_before_its_scripts_have_run(visit: Visit) -> None:
    visit.context.route("**/*.js*", lambda route: route.abort())
    visit.page.goto(f"{visit.address}/{PAGES[0]}.html")
    assert visit.page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_the_first_tab_stop_skips_to_the_text(visit: Visit) -> None:
    page = visit.open(PAGES[0])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#main-content"


def test_the_policy_lets_no_foreign_or_added_script_run(opened: Visit) -> None:
    page, before = opened.page, len(opened.messages)
    assert page.locator('meta[http-equiv="Content-Security-Policy"]').count() == 1
    ran = page.evaluate(
        """() => { const script = document.createElement("script");
            script.textContent = "window.slipped = true"; document.head.append(script);
            return window.slipped === true; }"""
    )
    assert not ran
    blocked = page.evaluate("fetch('https://example.org/').then(() => false, () => true)")
    assert blocked
    assert opened.elsewhere == []
    # the browser complained, as it should; the page itself has not
    assert len(opened.messages) > before
    del opened.messages[before:]


def test_no_page_of_the_built_site_is_left_out_of_these_tests() -> None:
    built = {file.relative_to(SITE).with_suffix("").as_posix() for file in SITE.rglob("*.html")}
    pages = {name for name in built if not name.startswith(("_static/", "_sources/"))}
    assert pages - {"index"} == set(ALL_PAGES)


def test_every_notebook_can_be_downloaded_as_it_is_stored(visit: Visit) -> None:
    for name in PAGES:
        stored = ROOT / f"{name}.ipynb"
        if stored.is_file():
            page = BeautifulSoup((SITE / f"{name}.html").read_text(encoding="utf-8"), "lxml")
            (link,) = page.select("a.s2b-download")
            answer = visit.page.request.get(urljoin(f"{visit.address}/{name}.html", link["href"]))
            assert answer.json() == json.loads(stored.read_text(encoding="utf-8"))
