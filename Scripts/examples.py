"""Runs every example against a local AWS service, and compares what it prints with Examples/Output.

    examples.py            all of them
    examples.py NAME...    some, by the name of their folder
    examples.py --accept   writes what they print to Examples/Output, and Port's difference to its README

Ends with one line that says how many printed what they should (exit status 1 if not all). The guide's program is run by demo.py.
`Port/README.md` must show the difference between `Before` and `After`, of fewer than 10 lines, and README the programs that stand
there. `Gateway` is stopped by SIGTERM, and its tests are run.
"""

import argparse
import contextlib
import difflib
import re
import subprocess
import sys
import tempfile
import threading
import urllib.request

from demo import EXAMPLES, ROOT, RUN_SECONDS, STREAM, Failed, Service, build, create_streams, run_program
from demo import with_own_settings

OUTPUT = EXAMPLES / "Output"
PORT = EXAMPLES / "Port"
PORT_LIMIT = 10


def say(text):
    print(f"examples: {text}", flush=True)


class Place:
    """The services that the examples talk to, and their stores."""

    def __init__(self, cleanup):
        scratch = tempfile.TemporaryDirectory(prefix="recorder-examples-")
        self.directory = cleanup.enter_context(scratch)
        self.service = Service()
        cleanup.callback(self.service.stop)
        # Also accepts the keys of guests, which belong to no account.
        self.open_service = Service(checks=False)
        cleanup.callback(self.open_service.stop)
        for service in self.service, self.open_service:
            create_streams(service)

    def environment(self, name, service=None):
        store = f"{self.directory}/{name}"
        return (service or self.service).environment(store) | {"HOME": self.directory}


def with_stream(place, name):
    return [STREAM], place.environment(name)


def alone(place, name):
    return [], place.environment(name)


def guest(place, name):
    """No keys in the environment, but a pool that hands some out."""
    cognito = place.open_service.client("cognito-identity")
    pool = cognito.create_identity_pool(IdentityPoolName="mobile", AllowUnauthenticatedIdentities=True)
    environment = place.environment(name, place.open_service)
    for variable in "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY":
        del environment[variable]
    return [pool["IdentityPoolId"], STREAM], environment


def ported(place, name):
    """The application names its stream, and the pool that the service makes after this seed."""
    place.open_service.client("kinesis").create_stream(StreamName="visits", ShardCount=1)
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    direct.open(f"{place.open_service.url}/moto-api/seed?a=1", data=b"").close()
    (pool, _), environment = guest(place, name)
    if pool not in (PORT / "After/AppDelegate.swift").read_text():
        raise Failed(f"the service made the pool {pool}: write it into both sides of {PORT}")
    return [], environment


def vault(place, name):
    """The keys under names that only the example knows."""
    environment = place.environment(name)
    environment["VAULT_KEY"] = environment.pop("AWS_ACCESS_KEY_ID")
    environment["VAULT_SECRET"] = environment.pop("AWS_SECRET_ACCESS_KEY")
    return [STREAM], environment


# Each with what it is run with.
EXAMPLE = {
    "FirstRecorder": alone,
    "FirstClient": alone,
    "Gateway": with_stream,
    "CognitoFirehose": guest,
    "Port": ported,
    "ByteThreshold": with_stream,
    "Limits": alone,
    "Cancellation": with_stream,
    "Errors": with_stream,
    "CustomCredentials": vault,
    "Server": with_stream,
    "AmplifyKinesis": with_stream,
    "AmplifyFirehose": with_stream,
    "EscapeHatch": with_stream,
    "SideBySide": with_stream,
}

# What is printed by a program that runs until it is stopped, before that.
LAST_LINE = {"Port": "Events sent: 1, bytes left: 0\n", "Gateway": "started\n"}
IN_README = "FirstRecorder", "FirstClient"


