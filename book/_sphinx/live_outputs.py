"""Turn the stored outputs of a notebook into what the site shows, and refuse what it cannot show.

A widget or a chart is stored with a static picture beside it. On the site the picture stands in
a figure that names the live one; `site.js` (book/frontend/src/site) brings it to life.
The notebook is rewritten as it is read, before MyST-NB sees it, so nothing of MyST-NB is
replaced. What cannot be shown as it should fails the build with the notebook and the cell named.
"""

import hashlib
import html
import json
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

logger = logging.getLogger(__name__)

WIDGET = "application/vnd.jupyter.widget-view+json"
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
RUNS = Path(__file__).resolve().parents[1] / "runs"
MODELS = "models"
CHART = re.compile(r"application/vnd\.vegalite\.v\d+(\.\d+)*\+json$")
PASSED_ON = {"text/plain", "text/html", "text/markdown", "text/latex"}
PICTURES = {"image/png", "image/jpeg"}
SITE_STYLES = "frontend/site.css"
SITE_SCRIPT = "frontend/site.js"

Json = dict[str, Any]


@dataclass
class Live:
    """What the live figures of one page need: the stored state of its widgets, and whether any."""

    widgets: dict[str, Json] = field(default_factory=dict)
    needed: bool = False


@dataclass
class Converter:
    """Rewrites one notebook; `faults` collects what is wrong with it, cell by cell."""

    notebook: Json
    live: Live = field(default_factory=Live)
    faults: list[str] = field(default_factory=list)

    def run(self) -> None:
        """Rewrite every output of the notebook in place."""
        stored = self.notebook.get("metadata", {}).pop("widgets", {}).get(WIDGET_STATE, {})
        self.models: Json = stored.get("state", {})
        for number, cell in enumerate(self.notebook.get("cells", []), start=1):
            for output in cell.get("outputs", []):
                for fault in self.convert(cell, output):
                    self.faults.append(f"cell {number}: {fault}")

    def convert(self, cell: Json, output: Json) -> Iterable[str]:
        """Rewrite one output and yield what is wrong with it."""
        if output["output_type"] == "error":
            yield f"it is stored with an error ({output.get('ename')}: {output.get('evalue')})"
        if "data" not in output:
            return
        data: Json = output["data"]
        chart = next((kind for kind in data if CHART.match(kind)), None)
        known = PASSED_ON | PICTURES | {WIDGET, "image/svg+xml", chart}
        for kind in data:
            if kind not in known:
                yield f"the site cannot show an output of type {kind}"
        if WIDGET in data:
            yield from self.convert_widget(output)
        elif chart is not None:
            yield from self.convert_chart(output, chart)
        elif "image/svg+xml" in data:
            picture = joined(data["image/svg+xml"])
            yield from check_picture(picture)
            output["data"] = {"text/html": figure("s2b-picture", inline_svg(picture))}
        elif PICTURES & set(data):
            yield from name_picture(cell)
        elif "text/html" in data:
            text = joined(data["text/html"])
            if re.search(r"<script\b", text, re.I):
                yield "its HTML holds a script, which the site does not run"
            output["data"] = {"text/html": f'<div class="s2b-html">{text}</div>'}

    def convert_widget(self, output: Json) -> Iterable[str]:
        """Put a widget's static picture and table into a figure that carries its model's name."""
        data = output["data"]
        name = data[WIDGET].get("model_id", "")
        static = joined(data.get("text/html", ""))
        model = self.models.get(name)
        if "<svg" not in static and "<img" not in static:
            yield "its widget is stored without a static picture (text/html)"
        yield from check_picture(static)
        if model is None:
            yield f"the state of its widget {name} is not stored in the notebook"
            return
        module = widget_module(model.get("state", {}))
        if module is None:
            yield f"its widget ({model.get('model_name')}) is not one of the book's own"
            return
        yield from check_models(model["state"])
        key = model["state"].get("key")
        others = (w["state"].get("key") for n, w in self.live.widgets.items() if n != name)
        if key is not None and key in others:
            yield f"another widget has the key {key!r}: links could not tell them apart"
        self.live.needed = True
        self.live.widgets[name] = {
            "module": module,
            "state": {k: v for k, v in model["state"].items() if keep(k)},
            "buffers": model.get("buffers", []),
        }
        output["data"] = {"text/html": figure("s2b-widget", static, f' data-model="{name}"')}

    def convert_chart(self, output: Json, kind: str) -> Iterable[str]:
        """Put a chart's picture and its specification into a figure."""
        data = output["data"]
        picture = joined(data.get("image/svg+xml", ""))
        if "<svg" not in picture:
            yield "its chart is stored without a static picture (image/svg+xml)"
        yield from check_picture(picture)
        self.live.needed = True
        spec = script_json(data[kind], 'class="s2b-chart-spec"')
        kinds = "s2b-chart s2b-chart-bound" if has_control(data[kind]) else "s2b-chart"
        output["data"] = {"text/html": figure(kinds, inline_svg(picture) + spec)}


def has_control(spec: Json) -> bool:
    """Whether a chart has a control (a choice, a slider) below it once it is live."""
    return any("bind" in param for param in spec.get("params", []))


