"""The demo: 101 records through each recorder to a local AWS service, read back and counted.

    demo.py              everything in a temporary directory, gone afterwards
    demo.py --keep DIR   store and service stay, in DIR, to play with
    demo.py --stop DIR   stops the service of --keep DIR

Ends with one line that says what was saved and delivered, or what failed (exit status 1).
"""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile

import boto3
from botocore.config import Config

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "Examples"
LOCAL_SERVICE = ROOT / "Tests/Support/LocalService/local_service.py"
REGION = "us-east-1"
STREAM = "demo"
BUCKET = "demo-deliveries"
EXPECTED = [f"TestString-{number:02}" for number in range(101)]
RUN_SECONDS = 120


class Failed(Exception):
    """The demo cannot go on; the text says why."""


def say(text):
    print(f"demo: {text}", flush=True)


def build(*only):
    """Builds the examples, or only one product of them; returns the directory of the programs."""
    # SwiftPM notices new files of this package by itself, of the one above it only on a new plan.
    (EXAMPLES / "Package.swift").touch()
    command = ["swift", "build", "--package-path", str(EXAMPLES)]
    if subprocess.run([*command, *only], stdin=subprocess.DEVNULL).returncode != 0:
        raise Failed("the examples do not build")
    shown = subprocess.run([*command, "--show-bin-path"], capture_output=True, text=True, check=True)
    return pathlib.Path(shown.stdout.strip())


class Service:
    """The local AWS service as a child process; checks every signature, unless told not to."""

    def __init__(self, keep=None, checks=True):
        command = [sys.executable, str(LOCAL_SERVICE)] + ["--auth"] * checks
        options = {"stdin": subprocess.PIPE}
        if keep:
            command.append("--keep-running")
            options = {"stdin": subprocess.DEVNULL, "stderr": open(keep / "service.log", "w"), "start_new_session": True}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options)
        ready = self.process.stdout.readline().split(None, 2)
        if len(ready) < 2 or ready[0] != "ready":
            raise Failed("the local service did not start")
        self.url = f"http://127.0.0.1:{ready[1]}"
        self.keys = {"accessKeyId": "any", "secretAccessKey": "any"}
        if checks:
            made = json.loads(ready[2])
            self.keys, self.pool = made["allowed"], made["poolId"]

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def client(self, name):
        return boto3.client(
            name, endpoint_url=self.url, region_name=REGION, aws_access_key_id=self.keys["accessKeyId"],
            aws_secret_access_key=self.keys["secretAccessKey"], config=Config(proxies={}),
        )

    def environment(self, store):
        """What a program needs to use this service and that store."""
        return {
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": self.keys["accessKeyId"],
            "AWS_SECRET_ACCESS_KEY": self.keys["secretAccessKey"],
            "AWS_KINESIS_RECORDER_DIR": str(store),
            "no_proxy": "127.0.0.1",
        }


def create_streams(service):
    service.client("kinesis").create_stream(StreamName=STREAM, ShardCount=2)
    service.client("s3").create_bucket(Bucket=BUCKET)
    service.client("firehose").create_delivery_stream(
        DeliveryStreamName=STREAM,
        ExtendedS3DestinationConfiguration={"RoleARN": "arn:aws:iam::123456789012:role/firehose", "BucketARN": f"arn:aws:s3:::{BUCKET}"},
    )


def with_own_settings(environment):
    """The environment of a program that only talks to this machine: without AWS settings of the user's."""
    own = {name: text for name, text in os.environ.items() if name[:4] != "AWS_"}
    own |= environment
    return own | {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}