def port_complaint(accepts):
    """What is wrong with the difference that Port's README shows, or None."""
    before, after = ({file.name: file.read_text().splitlines(True) for file in (PORT / side).iterdir()} for side in ("Before", "After"))
    difference = "".join(
        line for name in sorted(before | after)
        for line in difflib.unified_diff(before.get(name, []), after.get(name, []), f"Before/{name}", f"After/{name}", n=1)
    )
    page, block = PORT / "README.md", re.compile(r"(?<=^```diff\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
    if accepts:
        page.write_text(block.sub(lambda _: difference, page.read_text()))
    changed = len(re.findall(r"^(?:\+(?!\+\+ )|-(?!-- ))", difference, re.MULTILINE))
    if block.findall(page.read_text()) != [difference]:
        return f"{page} does not show the difference: run make examples ARGS=\"Port --accept\""
    if not 0 < changed < PORT_LIMIT:
        return f"{PORT}: {changed} changed lines; there should be fewer than {PORT_LIMIT}"
    return None


def readme_complaint():
    """What is wrong with README's programs; None if they are the examples."""
    readme = (ROOT / "README.md").read_text()
    for name in IN_README:
        text = (EXAMPLES / f"Sources/{name}/main.swift").read_text()
        # Without the comments above the program.
        if f"```swift\n{text[text.index('import '):]}```\n" not in readme:
            return f"README.md does not have the program {name} as it stands in Examples"
    return None


def test_gateway(place):
    """Whether the gateway's tests pass."""
    command = ["swift", "test", "--package-path", str(EXAMPLES), "--filter", "GatewayTests"]
    done = subprocess.run(command, env=with_own_settings(place.environment("GatewayTests")), stdin=subprocess.DEVNULL)
    return done.returncode == 0


def run_until(last_line, program, arguments, environment):
    """Runs a program until it has printed this line, ends it by SIGTERM, and returns what it printed."""
    # A pipe would be written in blocks, the last one at the end.
    process = subprocess.Popen(
        ["stdbuf", "-oL", str(program), *arguments], env=with_own_settings(environment),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
    )
    deadline = threading.Timer(RUN_SECONDS, process.kill)
    deadline.start()
    printed = ""
    with process:
        for line in process.stdout:
            printed += line
            if line == last_line:
                process.terminate()
        deadline.cancel()
    return printed


def run(name, programs, place, accepts):
    """Whether the example printed what it should."""
    arguments = EXAMPLE[name](place, name)
    if name in LAST_LINE:
        printed = run_until(LAST_LINE[name], programs / name, *arguments)
    else:
        printed = run_program(programs / name, *arguments)
    expected = OUTPUT / f"{name}.txt"
    if accepts:
        expected.write_text(printed)
        return True
    wanted = expected.read_text()
    if printed == wanted:
        say(f"{name}: as it should be, {len(printed.splitlines())} lines")
        return True
    say(f"{name}: printed something else than {expected}:")
    print("\n".join(difflib.unified_diff(wanted.splitlines(), printed.splitlines(), "wanted", "printed", lineterm="")))
    return False


def run_all(names, accepts):
    unknown = sorted(set(names) - set(EXAMPLE))
    if unknown:
        raise Failed(f"there is no example {unknown[0]}; there are {', '.join(EXAMPLE)}")
    chosen = names or list(EXAMPLE)
    wrong = (port_complaint(accepts) if "Port" in chosen else None) or readme_complaint()
    if wrong:
        raise Failed(wrong)
    programs = build()
    with contextlib.ExitStack() as cleanup:
        place = Place(cleanup)
        right = sum(run(name, programs, place, accepts) for name in chosen)
        if "Gateway" in chosen and not test_gateway(place):
            raise Failed("the gateway's tests failed")
    say(f"{right} of {len(chosen)} printed what they should")
    return right == len(chosen)


def main():
    parser = argparse.ArgumentParser(description="Run the examples.")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--accept", action="store_true")
    options = parser.parse_args()
    try:
        return 0 if run_all(options.names, options.accept) else 1
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        say(f"failed: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