def stored_models(state: Json) -> Iterable[Json]:
    """Yield the files (name, bytes, SHA-256) of the models that a widget may run on the site."""
    for model in state.get("models", []):
        yield from (model.get("stored") or {}).get("files", [])


def check_models(state: Json) -> Iterable[str]:
    """Yield a fault for each stored model that is not the one which the widget was made with."""
    for file in stored_models(state):
        path = RUNS / Path(file["file"]).name
        if not path.is_file():
            yield f"its model {path.name} is not in book/runs"
        elif hashlib.sha256(path.read_bytes()).hexdigest() != file["sha256"]:
            yield f"its model {path.name} has changed since: execute the chapter again"


def copy_models(app: Sphinx, exception: Exception | None) -> None:
    """Put the models that pages run into the site."""
    if exception is not None or app.builder.format != "html":
        return
    target = Path(app.outdir) / "_static" / MODELS
    for live in pages(app.env).values():
        for widget in live.widgets.values():
            for file in stored_models(widget["state"]):
                target.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(RUNS / file["file"], target / file["file"])


def joined(text: str | list[str]) -> str:
    """Return a stored text, which a notebook may hold as a list of lines."""
    return text if isinstance(text, str) else "".join(text)


def figure(kind: str, body: str, attributes: str = "") -> str:
    """Wrap an output's HTML in a figure of ours."""
    return f'<figure class="{kind}"{attributes}>{body}</figure>'


def inline_svg(picture: str) -> str:
    """Return an SVG document as an element of a page: no XML declaration, no document type."""
    return re.sub(r"^\s*(<\?xml[^>]*\?>|<!DOCTYPE[^>]*>|\s)*", "", picture)


def check_picture(picture: str) -> Iterable[str]:
    """Yield a fault for each SVG without a name."""
    for tag, rest in re.findall(r"(<svg\b[^>]*>)(.{0,400})", picture, re.S):
        named = "aria-label" in tag or "aria-hidden" in tag or "<title" in rest
        if not named:
            yield "its picture has no alternative text (aria-label or title)"


def name_picture(cell: Json) -> Iterable[str]:
    """Give a bitmap the alternative text that its cell states, in the place MyST-NB reads."""
    metadata = cell.setdefault("metadata", {})
    image = metadata.setdefault("mystnb", {}).setdefault("image", {})
    alternative = metadata.get("alt") or image.get("alt")
    if not alternative:
        yield 'its picture has no alternative text: add "alt" to the metadata of the cell'
    image["alt"] = alternative or ""


def keep(key: str) -> bool:
    """Tell whether a part of a widget's state is the widget's own (not the framework's)."""
    return not key.startswith("_") and key not in {"layout", "tabbable", "tooltip"}


def widget_module(state: Json) -> str | None:
    """Return the name of the file that draws a widget: its Python module's, say `heatmap`."""
    name = str(state.get("_anywidget_id", ""))
    return name.split(".")[-2] if name.startswith("seq2bert.widgets.") else None


def script_json(value: Any, attributes: str) -> str:
    """Return a script element that holds data; nothing in the data can end it early."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f'<script type="application/json" {attributes}>{text}</script>'


def read_notebook(app: Sphinx, docname: str, source: list[str]) -> None:
    """Rewrite a notebook as Sphinx reads it."""
    path = Path(app.env.doc2path(docname))
    if path.suffix != ".ipynb":
        return
    converter = Converter(json.loads(source[0]))
    converter.run()
    for fault in converter.faults:
        logger.warning("%s, %s", path.name, fault, location=docname, type="live_outputs")
    source[0] = json.dumps(converter.notebook)
    pages(app.env)[docname] = converter.live


def pages(env: BuildEnvironment) -> dict[str, Live]:
    """Return what is known about each page's live figures."""
    if not hasattr(env, "live_outputs"):
        env.live_outputs = {}  # type: ignore[attr-defined]
    known: dict[str, Live] = env.live_outputs  # type: ignore[attr-defined]
    return known


def forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Drop what is known about a page that is read again or gone."""
    pages(env).pop(docname, None)


def merge(app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
    """Take over what another process of a parallel build has read."""
    pages(env).update({name: pages(other)[name] for name in docnames if name in pages(other)})


def add_scripts(app: Sphinx, pagename: str, template: str, context: Json, doctree: Any) -> None:
    """End a page that has live figures with their state and the script that mounts them."""
    live = pages(app.env).get(pagename)
    if live is None or not live.needed or "body" not in context:
        return
    app.add_css_file(SITE_STYLES)
    address = context["pathto"](f"_static/{SITE_SCRIPT}", 1)
    body = context["body"]
    if live.widgets:
        body += script_json(live.widgets, 'id="s2b-widget-state"')
    version = html.escape(script_version(app))
    context["body"] = body + f'<script type="module" src="{address}?v={version}"></script>'


def script_version(app: Sphinx) -> str:
    """Return a short hash of the site's script, so that no browser keeps an old one."""
    for folder in app.config.html_static_path:
        file = Path(app.confdir) / folder / SITE_SCRIPT
        if file.is_file():
            return hashlib.sha256(file.read_bytes()).hexdigest()[:8]
    logger.warning("the front end is not built: run make site", type="live_outputs")
    return ""


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension with Sphinx."""
    app.connect("source-read", read_notebook)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", copy_models)
    return {"env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
