"""Follows logs while they are rotated and the follower is killed, and counts where the lines arrive.

    rotations.py PROGRAM [--seconds N] [--rate N] [--kinds KIND,...]

PROGRAM is a kinesis-recorder built for release; `make stress FULL=1` runs this. The kinds are logrotate's ways and those of Python's
handlers, all at once. Every 20 seconds the follower is killed, and started again 10 seconds later. Prints how many lines were lost and
how many came twice; exit status 1 if there were any but those that copytruncate loses, which the follower has to tell.
"""

import argparse
import base64
import collections
import http.server
import json
import logging
import logging.handlers
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

ENTRY = '{"SequenceNumber":"1","ShardId":"shardId-000000000000"}'
ROTATED_EVERY = 7
KILLED_AFTER = 20
DOWN_FOR = 10

# What logrotate is told of each kind, beside how many files it keeps.
LOGROTATE = {
    "create": "create 0600",
    "nocreate": "nocreate",
    "copytruncate": "copytruncate",
    "compress": "create 0600\ncompress",
    "delaycompress": "create 0600\ncompress\ndelaycompress",
    "dateext": "create 0600\ndateext\ndateformat -%Y%m%d-%s",
    "olddir": "create 0600\nolddir old",
    "sharedscripts": "create 0600\nsharedscripts",
}
KINDS = [*LOGROTATE, "RotatingFileHandler", "TimedRotatingFileHandler"]


