"""Builds the documentation: each public module's, and the articles, as one site.

    docs.py              into .build/documentation; any warning fails

Needs nothing but the toolchain: its symbol graphs, its `docc`. A page may link to any other,
and they link in circles, so each archive is made twice: the first round only learns what
there is to link to.
"""

import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / ".build/documentation"
SCRATCH = ROOT / ".build/documentation-parts"
GUIDE = ROOT / "Documentation/Recorder.docc"
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
    parts = {"Recorder": (GUIDE, None)}
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
    pages = sum(1 for _ in OUT.glob("data/documentation/**/*.json"))
    print(f"{pages} pages of {len(parts)} archives, no warning. To read them:")
    print(f"  python3 -m http.server --directory {OUT.relative_to(ROOT)} 8000")
    print("  http://localhost:8000/documentation/recorder")


if __name__ == "__main__":
    try:
        main()
    except Failed as failure:
        sys.exit(f"docs: {failure}")
