"""Builds the documentation: each public module's, and the articles, as one site.

    docs.py              into .build/documentation; any warning fails

Needs nothing but the toolchain: its symbol graphs, its `docc`. A page may link to any other,
and they link in circles, so each archive is made twice: the first round only learns what
there is to link to. MIGRATION.md and RELIABILITY.md become articles of the site. What is
built is checked by docs_check.py.
"""

import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / ".build/documentation"
SCRATCH = ROOT / ".build/documentation-parts"
GUIDE = ROOT / "Documentation/Recorder.docc"
# The page at the site's root, and what docc's own style lacks: code that is not cut, room beside the sidebar, telephones.
LANDING = ROOT / "Documentation/index.html"
STYLE = """
.code-listing pre > code { font-size: 13px !important; white-space: pre-wrap; overflow-wrap: anywhere }
.code-line-container { white-space: pre-wrap }
@media (min-width: 736px) {
  .full-width-container .container.container, .full-width-container .documentation-hero__content.documentation-hero__content {
    max-width: 1000px !important; padding-left: 40px !important; padding-right: 40px !important
  }
}
@media (max-width: 735px) {
  .table-wrapper { max-width: calc(100vw - 40px); overflow-x: auto }
  .table-wrapper table { font-size: 14px }
  .table-wrapper code { font-size: 12.5px }
  .table-wrapper :is(td, th) { min-width: 5rem; padding: 8px 6px; overflow-wrap: anywhere }
  .table-wrapper :is(td, th):first-child { min-width: 2rem; overflow-wrap: break-word }
}
"""
# Documents that are articles of the site, too.
DOCUMENTS = ["MIGRATION.md", "RELIABILITY.md"]
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#:]*)(?:#([^)]*))?\)")
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"(!\[[^\]]*\])\(([^)]*\.svg)\)")
# Modules with names of our own, which are documented; after each, the modules that it brings along.
MODULES = {
    "KinesisRecorders": ["AWSTasks", "RecorderConfiguration"],
    "RecorderAccounting": [],
    "MobileFoundation": [],
    "MobileServiceClients": [],
    "RecordClients": ["AWSServiceClients"],
    "RecordClientFoundation": [],
    "AWSKinesisClient": [],
    "AWSFirehoseClient": [],
    "ServiceClientHTTP": [],
}
# Of each of these modules, the one that documents it.
HOMES = {part: module for module, brings in MODULES.items() for part in [module, *brings]}
# A target of a library must be documented, or only re-export: one file, with few declarations for names of upstream.
EXPORTS = "Exports.swift"


class Failed(Exception):
    """The documentation cannot be built; the text says why."""


def run(*command):
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        print(done.stdout, end="", file=sys.stderr)
        raise Failed(f"`{' '.join(map(str, command[:2]))}` failed")
    return done.stdout


def check_modules():
    """Every module of a library is documented, or only re-exports documented ones."""
    manifest = json.loads(run("swift", "package", "dump-package"))
    offered = {target for it in manifest["products"] if "library" in it["type"] for target in it["targets"]}
    own = {name for name in offered if [file.name for file in (ROOT / "Sources" / name).rglob("*.swift")] != [EXPORTS]}
    if not own <= set(HOMES) or not set(MODULES) <= own:
        raise Failed(f"products and documented modules differ: {own.symmetric_difference(MODULES)}")
    indexed = set(re.findall(r"- (\w+)$", (ROOT / ".spi.yml").read_text(), re.MULTILINE))
    if indexed != set(MODULES):
        raise Failed(f".spi.yml and the documented modules differ: {indexed ^ set(MODULES)}")


def build():
    for module in MODULES:
        run("swift", "build", "--target", module)


def make_symbol_graph(module, brings):
    """What a module offers, as the compiler knows it."""
    products = pathlib.Path(run("swift", "build", "--show-bin-path").strip())
    target = json.loads(run("swiftc", "-print-target-info"))["target"]["triple"]
    directory = SCRATCH / "graphs" / module
    directory.mkdir(parents=True)
    command = ["swift-symbolgraph-extract", "-module-name", module, "-target", target]
    command += ["-minimum-access-level", "public", "-skip-synthesized-members"]
    command += ["-emit-extension-block-symbols", "-output-dir", directory]
    for include in [products / "Modules", *ROOT.glob("Sources/C*/")]:
        command += ["-I", include]
    if brings:
        command.append("-experimental-allowed-reexported-modules=" + ",".join(brings))
    run(*command)
    return directory


def heading_anchors(file):
    """The headings of a document by their anchors on GitHub; after each, its anchor as docc makes it."""
    found = {}
    for title in re.findall(r"^#+ (.*)$", file.read_text(), re.MULTILINE):
        plain = re.sub(r"[^\w\s-]", "", title).replace(" ", "-")
        found[plain.lower()] = (title, plain)
    return found


def title(file):
    return re.search(r"^# (.*)$", file.read_text(), re.MULTILINE)[1].strip("`")


def page(target, text):
    """The page of a file that a link leads to, and its title; None if the site has none."""
    if target.parent == GUIDE:
        return f"/Recorder/{target.stem}", title(target)
    if target.parent == ROOT and target.name in DOCUMENTS:
        return f"/Recorder/{target.stem.capitalize()}", title(target)
    parts = target.relative_to(ROOT).parts
    module = HOMES.get(parts[1]) if parts[0] == "Sources" else None
    if module and target.suffix == ".md":
        return f"/{module}", module
    if module and target.suffix == ".swift":
        symbol = re.match(r"`?(\w+)", text)[1]
        return f"/{module}/{symbol}", symbol
    return None


