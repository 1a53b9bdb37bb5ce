"""A local Kinesis, Firehose and S3 for the tests and the demo: moto with fixes.

    python local_service.py [--port 0] [--auth] [--keep-running]

Listens on the loopback interface only. Prints one line, `ready PORT`, once it accepts
connections. With --auth, JSON follows on that line: the keys of an allowed and of a denied
user, and the ID of an identity pool whose guests may put records; every call is checked
from then on.

Exits when its standard input closes, so it cannot outlive the process that started it,
however that process ended; with --keep-running it runs until SIGTERM.

See puts.py for the faults that a stream's name requests, and side_channel.py for set-up
and reading back.
"""

import argparse
import json
import logging
import os
import signal
import sys
import threading

# The environment may contain real credentials: moto must never see them.
for variable in [name for name in os.environ if name.startswith("AWS_")]:
    del os.environ[variable]
os.environ.update(
    AWS_ACCESS_KEY_ID="local",
    AWS_SECRET_ACCESS_KEY="local",
    AWS_DEFAULT_REGION="us-east-1",
    AWS_CONFIG_FILE=os.devnull,
    AWS_SHARED_CREDENTIALS_FILE=os.devnull,
    AWS_EC2_METADATA_DISABLED="true",
)

import waitress  # noqa: E402
from moto.moto_server.werkzeug_app import (  # noqa: E402
    DomainDispatcherApplication,
    create_backend_app,
)

import access  # noqa: E402
import puts  # noqa: E402
from binary import BinaryRequests  # noqa: E402
from side_channel import SideChannel  # noqa: E402

MIB = 1 << 20


def end_with_standard_input():
    def wait():
        while sys.stdin.buffer.read(1024):
            pass
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


def parse_arguments():
    parser = argparse.ArgumentParser(description="Local Kinesis, Firehose and S3.")
    parser.add_argument(
        "--port", type=int, default=0, help="0 (default): any free port"
    )
    parser.add_argument("--auth", action="store_true", help="check every call")
    parser.add_argument(
        "--keep-running", action="store_true", help="outlive the parent"
    )
    return parser.parse_args()


def main():
    options = parse_arguments()
    if not options.keep_running:
        end_with_standard_input()
    endings = (signal.SIGINT, signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, endings)
    for ending in endings:
        signal.signal(ending, lambda *_: os._exit(0))
    # Some tests fill the queue of waiting requests on purpose.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)

    puts.install()
    access.install()
    server = waitress.create_server(
        SideChannel(BinaryRequests(DomainDispatcherApplication(create_backend_app))),
        host="127.0.0.1",
        port=options.port,
        threads=16,
        connection_limit=1000,
        channel_timeout=600,
        inbuf_overflow=64 * MIB,
        outbuf_overflow=64 * MIB,
        asyncore_use_poll=True,
    )
    ready = f"ready {server.effective_port}"
    if options.auth:
        ready += " " + json.dumps(access.enforce())
    print(ready, flush=True)
    server.run()


if __name__ == "__main__":
    main()
