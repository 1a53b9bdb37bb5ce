"""A million lines through the command line: piped into `save`, sent by `submit`, counted where they arrive.

    million.py PROGRAM [--lines N] [--bytes N]

PROGRAM is a kinesis-recorder built for release, such as the one that `make package` leaves in
.build/package/release. Prints rates, peak memory, the progress that a terminal showed, and
what arrived; exit status 1 if any line is missing or came twice, or no bar was drawn.
"""

import argparse
import base64
import collections
import http.server
import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import threading
import time

ENTRY = '{"SequenceNumber":"1","ShardId":"shardId-000000000000"}'


class Sink(http.server.ThreadingHTTPServer):
    """A Kinesis that takes everything and remembers each record."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.counts = collections.Counter()
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        lines = [base64.b64decode(record["Data"]) for record in body["Records"]]
        with self.server.lock:
            self.server.counts.update(int(line) for line in lines)
        entries = ",".join([ENTRY] * len(lines))
        answer = f'{{"FailedRecordCount":0,"Records":[{entries}]}}'.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *words):
        pass


def read_terminal(master, shown):
    """Collects what a terminal was told until its last writer is gone."""
    while True:
        try:
            shown += os.read(master, 65536)
        except OSError:
            return


def run(title, command, environment, source=None):
    """Runs a command as on a terminal; prints its time, its rate being its own word, its peak
    memory and some of its bar; tells whether there was one."""
    master, terminal = pty.openpty()
    start = time.monotonic()
    process = subprocess.Popen(
        command, env=environment, stdin=source, stdout=subprocess.PIPE, stderr=terminal
    )
    os.close(terminal)
    shown = bytearray()
    reader = threading.Thread(target=read_terminal, args=(master, shown))
    reader.start()
    out = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    reader.join()
    os.close(master)
    processor = usage.ru_utime + usage.ru_stime
    print(
        f"{title}: {out.strip()}; {seconds:.1f} s, {processor:.1f} s of CPU, "
        f"peak memory {usage.ru_maxrss / 1024:.0f} MiB",
        flush=True,
    )
    # Each drawing of the bar begins with a carriage return, and may clear the line's rest.
    drawn = [line.replace("\x1b[2K", "").strip() for line in shown.decode().split("\r")]
    bars = [line for line in drawn if "%" in line]
    for line in bars[:: max(len(bars) // 3, 1)]:
        print(f"    {line}")
    if status != 0:
        raise SystemExit(f"{title} ended with status {status >> 8}: {shown.decode()}")
    return bool(bars)


def main():
    parser = argparse.ArgumentParser(description="A million lines, counted.")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--bytes", type=int, default=100)
    options = parser.parse_args()
    sink = Sink()
    with tempfile.TemporaryDirectory(prefix="recorder-million-") as scratch:
        lines = pathlib.Path(scratch) / "lines"
        with open(lines, "w") as file:
            width = options.bytes - 1
            file.writelines(f"{number:0{width}}\n" for number in range(options.lines))
        environment = {
            "HOME": scratch,
            "TERM": "xterm",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": sink.url,
            "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "no_proxy": "127.0.0.1",
        }
        with subprocess.Popen(["cat", lines], stdout=subprocess.PIPE) as cat:
            run("save", [options.program, "save", "app"], environment, cat.stdout)
        has_bar = run("submit", [options.program, "submit"], environment)
    missing = options.lines - len(sink.counts)
    twice = sum(count > 1 for count in sink.counts.values())
    print(f"arrived: {len(sink.counts):,} of {options.lines:,}; {missing} missing, {twice} twice")
    return 0 if missing == twice == 0 and has_bar else 1


if __name__ == "__main__":
    sys.exit(main())