def article(file):
    """A document as docc wants it: links, which markdown_check.py has checked, lead to pages of the site, or name the file."""
    is_guide = file.parent == GUIDE or file.name in DOCUMENTS

    def picture(found):
        return f"{found[1]}({pathlib.Path(found[2]).stem})"

    def link(found):
        text, path, anchor = found.groups()
        target = (file.parent / path).resolve() if path else file
        known = page(target, text)
        if known is None:
            return f"{text} (`{target.relative_to(ROOT)}` in the checkout)"
        address, name = known
        if is_guide:
            address = address.removeprefix("/Recorder/")
        if anchor is not None:
            name, place = heading_anchors(target)[anchor]
            if target == file:
                return f"[{text}](#{place})"
            # docc knows the headings of the same archive only.
            if is_guide:
                address += f"#{place}"
            else:
                name = known[1]
        # A link with the title that docc would give it may stand in a list of topics.
        return f"<doc:{address}>" if " ".join(text.split()) == name else f"[{text}](doc:{address})"

    parts = FENCED.split(file.read_text())
    text = "".join(it if it.startswith("```") else LINK.sub(link, PICTURE.sub(picture, it)) for it in parts)
    if file.name in DOCUMENTS:
        text += "\n## See also\n\n" + "".join(f"- <doc:/{module}>\n" for module in MODULES)
    if file == GUIDE / "Recorder.md":
        text = text.replace("\n## ", "\n@Metadata {\n    @TechnologyRoot\n}\n\n## ", 1)
    return text


def make_catalogue(source, documents):
    """A catalogue's articles, and further documents, as docc wants them."""
    made = SCRATCH / "catalogues" / source.name
    shutil.copytree(source, made)
    for file in source.glob("*.md"):
        (made / file.name).write_text(article(file))
    for name in documents:
        file = ROOT / name
        (made / f"{file.stem.capitalize()}.md").write_text(article(file))
    return made


def finish():
    """What docc leaves out: the size of each picture, the page at the root, wide tables on telephones."""
    shutil.copy(LANDING, OUT / "index.html")
    for file in OUT.glob("css/index.*.css"):
        file.write_text(file.read_text() + STYLE)
    for file in OUT.glob("data/**/*.json"):
        page = json.loads(file.read_text())
        pictures = [it for it in page.get("references", {}).values() if it["type"] == "image"]
        for variant in [variant for picture in pictures for variant in picture["variants"]]:
            drawn = re.search(r'<svg[^>]* width="(\d+)" height="(\d+)"', (OUT / variant["url"][1:]).read_text())
            if not drawn:
                raise Failed(f"{variant['url']}: its <svg> has no width and height")
            variant["size"] = {"width": int(drawn[1]), "height": int(drawn[2])}
        if pictures:
            file.write_text(json.dumps(page))


def convert(name, catalogue, graphs, archive):
    """The command that makes one archive."""
    archive.parent.mkdir(exist_ok=True)
    command = ["docc", "convert", catalogue, "--output-dir", archive, "--enable-experimental-external-link-support"]
    command += ["--fallback-display-name", name, "--fallback-bundle-identifier", name]
    command += ["--fallback-default-module-kind", "Library"]
    return command + (["--additional-symbol-graph-dir", graphs] if graphs else [])


def main():
    subprocess.run([sys.executable, ROOT / "Scripts/markdown_check.py"], check=True)
    check_modules()
    build()
    for place in OUT, SCRATCH:
        shutil.rmtree(place, ignore_errors=True)
    parts = {"Recorder": (make_catalogue(GUIDE, DOCUMENTS), None)}
    for module, brings in MODULES.items():
        catalogue = make_catalogue(ROOT / f"Sources/{module}/{module}.docc", [])
        parts[module] = (catalogue, make_symbol_graph(module, brings))
    first = {name: SCRATCH / f"first/{name}.doccarchive" for name in parts}
    second = {name: SCRATCH / f"second/{name}.doccarchive" for name in parts}

    def learn(name):
        subprocess.run(convert(name, *parts[name], first[name]), cwd=ROOT, capture_output=True)

    def make(name):
        others = [["--dependency", archive] for other, archive in first.items() if other != name]
        run(*convert(name, *parts[name], second[name]), "--warnings-as-errors", *sum(others, []))

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for work in learn, make:
            list(pool.map(work, parts))
    run("docc", "merge", *second.values(), "--output-path", OUT, "--synthesized-landing-page-name",
        "Stream recorders for Swift on Linux")
    finish()
    subprocess.run([sys.executable, ROOT / "Scripts/docs_check.py"], check=True)
    pages = sum(1 for _ in OUT.glob("data/documentation/**/*.json"))
    print(f"{pages} pages of {len(parts)} archives, no warning. To read them:")
    print(f"  python3 -m http.server --directory {OUT.relative_to(ROOT)} 8000")
    print("  http://localhost:8000/")


if __name__ == "__main__":
    try:
        main()
    except Failed as failure:
        sys.exit(f"docs: {failure}")
    except subprocess.CalledProcessError as failure:
        sys.exit(failure.returncode)
