"""Checks the built documentation: .build/documentation, as `make docs` leaves it.

    docs_check.py

Without a browser: each link leads to a page, and to a place on it; each picture has its width
and height; each article links to a module, and each public symbol says what it is. With
Chromium on the PATH, also: the page at the root, two articles, and the pages of a module and
of a symbol are loaded at two widths, light and dark. None may report an error, cut a line of
code, show an empty sidebar, or a picture smaller than it is drawn, unless the screen is. The
screenshots are kept in .build/documentation-screenshots.
"""

import functools
import html.parser
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
SITE = ROOT / ".build/documentation"
SCREENSHOTS = ROOT / ".build/documentation-screenshots"
BROWSERS = ["chromium", "chromium-browser", "google-chrome"]
VIEWED = {
    "landing": "/",
    "article": "/documentation/recorder/lifeofarecord/",
    "document": "/documentation/recorder/migration/",
    "module": "/documentation/awskinesis/",
    "symbol": "/documentation/awskinesis/awskinesisrecorder/",
}
WITH_PICTURE = {"landing", "article"}
# Added to each page: counts the listings whose lines are wider than they are shown.
COUNT_CUT = b"""<script>setInterval(() => { document.documentElement.dataset.cut =
[...document.querySelectorAll("pre")].filter(it => it.scrollWidth > it.clientWidth).length }, 500)</script>"""
# Pages that docc makes of other modules' names, and groups that it makes up, have no text of their own.
WITHOUT_TEXT = {"extension", "collectionGroup"}
# Names of a standard that say all, such as status codes of HTTP.
STANDARD_NAMES = "smithyhttpapi/"


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


# MARK: what is built


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
        if not any(url.startswith("/documentation/") and "/recorder" not in url for url in targets):
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


# MARK: what a browser shows


def serve():
    """The site on a port of the loopback interface."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

        def copyfile(self, source, outputfile):
            super().copyfile(source, outputfile)
            if getattr(source, "name", "").endswith(".html"):
                outputfile.write(COUNT_CUT)

        def send_header(self, keyword, value):
            # What is added is not in the length of the file; the end of the connection ends the page.
            if keyword != "Content-Length":
                super().send_header(keyword, value)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def view(browser, url, width, is_dark, *more):
    """What the browser prints, and what it complains about, when it loads a page."""
    command = [browser, "--headless=new", "--no-sandbox", "--hide-scrollbars", "--enable-logging=stderr"]
    command += [f"--window-size={width},2000", "--virtual-time-budget=15000", *["--force-dark-mode"] * is_dark, *more, url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    errors = [line for line in done.stderr.splitlines() if "CONSOLE" in line and re.search("error|uncaught", line, re.I)]
    return done.stdout, errors


def check_seen(browser):
    shutil.rmtree(SCREENSHOTS, ignore_errors=True)
    SCREENSHOTS.mkdir(parents=True)
    server = serve()
    for name, path in VIEWED.items():
        url = f"http://127.0.0.1:{server.server_port}{path}"
        for width, is_dark in (1280, False), (1280, True), (400, False), (400, True):
            file = SCREENSHOTS / f"{name}-{width}-{'dark' if is_dark else 'light'}.png"
            _, errors = view(browser, url, width, is_dark, f"--screenshot={file}")
            yield from (f"{path} at {width} pixels: {error}" for error in errors)
            if not file.is_file():
                yield f"{path} at {width} pixels: no screenshot"
        shown, _ = view(browser, url, 1280, False, "--dump-dom")
        cut = re.search(r'data-cut="(\d+)"', shown)
        if not cut or cut[1] != "0":
            yield f"{path}: lines of code are cut in {cut[1] if cut else 'unknown'} listings"
        if name != "landing" and shown.count("navigator-card-item") < 10:
            yield f"{path}: the sidebar has no entries"
        pictures = [it for it in Elements(shown).pictures if it.get("src", "").split("?")[0].endswith(".svg")]
        if name in WITH_PICTURE and not pictures:
            yield f"{path}: the picture is not shown"
        for picture in pictures:
            if int(float(picture.get("width") or 0)) < 400:
                yield f"{path}: {picture['src']} is shown with width {picture.get('width')}"
    server.shutdown()


def main():
    complaints, pages = check_built()
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser:
        complaints += check_seen(browser)
    for complaint in complaints:
        print(f"docs: {complaint}", file=sys.stderr)
    if complaints:
        return 1
    seen = f"screenshots in {SCREENSHOTS.relative_to(ROOT)}" if browser else "not looked at: there is no Chromium"
    print(f"The links, pictures and texts of {pages} pages are in order; {seen}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
