"""Drawings (SVG) as text: their title, description and labels."""

from lxml import etree  # type: ignore[import-untyped]

_WORDS = frozenset({"title", "desc", "text"})


def drawing_text(data: bytes) -> str:
    """Returns the texts of a drawing, one per line; empty if it has none or is damaged.

    Args:
        data: The drawing in UTF-8, without a declaration of another encoding.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, encoding="utf-8")
    try:
        root = etree.fromstring(data, parser)
    except etree.LxmlError:
        return ""
    if root is None:
        return ""
    found = (
        " ".join("".join(element.itertext()).split())
        for element in root.iter(etree.Element)
        if etree.QName(element).localname in _WORDS
    )
    return "\n".join(filter(None, found))
