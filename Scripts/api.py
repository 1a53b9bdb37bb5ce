"""Compares the public API with the listing of the last release: Documentation/api/MODULE.txt.

    api.py            fails on a breaking change that CHANGELOG.md does not name
    api.py --record   writes the listing anew: part of a release

A line of a listing is a symbol and its declaration, or a conformance. A line that is gone, or
that reads differently, is a breaking change, and so is a new case of an enum and a new
requirement of a protocol. It is allowed if a line of CHANGELOG.md's newest section that starts
with "- Changed:" names the symbol, in code and without its parameters.

Also prints which names `import KinesisRecorders` brings, and fails if they are more than 60.
"""

import argparse
import json
import re
import shutil
import sys

from docs import MODULES, ROOT, SCRATCH, Failed, build, make_symbol_graph

LISTINGS = ROOT / "Documentation/api"
CHANGELOG = ROOT / "CHANGELOG.md"
CODE = re.compile(r"`([^`]+)`")
# A module that brings few names into the files that import it, and how many at most.
SMALL_MODULE, MOST_NAMES = "KinesisRecorders", 60
# Every type has these unless it says otherwise.
UNWRITTEN = {"Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype", "Swift.BitwiseCopyable"}


def listing(graphs):
    """The lines of a module, and those among them that break callers when they are new."""
    lines, strict = set(), set()
    for file in graphs.glob("*.symbols.json"):
        graph = json.loads(file.read_text())
        names = {it["identifier"]["precise"]: ".".join(it["pathComponents"]) for it in graph["symbols"]}
        required = {it["source"] for it in graph["relationships"] if it["kind"] == "requirementOf"}
        defaults = {it["target"] for it in graph["relationships"] if it["kind"] == "defaultImplementationOf"}
        for symbol in graph["symbols"]:
            identifier = symbol["identifier"]["precise"]
            declaration = "".join(part["spelling"] for part in symbol.get("declarationFragments", []))
            line = f"{names[identifier]}\t{' '.join(declaration.split())}"
            lines.add(line)
            is_case = symbol["kind"]["identifier"] == "swift.enum.case"
            if is_case or identifier in required - defaults:
                strict.add(line)
        for link in graph["relationships"]:
            to = link.get("targetFallback") or names.get(link["target"])
            if link["kind"] in ("conformsTo", "inheritsFrom") and link["source"] in names and to not in UNWRITTEN:
                lines.add(f"{names[link['source']]}\t: {to}")
    return lines, strict


def names(graphs):
    """The names that an import of the module brings: its own, and those that it re-exports."""
    symbols = [symbol for file in graphs.glob("*.symbols.json") for symbol in json.loads(file.read_text())["symbols"]]
    top = [it for it in symbols if len(it["pathComponents"]) == 1]
    return {it["pathComponents"][0] for it in top if it["kind"]["identifier"] != "swift.extension"}


def named_changes():
    """The names in code in the newest section's lines about changes."""
    section = re.split(r"^## ", CHANGELOG.read_text(), flags=re.MULTILINE)[1]
    entries = re.split(r"^- ", section, flags=re.MULTILINE)
    code = [code for entry in entries if entry.startswith("Changed:") for code in CODE.findall(entry)]
    return {name for text in code for name in re.findall(r"\w+", text)}


def symbol_name(line):
    """What CHANGELOG.md calls a line's symbol: its own name, or the type's of an initializer."""
    path = line.split("\t")[0].split("(")[0].split(".")
    return path[-2] if path[-1] == "init" and len(path) > 1 else path[-1]


def compare(module, now, strict, allowed):
    """The breaking changes of a module that are not named."""
    before = set((LISTINGS / f"{module}.txt").read_text().splitlines())
    # A new type's own cases and requirements break nothing.
    known = {line.split("\t")[0] for line in before}
    new = {line for line in strict - before if line.split("\t")[0].rpartition(".")[0] in known}
    broken = [f"gone: {line}" for line in before - now] + [f"new: {line}" for line in new]
    return sorted(line for line in broken if symbol_name(line.partition(": ")[2]) not in allowed), len(now - before)


def main():
    parser = argparse.ArgumentParser(description="Compare the public API with the last release's.")
    parser.add_argument("--record", action="store_true")
    record = parser.parse_args().record
    shutil.rmtree(SCRATCH / "graphs", ignore_errors=True)
    build()
    LISTINGS.mkdir(exist_ok=True)
    allowed, broken, added = named_changes(), 0, 0
    for module, brings in MODULES.items():
        graphs = make_symbol_graph(module, brings)
        if module == SMALL_MODULE:
            brought = sorted(names(graphs))
            print(f"import {module} brings {len(brought)} names: {', '.join(brought)}")
            if len(brought) > MOST_NAMES:
                raise Failed(f"import {module} brings more than {MOST_NAMES} names: move some to another module")
        now, strict = listing(graphs)
        file = LISTINGS / f"{module}.txt"
        if record:
            file.write_text("".join(f"{line}\n" for line in sorted(now)))
            print(f"{file.relative_to(ROOT)}: {len(now)} lines")
            continue
        if not file.is_file():
            raise Failed(f"{file.relative_to(ROOT)} is missing: run api.py --record at the release, and commit it")
        complaints, more = compare(module, now, strict, allowed)
        added, broken = added + more, broken + len(complaints)
        for complaint in complaints:
            print(f"{module}: {complaint}".replace("\t", "  "))
    if broken:
        hint = f"Undo them, or name each symbol in a line \"- Changed: ...\" of {CHANGELOG.name}."
        raise Failed(f"breaking changes that {CHANGELOG.name} does not name: {broken}. {hint}")
    if not record:
        print(f"No breaking change that {CHANGELOG.name} does not name; {added} additions since the last release.")


if __name__ == "__main__":
    try:
        main()
    except Failed as failure:
        sys.exit(f"api: {failure}")
