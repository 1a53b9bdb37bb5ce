"""Checks the built documentation: .build/documentation, as `make docs` leaves it.

    docs_check.py

Without a browser: each link leads to a page, and to a place on it; each picture has its width
and height; each article links to a module, and each public symbol says what it is. With
Chromium on the PATH, also: twelve pages are loaded at two widths. None may
report an error, be wider than the screen, cut a line of code, or wrap it on the wide screen,
push the second column of a table off the screen, show an empty sidebar, or a picture whose
letters are too small to read; and what is typed into the search of the first page and into the
sidebar's filter must find a symbol. The screenshots are kept in
.build/documentation-screenshots.
"""

import concurrent.futures
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
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
SITE = ROOT / ".build/documentation"
SCREENSHOTS = ROOT / ".build/documentation-screenshots"
BROWSERS = ["chromium", "chromium-browser", "google-chrome"]
# The pages, and what is searched for on them: in the page itself, or in its sidebar.
VIEWED = {
    "landing": ("/", "diskByteLimit"),
    "guide": ("/documentation/recorder/", "Migration"),
    "start": ("/documentation/recorder/gettingstarted/", None),
    "article": ("/documentation/recorder/lifeofarecord/", None),
    "limits": ("/documentation/recorder/limitsandnotifications/", None),
    "performance": ("/documentation/recorder/performance/", None),
    "command-line": ("/documentation/recorder/commandline/", None),
    "migration": ("/documentation/recorder/migration/", None),
    "reliability": ("/documentation/recorder/reliability/", None),
    "module": ("/documentation/kinesisrecorders/", "diskByteLimit"),
    "class": ("/documentation/kinesisrecorders/awskinesisrecorder/", None),
    "method": ("/documentation/kinesisrecorders/awsabstractkinesisrecorder/submitallrecords()/", None),
}
WITH_PICTURE = {"landing", "guide", "article", "performance"}
# The height of the smallest letters of a picture as it is shown, in pixels.
LEAST_LETTERS = 9
# Holds a page as wide as a screen: the narrowest window is wider than a telephone.
FRAME = "<body style='margin:0'><iframe src='{page}' style='border:0;width:{width}px;height:2000px'></iframe>"
# Added to each page: types what the address asks for, and says what is on the screen.
LOOK = b"""<script>const text = new URLSearchParams(location.search).get("find")
setInterval(() => {
    const root = document.documentElement, all = which => [...document.querySelectorAll(which)]
    const entries = all("#found li, .navigator-card-item").filter(it => it.offsetParent).map(it => it.innerText)
    for (const field of all("#search, #filter-input").filter(it => text && it.value !== text)) {
        field.value = text
        field.dispatchEvent(new Event("input"))
    }
    parent.document.documentElement.dataset.seen = JSON.stringify({
        excess: root.scrollWidth - innerWidth,
        cut: all("pre").filter(it => it.scrollWidth > it.clientWidth).length,
        wrapped: all(".code-line-container").filter(it => it.offsetHeight > 1.5 * parseFloat(getComputedStyle(it).lineHeight))
            .length,
        pushed: all("tr").filter(it => it.cells[1]?.getBoundingClientRect().right > innerWidth).length,
        pictures: all("img[src$='.svg']").map(it => [new URL(it.src).pathname, it.clientWidth]),
        entries: entries.length,
        found: entries.filter(it => it.includes(text)).length,
    })
}, 500)</script>"""
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


# MARK: what a browser shows


def serve():
    """The site on a port of the loopback interface."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

        def copyfile(self, source, outputfile):
            super().copyfile(source, outputfile)
            if getattr(source, "name", "").endswith(".html"):
                outputfile.write(LOOK)

        def do_GET(self):
            if not self.path.startswith("/frame?"):
                return super().do_GET()
            asked = dict(urllib.parse.parse_qsl(self.path.partition("?")[2]))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(FRAME.format(**asked).encode())

        def send_header(self, keyword, value):
            # What is added is not in the length of the file; the end of the connection ends the page.
            if keyword != "Content-Length":
                super().send_header(keyword, value)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def view(browser, server, page, width, screenshot):
    """What is on the screen when the browser shows a page, and what the browser complains about."""
    asked = urllib.parse.urlencode({"page": page, "width": width})
    url = f"http://127.0.0.1:{server.server_port}/frame?{asked}"
    command = [browser, "--headless=new", "--no-sandbox", "--hide-scrollbars", "--enable-logging=stderr"]
    command += [f"--window-size={width},2000", "--virtual-time-budget=15000", f"--screenshot={screenshot}", "--dump-dom", url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    errors = [line for line in done.stderr.splitlines() if "CONSOLE" in line and re.search("error|uncaught", line, re.I)]
    seen = re.search(r'data-seen="([^"]*)"', done.stdout)
    return json.loads(html.unescape(seen[1])) if seen else None, errors


def letters(picture, width):
    """The height of a picture's smallest letters if it is shown so wide."""
    text = (SITE / picture[1:]).read_text()
    drawn = float(re.search(r'viewBox="0 0 ([\d.]+)', text)[1])
    return min(map(float, re.findall(r'font-size[:=]\s*"?([\d.]+)', text))) * width / drawn


def check_view(name, width, seen):
    if not seen:
        yield "the page did not load"
        return
    if seen["excess"] > 0:
        yield f"the page is {seen['excess']} pixels wider than the screen"
    if seen["cut"]:
        yield f"lines of code are cut in {seen['cut']} listings"
    if seen["wrapped"] and width > 1000:
        yield f"{seen['wrapped']} lines of code are wrapped"
    if seen["pushed"]:
        yield f"the second column of {seen['pushed']} rows is not on the screen"
    if name != "landing" and width > 1000 and not seen["entries"]:
        yield "the sidebar has no entries"
    if VIEWED[name][1] and (name == "landing" or width > 1000) and not seen["found"]:
        yield f"a search for {VIEWED[name][1]} finds nothing"
    if name in WITH_PICTURE and not seen["pictures"]:
        yield "the picture is not shown"
    for picture, shown in seen["pictures"]:
        if letters(picture, shown) < LEAST_LETTERS:
            yield f"the letters of {picture} are {letters(picture, shown):.1f} pixels high"


def check_seen(browser):
    shutil.rmtree(SCREENSHOTS, ignore_errors=True)
    SCREENSHOTS.mkdir(parents=True)
    server = serve()

    def look(task):
        name, width = task
        path, text = VIEWED[name]
        page = path + (f"?find={text}" if text else "")
        seen, errors = view(browser, server, page, width, SCREENSHOTS / f"{name}-{width}.png")
        errors += check_view(name, width, seen)
        return [f"{path} at {width} pixels: {error}" for error in errors]

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        complaints = sum(pool.map(look, [(name, width) for name in VIEWED for width in (1280, 400)]), [])
    server.shutdown()
    return list(dict.fromkeys(complaints))


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
