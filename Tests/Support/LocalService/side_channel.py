"""What tests need besides the AWS calls: set-up, reading back, and a log of requests.

    POST /recorder-test/kinesis-stream?name=N&shards=1     makes a stream; with maximum=KIB of
         its own for records, strategy=AUTO, account=ID of another account
    POST /recorder-test/kinesis-strategy?name=N&strategy=AUTO  changes how it distributes records
    POST /recorder-test/firehose-stream?name=N             makes a delivery stream to S3
    GET  /recorder-test/kinesis-records?name=N             its records, in stored order
    GET  /recorder-test/firehose-bytes?name=N              its bytes in S3, in order
    GET  /recorder-test/log?name=N                         the put requests for it, in order

All take `region` (default us-east-1); of records, `account` too. They call moto directly: no signature is checked and
no fault injected. Answers are JSON, except for bytes; a 400 contains the error's text.
"""

import gzip
import io
import json
import threading
import time
from urllib.parse import parse_qsl

from moto.core import DEFAULT_ACCOUNT_ID
from moto.core.exceptions import JsonRESTError, ServiceException
from moto.firehose.models import firehose_backends
from moto.kinesis.models import kinesis_backends
from moto.s3.models import s3_backends

import binary
import canary_run
import puts

PREFIX = "/recorder-test/"
BUCKET = "delivered-by-firehose"
# Two tests may create their first delivery streams at the same time.
BUCKET_LOCK = threading.Lock()
PUTS = {
    "Kinesis_20131202.PutRecords": ("kinesis", "StreamName", "FailedRecordCount"),
    "Firehose_20150804.PutRecordBatch": (
        "firehose",
        "DeliveryStreamName",
        "FailedPutCount",
    ),
}


def kinesis(region, account=DEFAULT_ACCOUNT_ID):
    return kinesis_backends[account][region]


def s3():
    return s3_backends[DEFAULT_ACCOUNT_ID]["aws"]


def make_kinesis_stream(
    name,
    region="us-east-1",
    shards="1",
    maximum="10240",
    strategy="",
    account=DEFAULT_ACCOUNT_ID,
):
    backend = kinesis(region, account)
    backend.create_stream(name, int(shards))
    puts.set_up(backend.describe_stream(None, name), maximum, strategy)
    return {}


def set_kinesis_strategy(name, strategy, region="us-east-1"):
    puts.set_strategy(kinesis(region).describe_stream(None, name), strategy)
    return {}


def make_firehose_stream(name, region="us-east-1"):
    with BUCKET_LOCK:
        if BUCKET not in s3().buckets:
            s3().create_bucket(BUCKET, "us-east-1")
    unused = dict.fromkeys(
        [
            "kinesis_stream_source_configuration",
            "delivery_stream_encryption_configuration_input",
            "extended_s3_destination_configuration",
            "redshift_destination_configuration",
            "elasticsearch_destination_configuration",
            "splunk_destination_configuration",
            "http_endpoint_destination_configuration",
            "snowflake_destination_configuration",
            "iceberg_destination_configuration",
        ]
    )
    firehose_backends[DEFAULT_ACCOUNT_ID][region].create_delivery_stream(
        region,
        name,
        "DirectPut",
        s3_destination_configuration={
            "RoleARN": f"arn:aws:iam::{DEFAULT_ACCOUNT_ID}:role/firehose",
            "BucketARN": f"arn:aws:s3:::{BUCKET}",
            "Prefix": f"{name}/",
        },
        tags=[],
        **unused,
    )
    return {}


def kinesis_records(name, region="us-east-1", account=DEFAULT_ACCOUNT_ID):
    stream = kinesis(region, account).describe_stream(stream_arn=None, stream_name=name)
    stored = [
        (record.created_at, record.sequence_number, shard, record)
        for shard in stream.shards.values()
        for record in list(shard.records.values())
    ]
    stored.sort(key=lambda entry: (*entry[:2], entry[2].shard_id))
    return [
        {
            "data": record.data,
            "partitionKey": record.partition_key,
            "sequenceNumber": str(number),
            "shard": shard.shard_id,
            "firstHashKey": str(shard.starting_hash),
            "lastHashKey": str(shard.ending_hash),
        }
        for _, number, shard, record in stored
    ]


