"""A figure as a part of an HTML page: without namespaces, in the page's colours, with a title and a description."""

import re
from xml.etree import ElementTree

from losona.report.figures.drawing import Drawing
from losona.report.figures.style import INK, LINE, PAPER, QUIET
from losona.report.foreign import shown

SVG, LINKS = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
PAGE_COLOURS = {INK: "var(--ink)", QUIET: "var(--quiet)", LINE: "var(--line)", PAPER: "var(--paper)"}
USED = re.compile(r"url\(#([^)]+)\)")


def inline_svg(drawing: Drawing) -> str:
    """An `svg` element to stand in a page; ids in it are unique to the figure."""
    root = ElementTree.fromstring(drawing.svg)
    _strip(root)
    _name(root, drawing)
    text = ElementTree.tostring(root, encoding="unicode")
    for old, new in PAGE_COLOURS.items():
        text = text.replace(old, new)
    return text


def described_svg(drawing: Drawing) -> bytes:
    """A file of its own, with the same title and description."""
    ElementTree.register_namespace("", SVG[1:-1])
    ElementTree.register_namespace("xlink", LINKS[1:-1])
    root = ElementTree.fromstring(drawing.svg)
    _name(root, drawing, SVG)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def _strip(root: ElementTree.Element) -> None:
    """Drop metadata, the style for all elements and namespaces; keep only ids that are referred to."""
    for parent in root.iter():
        for child in list(parent):
            if child.tag.rpartition("}")[2] in ("metadata", "style"):
                parent.remove(child)
    used = {value.lstrip("#") for e in root.iter() for key, value in e.attrib.items() if key.endswith("href")}
    used |= {match for e in root.iter() for value in e.attrib.values() for match in USED.findall(value)}
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        for key in list(element.attrib):
            value = element.attrib.pop(key)
            if key != "id" or value in used:
                element.set(key.rpartition("}")[2], value)


def _name(root: ElementTree.Element, drawing: Drawing, namespace: str = "") -> None:
    title, description = (ElementTree.Element(f"{namespace}{tag}", id=f"{drawing.name}-{tag}") for tag in _TAGS)
    title.text, description.text = shown(drawing.title), shown(drawing.alt)
    root.set("role", "img")
    root.set("aria-labelledby", f"{title.get('id')} {description.get('id')}")
    root.insert(0, description)
    root.insert(0, title)


_TAGS = ("title", "desc")