def run_program(program, arguments, environment):
    """Runs a program and returns what it printed."""
    command = [str(program), *arguments]
    name = " ".join([program.name, *arguments])
    try:
        done = subprocess.run(
            command, env=with_own_settings(environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
            timeout=RUN_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"`{name}` did not end within {RUN_SECONDS} s") from None
    if done.returncode != 0:
        raise Failed(f"`{name}` ended with status {done.returncode}")
    return done.stdout


def number_in(text, pattern):
    found = re.search(pattern, text)
    if not found:
        raise Failed(f"the guide's program did not print {pattern!r} but {text!r}")
    return int(found[1])


def read_kinesis(service):
    """The stream's records, shard by shard."""
    kinesis = service.client("kinesis")
    records = []
    for shard in kinesis.list_shards(StreamName=STREAM)["Shards"]:
        iterator = {"StreamName": STREAM, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        place = kinesis.get_shard_iterator(**iterator)["ShardIterator"]
        while True:
            answer = kinesis.get_records(ShardIterator=place)
            if not answer["Records"]:
                break
            records += [record["Data"].decode() for record in answer["Records"]]
            place = answer["NextShardIterator"]
    return records


def read_firehose(service):
    """The delivery stream's records, from its S3 objects, where they stand one after the other without a delimiter."""
    s3 = service.client("s3")
    records = []
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET):
        for found in page.get("Contents", []):
            stored = s3.get_object(Bucket=BUCKET, Key=found["Key"])
            text = stored["Body"].read().decode()
            parts = re.findall(r"TestString-\d+", text)
            if "".join(parts) != text:
                raise Failed(f"S3 holds something else than records: {text!r}")
            records += parts
    return records


def check(name, records):
    """Each of the 101 exactly once; returns how many."""
    counts, wanted = collections.Counter(records), set(EXPECTED)
    missing = [record for record in EXPECTED if not counts[record]]
    twice = [record for record in EXPECTED if counts[record] > 1]
    foreign = sorted(set(counts) - wanted)
    for what, found in ("missing", missing), ("twice", twice), ("unknown", foreign):
        if found:
            raise Failed(f"{name}: {len(found)} {what}, the first {found[0]!r}")
    return len(records)


def deliver(name, read, guide, service, store):
    """Runs the guide for one recorder; returns the counts saved, delivered, and bytes left."""
    environment = service.environment(store)
    printed = run_program(guide, [name, "run", STREAM], environment)
    saved = number_in(printed, r"saving (\d+) records")
    delivered = check(name, read(service))
    status = run_program(guide, [name, "status"], environment)
    left = number_in(status, r"diskBytesUsed (\d+)")
    say(f"{name}: {delivered} records read back, each once; diskBytesUsed {left}")
    if saved != delivered or left:
        raise Failed(f"{name}: {saved} saved, {delivered} delivered, {left} bytes left")
    return f"{name} {saved} saved, {delivered} delivered", left


def run_everything(guide, service, store):
    """The demo proper; returns its last line."""
    create_streams(service)
    say(f"sending to the local service at {service.url}, store in {store}")
    kinesis, left = deliver("kinesis", read_kinesis, guide, service, store)
    firehose, more = deliver("firehose", read_firehose, guide, service, store)
    return f"{kinesis}; {firehose}; {left + more} bytes left on disk"


def demo():
    say("building the guide's program (the first build takes a minute or so)")
    guide = build("--product", "Guide") / "Guide"
    with contextlib.ExitStack() as cleanup:
        scratch = tempfile.TemporaryDirectory(prefix="recorder-demo-")
        directory = pathlib.Path(cleanup.enter_context(scratch))
        service = Service()
        cleanup.callback(service.stop)
        return run_everything(guide, service, directory / "store")


def demo_kept(directory):
    directory.mkdir(parents=True, exist_ok=True)
    if running(directory):
        raise Failed(f"one runs there already; {stop_command(directory)}")
    say("building the guide's program (the first build takes a minute or so)")
    guide = build("--product", "Guide") / "Guide"
    with contextlib.ExitStack() as cleanup:
        service = Service(keep=directory)
        cleanup.callback(service.stop)
        with open(directory / "service.pid", "w", opener=private) as file:
            file.write(f"{service.process.pid}\n")
        store = directory / "store"
        settings = service.environment(store)
        settings |= {"GUIDE": str(guide), "IDENTITY_POOL_ID": service.pool}
        with open(directory / "env", "w", opener=private) as file:
            # The user's own would come before the settings below.
            file.write("unset AWS_PROFILE AWS_SESSION_TOKEN\n")
            for name, text in settings.items():
                file.write(f"export {name}={shlex.quote(text)}\n")
        # The store of the programs may have records that wait for a service.
        with tempfile.TemporaryDirectory(prefix="recorder-demo-") as scratch:
            last_line = run_everything(guide, service, pathlib.Path(scratch) / "store")
        cleanup.pop_all()
    say(f"kept: service {service.url}, stream and delivery stream `{STREAM}`")
    say(f"identity pool for AWSCognitoCredentialsProvider: {service.pool}")
    say(f'use it:  . {shlex.quote(str(directory / "env"))}; then run a program, or the demo\'s own: "$GUIDE" kinesis run {STREAM}')
    say(f"stop it: {stop_command(directory)}")
    return last_line


def stop_command(directory):
    return f"make demo-stop {shlex.quote(f'KEEP={directory}')}"


def private(path, flags):
    """Opens a file that only its owner can read."""
    return os.open(path, flags, mode=0o600)


def running(directory):
    """The process id of the service kept there, or None."""
    try:
        process = int((directory / "service.pid").read_text())
        command = pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
    except (OSError, ValueError):
        return None
    return process if LOCAL_SERVICE.name.encode() in command else None


def stop_kept(directory):
    process = running(directory)
    if process:
        os.kill(process, signal.SIGTERM)
    (directory / "service.pid").unlink(missing_ok=True)
    return "stopped" if process else f"nothing runs in {directory}"


def main():
    parser = argparse.ArgumentParser(description="Demo against a local AWS service.")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--keep", type=pathlib.Path, metavar="DIR")
    choice.add_argument("--stop", type=pathlib.Path, metavar="DIR")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        if options.stop:
            last_line = stop_kept(options.stop.absolute())
        elif options.keep:
            last_line = demo_kept(options.keep.absolute())
        else:
            last_line = demo()
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    except Exception as error:
        say(f"failed: {error}")
        return 1
    say(last_line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
