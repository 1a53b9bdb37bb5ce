"""Checks every Markdown file as GitHub shows it: `make docs` runs it first.

    markdown_check.py

Renders each file, and complains about a link to a file or heading that does not exist, a picture that is missing, and text
that only docc understands: `<doc:...>`, `@Metadata` and other directives.
"""

import html.parser
import pathlib
import re
import subprocess
import sys

from markdown_it import MarkdownIt

ROOT = pathlib.Path(__file__).resolve().parent.parent
DIRECTIVE = re.compile(r"<doc:|^@[A-Z]\w+\b", re.MULTILINE)
HEADINGS = {f"h{level}" for level in range(1, 7)}


class Page(html.parser.HTMLParser):
    """The links, pictures, anchors and text of a rendered file."""

    def __init__(self, path):
        super().__init__()
        self.links, self.pictures, self.anchors, self.text = [], [], set(), ""
        self.code, self.heading = 0, None
        self.feed(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(path.read_text()))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "a":
            self.links.append(attributes.get("href", ""))
        elif tag == "img":
            self.pictures.append(attributes.get("src", ""))
        elif tag == "code":
            self.code += 1
        elif tag in HEADINGS:
            self.heading = ""
        elif tag.startswith("doc:"):
            self.text += f"<{tag}"

    def handle_endtag(self, tag):
        if tag == "code":
            self.code -= 1
        elif tag in HEADINGS:
            # https://docs.github.com/get-started/writing-on-github: how an anchor is made of a heading
            slug = re.sub(r"[^\w\s-]", "", self.heading).strip().lower().replace(" ", "-")
            count = sum(1 for it in self.anchors if it == slug or re.fullmatch(re.escape(slug) + r"-\d+", it))
            self.anchors.add(f"{slug}-{count}" if count else slug)
            self.heading = None

    def handle_data(self, data):
        if self.heading is not None:
            self.heading += data
        if not self.code:
            self.text += data


def complaints(path, pages):
    page, name = pages[path], path.relative_to(ROOT)
    for link in page.links:
        if link.startswith("doc:"):
            yield f"{name}: {link} is no link outside the site"
        if re.match(r"[a-z]+:", link):
            continue
        place, _, anchor = link.partition("#")
        target = (path.parent / place).resolve() if place else path
        if not target.exists():
            yield f"{name}: {link} leads to no file"
        elif anchor and target in pages and anchor not in pages[target].anchors:
            yield f"{name}: {link} leads to no heading"
    for picture in page.pictures:
        if not re.match(r"https?:", picture) and not (path.parent / picture).is_file():
            yield f"{name}: the picture {picture} is missing"
    for found in DIRECTIVE.findall(page.text):
        yield f"{name}: {found} is printed as it stands"


def main():
    files = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True)
    paths = [ROOT / line for line in files.stdout.split()]
    pages = {path: Page(path) for path in paths}
    found = [complaint for path in paths for complaint in complaints(path, pages)]
    for complaint in found:
        print(f"markdown: {complaint}", file=sys.stderr)
    if not found:
        links = sum(len(page.links) for page in pages.values())
        print(f"The {links} links of {len(paths)} Markdown files lead somewhere.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
