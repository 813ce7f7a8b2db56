"""Copy what the site serves itself from pinned packages into .build/assets.

- KaTeX's style sheet and fonts (woff2 only: every browser that runs the site reads it);
- the icons that the theme's templates and styles use, as a font of a few kilobytes cut from
  Font Awesome, of which the theme would load 1.5 MB;
- the serif of the text, cut to the characters and weights that the book uses.
"""

import re
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

from stamps import BUILD, ROOT

PACKAGES = ROOT / "book" / "frontend" / "node_modules"
ICONS = PACKAGES / "@fortawesome" / "fontawesome-free"
SERIF = PACKAGES / "@fontsource-variable" / "source-serif-4" / "files"
TEMPLATES = ROOT / "book" / "_sphinx" / "templates"
ASSETS = BUILD / "assets"

ICON_STYLES = """\
/* Icons of Font Awesome Free (fontawesome.com; icons CC BY 4.0, font SIL OFL 1.1). */
@font-face {
  font-family: "Book Icons";
  font-weight: 900;
  font-display: block;
  src: url("icons.woff2") format("woff2");
}
:root { --fa-font-solid: normal 900 1em/1 "Book Icons"; }
.fa, .fas, .fa-solid {
  display: inline-block;
  font: var(--fa-font-solid);
  -webkit-font-smoothing: antialiased;
}
.fa-lg { font-size: 1.25em; line-height: 0.05em; vertical-align: -0.075em; }
"""


TEXT_STYLES = """\
/* Source Serif 4 by Frank Griesshammer (SIL Open Font License 1.1). */
@font-face {
  font-family: "Book Serif";
  font-style: normal;
  font-weight: 400 700;
  font-display: swap;
  src: url("serif.woff2") format("woff2");
}
@font-face {
  font-family: "Book Serif";
  font-style: italic;
  font-weight: 400;
  font-display: swap;
  src: url("serif-italic.woff2") format("woff2");
}
"""
# Latin with the accents of European languages, general punctuation, currency, operators.
TEXT_CHARACTERS = {
    *range(0x20, 0x7F),
    *range(0xA0, 0x180),
    *range(0x2010, 0x203B),
    0x20AC,
    *range(0x2212, 0x2265),
}


def copy_katex() -> None:
    """Copy KaTeX's styles, with only the font files that they then name."""
    source, target = PACKAGES / "katex" / "dist", ASSETS / "katex"
    shutil.rmtree(target, ignore_errors=True)
    (target / "fonts").mkdir(parents=True)
    styles = (source / "katex.min.css").read_text(encoding="utf-8")
    styles = re.sub(r',url\(fonts/[^)]+\.(?:woff|ttf)\) format\("[a-z]+"\)', "", styles)
    (target / "katex.min.css").write_text(styles, encoding="utf-8")
    for name in set(re.findall(r"url\(fonts/([^)]+)\)", styles)):
        shutil.copyfile(source / "fonts" / name, target / "fonts" / name)


def copy_icons() -> None:
    """Write the font of the icons in use and the classes that name them."""
    styles = (ICONS / "css" / "fontawesome.css").read_text(encoding="utf-8")
    codes = {
        name: int(code, 16)
        for name, code in re.findall(r'\.(fa-[\w-]+) \{\s*--fa: "\\([0-9a-f]+)"', styles)
    }
    named = {name: codes[name] for name in sorted(names_in_use()) if name in codes}
    wanted = set(named.values()) | characters_in_use()
    target = ASSETS / "icons"
    target.mkdir(parents=True, exist_ok=True)
    save_subset(TTFont(ICONS / "webfonts" / "fa-solid-900.woff2"), wanted, target / "icons.woff2")
    rules = [f'.{name}::before {{ content: "\\{code:x}"; }}' for name, code in named.items()]
    (target / "icons.css").write_text(ICON_STYLES + "\n".join(rules) + "\n", encoding="utf-8")


def copy_text_font() -> None:
    """Write the serif in its upright weights from regular to bold, and its regular italic."""
    target = ASSETS / "text"
    target.mkdir(parents=True, exist_ok=True)
    for style, weights, name in (
        ("normal", (400, 700), "serif.woff2"),
        ("italic", 400, "serif-italic.woff2"),
    ):
        whole = TTFont(SERIF / f"source-serif-4-latin-wght-{style}.woff2")
        font = instancer.instantiateVariableFont(whole, {"wght": weights})
        save_subset(font, TEXT_CHARACTERS, target / name)
    (target / "text.css").write_text(TEXT_STYLES, encoding="utf-8")


def save_subset(font: TTFont, characters: set[int], file: Path) -> None:
    """Write the part of a font that sets some characters, compressed for the web."""
    options = subset.Options(flavor="woff2", layout_features=["kern", "liga", "mark", "locl"])
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=characters)
    cutter.subset(font)
    subset.save_font(font, str(file), options)


def theme_files(pattern: str) -> Iterator[str]:
    """Yield the texts of the themes' files, and of our templates, that match a pattern."""
    for package in ("pydata_sphinx_theme", "sphinx_book_theme"):
        spec = find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        for file in (Path(spec.origin).parent / "theme").rglob(pattern):
            yield file.read_text(encoding="utf-8")
    for file in TEMPLATES.rglob(pattern):
        yield file.read_text(encoding="utf-8")


def names_in_use() -> set[str]:
    """Return the names of the icons that templates mention."""
    return {name for text in theme_files("*.html") for name in re.findall(r"\bfa-[a-z-]+", text)}


def characters_in_use() -> set[int]:
    """Return the characters of the private-use area that the themes' styles print."""
    found: set[int] = set()
    for text in theme_files("*.css"):
        if "Font Awesome 6 Free" in text and ".fa-bars" in text:
            continue  # the bundle itself, which names every icon
        found |= {ord(character) for character in text if "\ue000" <= character <= "\uf8ff"}
        found |= {int(code, 16) for code in re.findall(r'content:\s*"\\(f[0-9a-f]{3})"', text)}
    return found


if __name__ == "__main__":
    copy_katex()
    copy_icons()
    copy_text_font()
