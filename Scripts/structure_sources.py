"""Reads the package for Scripts/structure: targets and dependencies of Package.swift, and the hand-written Swift files.

Everything is read from the text, so that the check needs no build. A file *uses* another one of its target where it names
a type, protocol or function that only the other one declares at its top level.
"""

import collections
import dataclasses
import functools
import re
from pathlib import Path

DECLARATION = re.compile(
    r"^(?:@\S+\s+)*((?:(?:public|open|package|internal|fileprivate|private|final|indirect|nonisolated|distributed)\s+)*)"
    r"(?:struct|class|enum|protocol|actor|typealias|func)\s+([A-Za-z_]\w*)",
    re.M,
)
IMPORT = re.compile(
    r"^\s*(?:@\w+\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|typealias|func|let|var)\s+)?(\w+)",
    re.M,
)
FUNCTION = re.compile(r"\b(func\s+[^\s(<]+|init[?!]?)\s*(?:<[^>(]*>)?\(")
TYPED_CLOSURE = re.compile(r"throws\([^)]*\) (?:-> [^{\n]*)?in\b")
STRING = re.compile(r'(#*)"""(?s:.*?)"""\1|(#+)"(?s:.*?)"\2|"(?:\\.|[^"\\\n])*"')


def blank(match):
    """The quotes and line ends of a match, so that line numbers stay."""
    return '""' + "\n" * match.group(0).count("\n")


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", lambda m: " " + "\n" * m.group(0).count("\n"), text, flags=re.S)
    return re.sub(r"(?<!:)//[^\n]*", "", text)


@dataclasses.dataclass
class Target:
    name: str
    kind: str
    dependencies: list
    path: str


@dataclasses.dataclass
class Source:
    """One hand-written Swift file of a target."""

    path: Path
    target: str
    folder: str
    text: str

    @property
    def name(self):
        return self.path.stem

    @functools.cached_property
    def code(self):
        """The text without comments and strings."""
        return STRING.sub(blank, without_comments(self.text))

    @property
    def lines(self):
        return self.text.count("\n") + 1

    @property
    def typed_closures(self):
        return len(TYPED_CLOSURE.findall(self.code))

    def declared(self):
        """The names that other files can use."""
        return {name for access, name in DECLARATION.findall(self.code) if "private" not in access}

    def unnamed_parameters(self):
        """For each function and initializer: its text, and how many parameters have no label."""
        for match in FUNCTION.finditer(self.code):
            if not re.match(r"func\s+[^A-Za-z_`]", match.group(0)):
                parameters = split_parameters(self.code[match.end():])
                unnamed = sum(bool(re.match(r"\s*(?:@\w+\s+)*_\s", parameter)) for parameter in parameters)
                yield match.group(1), unnamed


def split_parameters(text):
    """The parameters of a list whose opening parenthesis is before `text`."""
    parts, start, depth = [], 0, 0
    for index, character in enumerate(text):
        if character in "([{" or character == "<":
            depth += 1
        elif character == ">" and text[index - 1] != "-":
            depth -= 1
        elif character in ")]}":
            if depth == 0:
                return parts + [text[start:index]]
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return parts


class Package:
    """Package.swift and the files of the targets in Sources."""

    def __init__(self, root):
        self.root = root
        self.targets = read_targets((root / "Package.swift").read_text(encoding="utf8"))
        self.sources, self.generated = [], []
        for path in sorted((root / "Sources").rglob("*.swift")):
            text = path.read_text(encoding="utf8")
            inside = path.relative_to(root / "Sources")
            if "Generated" in inside.parts or "generated" in text.split("\n", 1)[0].lower():
                self.generated.append(inside)
            else:
                folder = "/".join(inside.parts[1:-1]) or "."
                self.sources.append(Source(inside, inside.parts[0], folder, text))

    def of(self, target):
        return [source for source in self.sources if source.target == target]

    def all_swift_files(self, target):
        """Every file of a target, tests and generated ones too."""
        folder = self.root / target.path
        return sorted(folder.rglob("*.swift")) if folder.is_dir() else []

    @functools.cached_property
    def uses(self):
        """Which sources each source uses, those of other targets too."""
        declaring = collections.defaultdict(set)
        for index, source in enumerate(self.sources):
            for name in source.declared():
                declaring[name].add(index)
        owner = {name: min(files) for name, files in declaring.items() if len(files) == 1 and len(name) > 2}
        uses = {}
        for index, source in enumerate(self.sources):
            words = set(re.findall(r"\b[A-Za-z_]\w+\b", source.code))
            uses[index] = {owner[word] for word in words if word in owner} - {index}
        return uses

    def folder_links(self, target):
        """folder -> folder it uses -> the links between their files, as "A -> B"."""
        links = collections.defaultdict(lambda: collections.defaultdict(set))
        for index, used in self.uses.items():
            source = self.sources[index]
            for other in (self.sources[number] for number in used):
                if source.target == other.target == target and source.folder != other.folder:
                    links[source.folder][other.folder].add(f"{source.name} -> {other.name}")
        return links


def read_targets(text):
    targets = {}
    for match in re.finditer(r'^ +systemLibrary\("(\w+)"', text, re.M):
        name = match.group(1)
        targets[name] = Target(name, "system", [], f"Sources/{name}")
    for match in re.finditer(r"\.(target|executableTarget|testTarget)\(", text):
        body = "(" + ", ".join(split_parameters(text[match.end():])) + ")"
        name = re.search(r'name:\s*"([^"]+)"', body)
        if not name:
            continue
        name = name.group(1)
        dependencies = re.search(r"dependencies:\s*\[(.*?)\]", body, re.S)
        path = re.search(r'path:\s*"([^"]+)"', body)
        targets[name] = Target(
            name,
            match.group(1),
            re.findall(r'"([^"]+)"', dependencies.group(1)) if dependencies else [],
            path.group(1) if path else f"Sources/{name}",
        )
    return targets
