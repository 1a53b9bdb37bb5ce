"""Builds the documentation: each public module's, and the articles, as one site.

    docs.py              into .build/documentation; any warning fails

Needs nothing but the toolchain: its symbol graphs, its `docc`. A page may link to any other,
and they link in circles, so each archive is made twice: the first round only learns what
there is to link to. MIGRATION.md and RELIABILITY.md become articles of the site. What is
built is checked by docs_check.py.
"""

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
# The page at the site's root, and rules for its telephones, which docc's own style lacks.
LANDING = ROOT / "Documentation/index.html"
STYLE = """
@media (max-width: 735px) {
  .table-wrapper { max-width: calc(100vw - 40px); overflow-x: auto }
  .table-wrapper td, .table-wrapper th { min-width: 8rem }
}
"""
# Documents that are articles of the site, too.
DOCUMENTS = ["MIGRATION.md", "RELIABILITY.md"]
LINK = re.compile(r"\[([^\]]*)\]\(([^)#:]*)(?:#([^)]*))?\)")
# Public modules; after each, the modules that it brings along and that users do not import.
MODULES = {
    "AWSKinesis": ["AWSServiceClients", "AWSKinesisClient"],
    "AWSFirehose": ["AWSFirehoseClient"],
    "AWSCore": ["AWSTasks"],
    "AWSCognito": [],
    "AmplifyKinesisClient": [],
    "AmplifyFirehoseClient": [],
    "AmplifyRecordCache": [],
    "AmplifyFoundation": ["AmplifyCredentials"],
    "AmplifyFoundationBridge": [],
    "SmithyHTTPAPI": [],
}
# They only re-export names of AWSServiceClients and SmithyHTTPAPI, which are documented there.
REEXPORTING = {
    "AWSClientRuntime", "AWSSDKIdentity", "ClientRuntime", "Smithy", "SmithyIdentity", "SmithyRetries", "SmithyRetriesAPI",
}


class Failed(Exception):
    """The documentation cannot be built; the text says why."""


def run(*command):
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        print(done.stdout, end="", file=sys.stderr)
        raise Failed(f"`{' '.join(map(str, command[:2]))}` failed")
    return done.stdout


def check_modules():
    """Every library that users can import is here, and nothing else."""
    manifest = json.loads(run("swift", "package", "dump-package"))
    libraries = {it["name"] for it in manifest["products"] if "library" in it["type"]}
    named = REEXPORTING.union(MODULES)
    if libraries != named:
        raise Failed(f"products and documented modules differ: {libraries ^ named}")
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


def anchors(text):
    """The anchors of a document's headings on GitHub, and the same ones as docc makes them."""
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    plain = [re.sub(r"[^\w\s-]", "", title).replace(" ", "-") for title in titles]
    return {title.lower(): title for title in plain}


def article(file):
    """A document as an article: its links lead to pages, or name the file in a checkout."""

    def link(found):
        text, path, anchor = found.groups()
        target = ROOT / path if path else file
        page = target.stem if path else ""
        if path and target.parent != GUIDE:
            if target.name not in DOCUMENTS:
                return f"{text} (`{path}` in the checkout)"
            page = target.stem.capitalize()
        if anchor is None:
            return f"[{text}](doc:{page})"
        known = anchors(target.read_text())
        if anchor not in known:
            raise Failed(f"{file.name} links to {path}#{anchor}, and there is no such heading")
        place = f"#{known[anchor]}"
        return f"[{text}](doc:{page}{place})" if page else f"[{text}]({place})"

    modules = "".join(f"- <doc:/{module}>\n" for module in MODULES)
    return LINK.sub(link, file.read_text()) + f"\n## See also\n\n{modules}"


def make_guide():
    """The articles, with the documents among them."""
    guide = SCRATCH / GUIDE.name
    shutil.copytree(GUIDE, guide)
    for name in DOCUMENTS:
        file = ROOT / name
        (guide / f"{file.stem.capitalize()}.md").write_text(article(file))
    return guide


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


def convert(name, catalogue, graphs, folder, *more):
    """One archive."""
    archive = SCRATCH / folder / f"{name}.doccarchive"
    archive.parent.mkdir(exist_ok=True)
    command = ["docc", "convert", catalogue, "--output-dir", archive]
    command += ["--fallback-display-name", name, "--fallback-bundle-identifier", name]
    command += ["--fallback-default-module-kind", "Library"]
    command += ["--enable-experimental-external-link-support", *more]
    if graphs:
        command += ["--additional-symbol-graph-dir", graphs]
    return archive, command


def main():
    check_modules()
    build()
    for place in OUT, SCRATCH:
        shutil.rmtree(place, ignore_errors=True)
    parts = {"Recorder": (make_guide(), None)}
    for module, brings in MODULES.items():
        catalogue = ROOT / f"Sources/{module}/{module}.docc"
        parts[module] = (catalogue, make_symbol_graph(module, brings))
    known, archives = {}, []
    for name, (catalogue, graphs) in parts.items():
        known[name], command = convert(name, catalogue, graphs, "first")
        subprocess.run(command, cwd=ROOT, capture_output=True)
    for name, (catalogue, graphs) in parts.items():
        others = [["--dependency", known[other]] for other in known if other != name]
        archive, command = convert(
            name, catalogue, graphs, "second", "--warnings-as-errors", *sum(others, [])
        )
        run(*command)
        archives.append(archive)
    run("docc", "merge", *archives, "--output-path", OUT, "--synthesized-landing-page-name",
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
