"""Compiles the Swift in the documents, as it stands there.

    snippets.py [FILE ...]    without files: every document and article of this repository

Each ```swift block is compiled against the package's own modules, which must be built
(`swift build`). A block is the body of a function unless it declares what only a file can hold. An HTML comment right before it says what it needs besides:

    <!-- snippet: swift 5 -->             language mode 4, 5 or 6 (6 unless said)
    <!-- snippet: swift 5, given          lines that stand before the block
    let recorder = AWSKinesisRecorder.default()
    -->
    <!-- snippet: not compiled, why -->

The blocks in doc comments of the sources are compiled, too, with their own module imported
and the names of EXAMPLES at hand.

Old programs of the tests, which the build compiles in mode 6, must compile in mode 5, too.

A block that makes a `Package(` is compiled as a manifest, and each product it asks of this
package must exist. Exit status 1 if any block does not compile; errors name the document's
line.
"""

import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(
    r"(?:^<!-- snippet: (?P<how>[^\n]*?)(?:\n(?P<given>(?:(?!-->).)*?))?-->\n+)?"
    r"^```swift\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
ONLY_IN_A_FILE = re.compile(r"^(extension|protocol|@main)\b", re.MULTILINE)
DOC_COMMENT = re.compile(r"^\s*/// ?(.*)$")
IMPORT = re.compile(r"^(?:@\w+ )?import .*$", re.MULTILINE)
IN_BOTH_MODES = ["AmplifyGuide", "TaskSpellings"]
PRODUCT = re.compile(r'\.product\(name: "(.*?)", package: "swift-aws-recorder"\)')
# A wrong one, to see that wrong ones are found.
CONTROL = "```swift\nimport AWSKinesis\nAWSKinesisRecorder.default().saveRecrod(nil)\n```\n"

# What the blocks in a module's doc comments take as given.
RECORDER = """
import KinesisRecorders
import MobileFoundation
private var recorder: AWSKinesisRecorder { .default() }
private var data: Data { Data() }
"""
EXAMPLES = {
    "KinesisRecorders": """
import AWSKinesisClient
private var data: Data { Data() }
""",
    "RecorderAccounting": "import AWSKinesisClient\n",
    "AWSTasks": RECORDER,
    "MobileFoundation": RECORDER,
    "RecorderConfiguration": RECORDER,
    "RecordClients": """
import AWSKinesisClient
import KinesisRecorders
import MobileFoundation
import RecordClientFoundation
private var provider: any RecordClients.AWSCredentialsProvider { fatalError() }
private var amplifyProvider: any RecordClients.AWSCredentialsProvider { fatalError() }
private var data: Data { Data() }
""",
    "ServiceClientHTTP": """
import AWSKinesisClient
import Synchronization
private let requestCount = Atomic(0)
private var config: KinesisClient.KinesisClientConfiguration { fatalError() }
""",
}


class Snippet:
    """One block of a document."""

    def __init__(self, document, text, found, module=None):
        self.document = document
        self.module = module
        self.line = text.count("\n", 0, found.start("code")) + 1
        self.how = (found["how"] or "").strip()
        self.given = found["given"] or ""
        self.code = found["code"]
        if module:
            self.given = f"import {module}\nimport Foundation\n{EXAMPLES.get(module, '')}"

    @property
    def mode(self):
        named = re.search(r"swift (\d)", self.how)
        return "manifest" if "Package(" in self.code else named[1] if named else "6"

    @property
    def is_compiled(self):
        return not self.how.startswith("not compiled")

    def source(self):
        """A Swift file of this block, whose errors point into the document."""
        place = f'#sourceLocation(file: "{self.document}", line: {self.line})\n'
        if self.mode == "manifest":
            return place + self.code
        imports = "\n".join(IMPORT.findall(self.given + self.code)) + "\n"
        given, code = IMPORT.sub("", self.given), IMPORT.sub("", self.code)
        if ONLY_IN_A_FILE.search(self.code):
            return imports + given + place + code
        name = re.sub(r"\W", "_", f"{self.document}_{self.line}")
        # What a doc comment takes as given may get the same name within it, so it stands around it.
        outer, inner = (given, "") if self.module else ("", given)
        return f"{imports}{outer}func {name}() async throws {{\n{inner}{place}{code}}}\n"


def snippets(document, text):
    if document.suffix != ".swift":
        return [Snippet(document, text, found) for found in BLOCK.finditer(text)]
    comments = (DOC_COMMENT.match(line) for line in text.splitlines())
    text = "".join(f"{comment[1]}\n" if comment else "\n" for comment in comments)
    return [Snippet(document, text, found, document.parts[1]) for found in BLOCK.finditer(text)]


def output(*command):
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def options(mode):
    """What swiftc needs to know of our modules, or of manifests."""
    if mode == "manifest":
        toolchain = json.loads(output("swiftc", "-print-target-info"))["paths"]
        interface = pathlib.Path(toolchain["runtimeResourcePath"]) / "pm/ManifestAPI"
        return ["-I", interface, "-package-description-version", "6.3"]
    maps = [["-I", path.parent] for path in ROOT.glob("Sources/C*/module.modulemap")]
    modules = pathlib.Path(output("swift", "build", "--show-bin-path").strip()) / "Modules"
    return ["-swift-version", mode, "-I", modules, *sum(maps, [])]


def compile_all(mode, chosen):
    """Compiles all blocks of one language mode together; returns the compiler's complaint."""
    with tempfile.TemporaryDirectory(prefix="recorder-snippets-") as scratch:
        # A manifest is a main file, so each is compiled alone; `main.swift` makes it one.
        groups = [[snippet] for snippet in chosen] if mode == "manifest" else [chosen]
        complaint = ""
        for number, group in enumerate(groups):
            files = []
            for place, snippet in enumerate(group):
                name = "main.swift" if mode == "manifest" else f"Snippet{place}.swift"
                file = pathlib.Path(scratch) / str(number) / name
                file.parent.mkdir(exist_ok=True)
                file.write_text(snippet.source())
                files.append(file)
            complaint += typecheck(mode, files)
        return complaint


def typecheck(mode, files):
    command = ["swiftc", "-typecheck", "-suppress-warnings", *options(mode), *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def unknown_products(chosen):
    manifest = json.loads(output("swift", "package", "dump-package"))
    known = {product["name"] for product in manifest["products"]}
    return "".join(
        f"{snippet.document}:{snippet.line}: error: this package has no product {name}\n"
        for snippet in chosen
        for name in PRODUCT.findall(snippet.code)
        if name not in known
    )


def check(found):
    """Compiles these blocks; returns all complaints."""
    by_mode = {}
    for snippet in found:
        if snippet.is_compiled:
            by_mode.setdefault(snippet.mode, []).append(snippet)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        complaints = pool.map(compile_all, by_mode.keys(), by_mode.values())
        return "".join(complaints) + unknown_products(by_mode.get("manifest", []))


def documents():
    patterns = "*.md", "Sources/*/*.docc/**/*.md", "Documentation/**/*.md", "Sources/**/*.swift"
    return [file for pattern in patterns for file in sorted(ROOT.glob(pattern))]


def main():
    files = [pathlib.Path(name).resolve() for name in sys.argv[1:]] or documents()
    found = []
    for file in files:
        found += snippets(file.relative_to(ROOT), file.read_text())
    files = {snippet.document for snippet in found}
    complaints = check(snippets(pathlib.Path("control"), CONTROL))
    if "control:3" not in complaints:
        print(complaints, "A wrong snippet was not found: nothing is proved.", sep="")
        return 1
    complaints = check(found)
    if not sys.argv[1:]:
        programs = (sorted((ROOT / "Tests/Compatibility" / name).glob("*.swift")) for name in IN_BOTH_MODES)
        complaints += "".join(typecheck("5", files) for files in programs)
    print(complaints, end="")
    compiled = sum(snippet.is_compiled for snippet in found)
    if not complaints:
        rest = len(found) - compiled
        print(f"{compiled} snippets of {len(files)} documents compile; {rest} marked otherwise")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