def firehose_bytes(name, region="us-east-1"):
    firehose_backends[DEFAULT_ACCOUNT_ID][region].describe_delivery_stream(name)
    objects = list(s3().get_bucket(BUCKET).keys.items())
    return b"".join(
        stored.value for key, stored in objects if key.startswith(f"{name}/")
    )


def record_bytes(record):
    text = record["Data"]
    data = len(text) * 3 // 4 - text.count("=", -2)
    return data + len(record.get("PartitionKey", "").encode())


class SideChannel:
    """A WSGI application around moto's: answers the paths above, passes everything else on
    and logs each put request with the result of its answer."""

    def __init__(self, moto_app):
        self.moto_app = moto_app
        self.puts = []
        self.routes = {
            ("POST", "kinesis-stream"): make_kinesis_stream,
            ("POST", "kinesis-strategy"): set_kinesis_strategy,
            ("POST", "firehose-stream"): make_firehose_stream,
            ("GET", "kinesis-records"): kinesis_records,
            ("GET", "firehose-bytes"): firehose_bytes,
            ("GET", "log"): self.log,
        }

    def __call__(self, environ, start_response):
        canary_run.note(environ.get("HTTP_AUTHORIZATION"))
        if environ["PATH_INFO"].startswith(PREFIX):
            return self.answer(environ, start_response)
        put = PUTS.get(environ.get("HTTP_X_AMZ_TARGET"))
        if put:
            return self.pass_put(put, environ, start_response)
        return self.moto_app(environ, start_response)

    def log(self, name, region="us-east-1"):
        return [entry for entry in list(self.puts) if entry["stream"] == name]

    def answer(self, environ, start_response):
        route = environ["REQUEST_METHOD"], environ["PATH_INFO"].removeprefix(PREFIX)
        arguments = dict(parse_qsl(environ["QUERY_STRING"]))
        status = "200 OK"
        try:
            if route not in self.routes:
                raise ValueError(f"no such path: {' '.join(route)}")
            body = self.routes[route](**arguments)
        except (JsonRESTError, ServiceException, TypeError, ValueError) as error:
            status, body = "400 Bad Request", {"error": str(error)}
        kind = "application/octet-stream"
        if not isinstance(body, bytes):
            kind, body = "application/json", json.dumps(body).encode()
        headers = [("Content-Type", kind), ("Content-Length", str(len(body)))]
        start_response(status, headers)
        return [body]

    def pass_put(self, put, environ, start_response):
        service, name_field, failed_field = put
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        statuses = []
        is_binary = binary.is_binary(environ)

        def note_status(status, headers, exc_info=None):
            statuses.append(int(status.split()[0]))
            return start_response(status, headers, exc_info)

        entry = {"service": service, "startedAt": time.monotonic()}
        try:
            if environ.get("HTTP_CONTENT_ENCODING") == "gzip":
                body = gzip.decompress(body)
            request = binary.decoded(body) if is_binary else json.loads(body)
            entry["format"] = "cbor" if is_binary else "json"
            arn = request.get("StreamARN", "")
            entry["stream"] = request.get(name_field) or arn.rpartition("/")[2]
            entry["arn"] = arn or None
            entry["records"] = len(request["Records"])
            entry["bytes"] = sum(map(record_bytes, request["Records"]))
        except (KeyError, TypeError, ValueError, OSError):
            return self.moto_app(environ, start_response)
        answer = b"".join(self.moto_app(environ, note_status))
        try:
            reply = binary.decoded(answer) if is_binary else json.loads(answer)
        except ValueError:
            reply = {}
        entry["status"] = statuses[-1]
        entry["failed"] = reply.get(failed_field, entry["records"])
        entry["error"] = reply.get("__type")
        entry["endedAt"] = time.monotonic()
        self.puts.append(entry)
        return [answer]
