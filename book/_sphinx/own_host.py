"""Everything that a page loads comes from the site itself.

The theme's templates are replaced where they bring an icon bundle or inline event handlers
(`templates`), and the maths is set at build time with the KaTeX of the front end's
`node_modules`, whose styles and fonts `book/_tools/assets.py` copies into the site.
"""

import html
import shutil
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator
from sphinxcontrib import katex

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KATEX = ROOT / "book" / "frontend" / "node_modules" / "katex" / "dist" / "katex.min.js"

sys.path.insert(0, str(HERE.parent / "_tools"))
from node import find_node  # noqa: E402 (the tools are a folder of scripts, not a package)

logger = logging.getLogger(__name__)


def set_defaults(app: Sphinx, config: Config) -> None:
    """Put our templates before the theme's, and find Node and KaTeX."""
    templates = HERE / "templates"
    config.templates_path = [str(templates), str(templates / "components"), *config.templates_path]
    node = find_node()
    if node is None or not KATEX.is_file():
        raise ExtensionError("The maths cannot be set without Node.js and KaTeX: run make site.")
    katex.NODEJS_BINARY = str(node.node)
    config.katex_js_path = str(KATEX)
    # A formula with an error is a fault of the page, not red text in it.
    katex.KATEX_DEFAULT_OPTIONS = {"throwOnError": True}


def visit_math(self: HTML5Translator, node: nodes.math) -> None:
    """Set a formula in a line of text."""
    set_formula(self, node, katex.html_visit_math)


def visit_math_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Set a formula that stands on its own."""
    set_formula(self, node, katex.html_visit_displaymath)


def set_formula(self: HTML5Translator, node: nodes.Element, visit: Any) -> None:
    """Let KaTeX set a formula; report one that it cannot read, with its place."""
    length = len(self.body)
    try:
        visit(self, node)
    except katex.KaTeXError as error:
        del self.body[length:]
        logger.warning("%s", error, location=node, type="katex")
        self.body.append(f"<code>{html.escape(node.astext())}</code>")
        raise nodes.SkipNode from error


# Styles and scripts that only some pages need: a file's name, and what in a page needs it.
CONDITIONAL = {
    "design-tabs.js": "sd-tab-set",
    "clipboard.min.js": "highlight",
    "copybutton": "highlight",
    "mystnb.": "cell_",
    "sphinx-design.min.css": "sd-",
    "katex": "katex",
}


def drop_unused(app: Sphinx, page: str, template: str, context: dict[str, Any], _: Any) -> None:
    """Leave out the styles and scripts that a page has no use for."""
    body = context.get("body", "")
    unused = [name for name, needed_by in CONDITIONAL.items() if needed_by not in body]
    for key in ("css_files", "script_files"):
        context[key] = [
            file
            for file in context.get(key, [])
            if not any(name in str(getattr(file, "filename", file)) for name in unused)
        ]


# What a screen reader would trip over: a list without list items, and a name that hides the text.
MENDED = {
    '<div role="list" class="citation-list">': '<div class="citation-list">',
    '<summary aria-label="Toggle hidden content">': "<summary>",
}


def mend(app: Sphinx, page: str, template: str, context: dict[str, Any], _: Any) -> None:
    """Correct markup of the extensions that assistive software misreads."""
    for wrong, right in MENDED.items():
        if "body" in context:
            context["body"] = context["body"].replace(wrong, right)


def drop_icon_bundle(app: Sphinx, exception: Exception | None) -> None:
    """Remove the theme's icon bundle, which no page loads, from the built site."""
    if exception is None and app.builder.format == "html":
        shutil.rmtree(Path(app.outdir) / "_static" / "vendor" / "fontawesome", ignore_errors=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    # Jupyter Book passes this setting of an extension that loads scripts of other hosts.
    app.add_config_value("comments_config", {}, "")
    app.connect("config-inited", set_defaults)
    app.connect("html-page-context", mend)
    # After every extension that adds files to a page.
    app.connect("html-page-context", drop_unused, priority=900)
    app.connect("build-finished", drop_icon_bundle)
    app.add_html_math_renderer(
        "book_katex", inline_renderers=(visit_math, None), block_renderers=(visit_math_block, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": False}
