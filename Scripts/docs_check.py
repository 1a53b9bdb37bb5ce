"""Checks the built documentation: .build/documentation, as `make docs` leaves it.

    docs_check.py

Each link leads to a page, and to a place on it; each picture has its width and height; each
article links to a module, and each public symbol says what it is.
"""

import html.parser
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SITE = ROOT / ".build/documentation"
# Pages that docc makes of other modules' names, and groups that it makes up, have no text of their own.
WITHOUT_TEXT = {"extension", "collectionGroup"}
# Names of a standard that say all, such as status codes of HTTP.
STANDARD_NAMES = "serviceclienthttp/"


class Elements(html.parser.HTMLParser):
    """The links and pictures of an HTML page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.pictures = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "a":
            self.links.append(attributes["href"])
        if tag == "img":
            self.pictures.append(attributes)


def anchors(value):
    """The places on a page that links can lead to."""
    if isinstance(value, dict):
        found = {value["anchor"]} if isinstance(value.get("anchor"), str) else set()
        return found.union(*map(anchors, value.values()))
    return set().union(*map(anchors, value)) if isinstance(value, list) else set()


def check_landing():
    page = Elements((SITE / "index.html").read_text())
    for link in page.links:
        if not (SITE / link / "index.html").is_file():
            yield f"index.html links to {link}, which is no page"
    for picture in page.pictures:
        if not (SITE / picture["src"]).is_file() or not picture.get("width") or not picture.get("height"):
            yield f"index.html: the picture {picture['src']} is missing, or has no width and height"
    linked = {link.strip("/").removeprefix("documentation/") for link in page.links}
    modules = {path.name for path in (SITE / "documentation").iterdir() if path.is_dir()}
    for module in sorted(modules - linked):
        yield f"index.html does not link to {module}"


def check_references(name, page, pages):
    for reference in page["references"].values():
        if reference["type"] == "image":
            for variant in reference["variants"]:
                if not (SITE / variant["url"][1:]).is_file() or not variant.get("size"):
                    yield f"{name}: the picture {variant['url']} is missing, or has no size"
        url, _, anchor = reference.get("url", "").partition("#")
        if not url.startswith("/documentation/"):
            continue
        target = pages.get(url.removeprefix("/documentation/").rstrip("/"))
        if not target:
            yield f"{name} links to {url}, which is no page"
        elif anchor and anchor not in anchors(target):
            yield f"{name} links to {url}#{anchor}; there is no such heading"


def check_page(name, page, pages):
    yield from check_references(name, page, pages)
    metadata = page["metadata"]
    if metadata["role"] == "article" and name.count("/") == 1 and name.startswith("recorder/"):
        targets = [it.get("url", "") for it in page["references"].values()]
        if all("/recorder/" in f"{url}/" for url in targets if url.startswith("/documentation/")):
            yield f"{name} links to no module: add one to its \"See also\""
    kind = metadata.get("symbolKind") or metadata["role"]
    is_named = kind in WITHOUT_TEXT or kind == "case" and name.startswith(STANDARD_NAMES)
    if metadata["role"] != "article" and not is_named and not page.get("abstract"):
        yield f"{name} ({kind}) does not say what it is"


def check_built():
    folder = SITE / "data/documentation"
    pages = {
        str(file.relative_to(folder).with_suffix("")): json.loads(file.read_text())
        for file in folder.glob("**/*.json")
    }
    complaints = list(check_landing())
    for name, page in sorted(pages.items()):
        complaints += check_page(name, page, pages)
    return complaints, len(pages)


def main():
    complaints, pages = check_built()
    for complaint in complaints:
        print(f"docs: {complaint}", file=sys.stderr)
    if complaints:
        return 1
    print(f"The links, pictures and texts of {pages} pages are in order.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