class Sink(http.server.ThreadingHTTPServer):
    """A Kinesis that takes everything and counts each line by its stream."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.counts = collections.defaultdict(collections.Counter)
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        records = body.get("Records", [])
        lines = [base64.b64decode(record["Data"]).split()[0] for record in records]
        with self.server.lock:
            self.server.counts[body.get("StreamName")].update(lines)
        answer = f'{{"FailedRecordCount":0,"Records":[{",".join([ENTRY] * len(lines))}]}}'.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *words):
        pass


class Writer(threading.Thread):
    """Writes numbered lines, a hundredth of a second's at a time, to a log that is rotated meanwhile."""

    def __init__(self, kind, directory, seconds, rate):
        super().__init__(daemon=True)
        self.kind, self.directory = kind, directory
        self.rate, self.end = rate, time.monotonic() + seconds
        self.path = directory / "app.log"
        self.reopen = directory / "reopen"
        self.written = 0

    def run(self):
        write = self.handler() if self.kind not in LOGROTATE else self.file()
        start, tick = time.monotonic(), 0
        while time.monotonic() < self.end:
            for _ in range(self.rate // 100):
                write(f"{self.written} {'.' * 80}")
                self.written += 1
            write(None)
            tick += 1
            time.sleep(max(0, start + tick / 100 - time.monotonic()))

    def file(self):
        opened = [open(self.path, "a")]

        def write(line):
            if line is not None:
                opened[0].write(line + "\n")
                return
            opened[0].flush()
            if self.reopen.exists():
                opened[0].close()
                opened[0] = open(self.path, "a")
                self.reopen.unlink()

        return write

    def handler(self):
        if self.kind == "RotatingFileHandler":
            handler = logging.handlers.RotatingFileHandler(
                self.path, maxBytes=self.rate * 90 * ROTATED_EVERY, backupCount=9)
        else:
            handler = logging.handlers.TimedRotatingFileHandler(self.path, when="S", interval=ROTATED_EVERY, backupCount=9)
        logger = logging.Logger(self.kind)
        logger.addHandler(handler)
        return lambda line: line is None or logger.info(line)


class Rotator(threading.Thread):
    def __init__(self, kind, directory, seconds):
        super().__init__(daemon=True)
        self.directory, self.end = directory, time.monotonic() + seconds
        if kind == "olddir":
            (directory / "old").mkdir()
        reopen = directory / "reopen"
        script = f"touch {reopen}\nwhile [ -e {reopen} ]; do sleep 0.02; done"
        if kind == "copytruncate":
            script = "true"
        self.configuration = directory / "logrotate.conf"
        self.configuration.write_text(
            f"{directory}/app.log {{\nrotate 9\n{LOGROTATE[kind]}\npostrotate\n{script}\nendscript\n}}\n")
        self.configuration.chmod(0o600)

    def run(self):
        while time.monotonic() < self.end - ROTATED_EVERY:
            time.sleep(ROTATED_EVERY)
            subprocess.run(["logrotate", "-f", "-s", self.directory / "state", self.configuration], check=True)


class Follower(threading.Thread):
    """Follows until it is killed, and again; once the writer has ended, until nothing more is stored. Then all is sent.

    Nothing is sent before, since what a killed process had sent may be sent again, which is not what is asked here.
    """

    def __init__(self, kind, directory, program, sink, writer):
        super().__init__(daemon=True)
        self.kind, self.sink, self.writer, self.program = kind, sink, writer, program
        self.log = open(directory / "follower.log", "w+")
        paths = [str(writer.path)]
        if kind == "olddir":
            paths.append(str(directory / "old" / "*"))
        self.store = directory / "store"
        self.follow = ["follow", kind, *paths, "--limit", "2G"]
        self.kills = 0

    def start_process(self, words):
        environment = os.environ | {
            "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.sink.server_port}",
        }
        command = [self.program, *words, "--directory", str(self.store)]
        return subprocess.Popen(command, stdout=self.log, stderr=self.log, env=environment)

    def stored(self):
        return sum(file.stat().st_mtime_ns for file in self.store.rglob("*.db*"))

    def run(self):
        while self.writer.is_alive():
            process = self.start_process(self.follow)
            try:
                process.wait(timeout=KILLED_AFTER)
                sys.exit(f"{self.kind}: the follower ended by itself with {process.returncode}")
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                self.kills += 1
                time.sleep(DOWN_FOR)
        process = self.start_process(self.follow)
        before, since = None, time.monotonic()
        while time.monotonic() - since < 15:
            time.sleep(0.2)
            if (now := self.stored()) != before:
                before, since = now, time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait()
        self.start_process(["submit", "-q"]).wait()

    def told(self):
        """How often it said that lines are missing around a truncation: it cannot know how many."""
        self.log.seek(0)
        return len(re.findall(r"was truncated in place.* missing", self.log.read()))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--rate", type=int, default=1000, help="lines a second of each kind")
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=KINDS)
    options = parser.parse_args()
    sink = Sink()
    with tempfile.TemporaryDirectory() as home:
        runs = []
        for kind in options.kinds:
            directory = pathlib.Path(home) / kind
            directory.mkdir()
            writer = Writer(kind, directory, options.seconds, options.rate)
            follower = Follower(kind, directory, options.program, sink, writer)
            threads = [writer, follower]
            if kind in LOGROTATE:
                threads.append(Rotator(kind, directory, options.seconds))
            for thread in threads:
                thread.start()
            runs.append((kind, writer, follower, threads))
        failed = False
        for kind, writer, follower, threads in runs:
            for thread in threads:
                thread.join()
            counts = sink.counts[kind]
            lost = writer.written - len(counts)
            twice = sum(counts.values()) - len(counts)
            missing = {line for line in range(writer.written) if str(line).encode() not in counts}
            size = sum(len(f"{line} ") + 81 for line in missing)
            places = sum(line - 1 not in missing for line in missing)
            told = ""
            if kind == "copytruncate":
                told = f"; {size} bytes are missing in {places} places, {follower.told()} truncations told"
                failed |= places > follower.told()
            print(f"{kind}: {writer.written} lines, {follower.kills} kills: {lost} lost, {twice} twice{told}", flush=True)
            failed |= twice > 0 or (lost > 0 and kind != "copytruncate")
            if lost and kind != "copytruncate":
                follower.log.seek(0)
                print("    " + "\n    ".join(follower.log.read().splitlines()[-40:]))
    sys.exit(failed)


main()
