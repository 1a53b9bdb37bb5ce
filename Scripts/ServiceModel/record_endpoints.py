"""Writes the recordings of the endpoint tests: where botocore sends requests, and how it signs them. Nothing is sent.

    .venv/bin/python Scripts/ServiceModel/record_endpoints.py

A case is an operation with an input, in an environment. Its recording has the address, the body and the scope of the
signature of the request that botocore prepares, or the fact that botocore refuses it. The file has one line per case. Run
this after extract.py.
"""

import itertools
import json
import os
import pathlib
import re

import botocore.awsrequest
import botocore.config
import botocore.exceptions
import botocore.serialize
import botocore.session

import extract

FILE = pathlib.Path(__file__).parent.parent.parent / "Tests/Compatibility/AWSKinesisTests/Recordings/endpoints.json"

KEYS = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "not-a-secret"}
NO_FILES = {"AWS_CONFIG_FILE": "/nonexistent", "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent"}
ACCOUNT = {"AWS_ACCOUNT_ID": "111122223333"}
OTHER_ACCOUNT = "444455556666"

PARTITIONS = {"cn-": "aws-cn", "us-gov-": "aws-us-gov", "eusc-": "aws-eusc", "us-iso-": "aws-iso", "us-isob-": "aws-iso-b"}
REGIONS = [
    "us-east-1", "eu-west-1", "me-west-1", "cn-north-1", "us-gov-west-1", "eusc-de-east-1", "us-iso-east-1", "us-isob-east-1",
    "eu-isoe-west-1", "us-isof-south-1", "ap-nowhere-9", "mars-north-1",
]
# One of each kind that the rules distinguish.
KINDS = ["PutRecords", "ListStreams", "ListQueues", "ReceiveQueueRecords", "DescribeChannel", "DescribeStreamConsumer", "TagResource"]
OPTIONS = [
    dict(zip(("AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT"), flags)) for flags in itertools.product(("true", "false"), repeat=2)
]
ENDPOINTS = [
    {"AWS_ENDPOINT_URL": "http://localhost:4566"},
    {"AWS_ENDPOINT_URL": "https://general.example:8443", "AWS_ENDPOINT_URL_KINESIS": "https://kinesis.example"},
    {"AWS_ENDPOINT_URL_FIREHOSE": "https://firehose.example/base/"},
    {"AWS_ENDPOINT_URL": "http://localhost:4566", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"},
    {"AWS_ENDPOINT_URL_KINESIS": "https://vpce-1.kinesis.us-east-1.vpce.amazonaws.com", "AWS_USE_FIPS_ENDPOINT": "true"},
]
MODES = [{"AWS_ACCOUNT_ID_ENDPOINT_MODE": mode} for mode in ("preferred", "required", "disabled", "Required", "sometimes")]


def arn(region, resource, account=OTHER_ACCOUNT, service="kinesis", partition=None):
    if not partition:
        partition = next((name for start, name in PARTITIONS.items() if region.startswith(start)), "aws")
    return f"arn:{partition}:{service}:{region}:{account}:{resource}"


RESOURCES = {
    "StreamARN": "stream/orders",
    "ConsumerARN": "stream/orders/consumer/reader:1600000000",
    "ResourceARN": "stream/orders",
    "ChannelARN": "channel/c-0a1b2c",
    "QueueARN": "queue/q-0a1b2c",
}


class Cases:
    """The cases, each as (service, operation, environment, members of the input besides those that it needs)."""

    def __init__(self, models):
        self.models = models

    def all(self):
        yield from self.each_operation()
        yield from self.regions()
        yield from self.settings()
        yield from self.arns()

    def each_operation(self):
        """Every operation with and without an account, and with ARNs."""
        for service, model in self.models.items():
            for name in sorted(set(model.operation_names) - extract.LEFT_OUT):
                yield service, name, {}, {}
                yield service, name, ACCOUNT, {}
                for member in self.arn_members(service, name):
                    yield service, name, ACCOUNT, {member: arn("us-east-1", RESOURCES[member])}

    def regions(self):
        """Operations of each kind in all partitions."""
        for region, options, account in itertools.product(REGIONS, OPTIONS, ({}, ACCOUNT)):
            environment = {"AWS_REGION": region} | options | account
            for name in ("PutRecords", "ListQueues"):
                yield "kinesis", name, environment, {}
            yield "firehose", "PutRecordBatch", environment, {}
        for region, name in itertools.product(REGIONS, KINDS):
            for member in self.arn_members("kinesis", name):
                yield "kinesis", name, {"AWS_REGION": region}, {member: arn(region, RESOURCES[member])}

    def settings(self):
        """Custom endpoints and modes."""
        for changed, account in itertools.product(ENDPOINTS + MODES, ({}, ACCOUNT)):
            for name in KINDS:
                yield "kinesis", name, changed | account, {}
            yield "kinesis", "PutRecords", changed | account, {"StreamARN": arn("us-east-1", "stream/orders")}
            yield "firehose", "PutRecordBatch", changed | account, {}
        for region, mode, account in itertools.product(("us-iso-east-1", "us-isob-east-1", "cn-north-1"), MODES[1:3], ({}, ACCOUNT)):
            yield "kinesis", "PutRecords", {"AWS_REGION": region} | mode | account, {}

    def arns(self):
        """ARNs of every form, and ones that do not fit."""
        texts = [
            "orders", "arn:aws:kinesis", arn("us-east-1", "stream/orders", account=""), arn("", "stream/orders"),
            arn("us-east-1", "stream/orders", service="s3"), arn("us-east-1", "stream/orders", partition="aws-cn"),
            arn("us-east-1", "table/orders"), arn("us-east-1", "stream"), arn("us-east-1", "stream:orders"),
            arn("eu-west-1", "stream/orders"), arn("us-east-1", "channel/c-1"), arn("us-east-1", "queue/q-1"),
            arn("us-east-1", "queue"), arn("us-east-1", "queue/not a label"), arn("us-east-1", "stream/a.b/consumer/c:1"),
        ]
        for name, text in itertools.product(KINDS, texts):
            for member in self.arn_members("kinesis", name):
                yield "kinesis", name, ACCOUNT, {member: text}
        for id in ("abcdefghij0123456789-x1z", "abcdefghij0123456789", "abcdefghij0123456789-xyz-ab1", "x"):
            for region in ("us-east-1", "us-iso-east-1"):
                yield "kinesis", "PutRecords", {"AWS_REGION": region} | ACCOUNT, {"StreamId": id}
                yield "kinesis", "GetRecords", {"AWS_REGION": region}, {"StreamId": id, "StreamARN": arn(region, "stream/orders")}
        both = {"StreamARN": arn("us-east-1", "stream/orders"), "ConsumerARN": arn("us-east-1", RESOURCES["ConsumerARN"], "777788889999")}
        yield "kinesis", "DescribeStreamConsumer", ACCOUNT, both

    def arn_members(self, service, name):
        parameters = self.models[service].operation_model(name).context_parameters
        return [parameter.member_name for parameter in parameters if parameter.member_name in RESOURCES]


def least(shape, given=()):
    """The required members of a shape, and the given ones."""
    required = {name: value(shape.members[name]) for name in shape.required_members}
    return required | {name: arn("us-east-1", RESOURCES[name]) for name in required if name in RESOURCES} | dict(given)


def value(shape):
    kind = shape.type_name
    if kind == "structure":
        return least(shape)
    if kind == "list":
        return [value(shape.member)]
    if kind == "map":
        return {"key": value(shape.value)}
    if kind == "string":
        enum = getattr(shape, "enum", None)
        return enum[0] if enum else "orders"
    return {"blob": b"record", "boolean": True, "integer": 1, "long": 1, "double": 1.0, "timestamp": 1_700_000_000}[kind]


def recording(service, operation, environment, members):
    """One case, with what botocore makes of it."""
    environment = {"AWS_REGION": "us-east-1"} | environment
    # botocore reads another variable for the region than the other AWS SDKs.
    os.environ = KEYS | NO_FILES | environment | {"AWS_DEFAULT_REGION": environment["AWS_REGION"]}
    model = botocore.session.get_session().get_service_model(service).operation_model(operation)
    input = least(model.input_shape, members)
    body = botocore.serialize.create_serializer("json", include_validation=False).serialize_to_request(input, model)["body"]
    case = {"service": service, "operation": operation, "environment": environment, "request": json.loads(body)}
    try:
        request = prepared(service, operation, input)
    except botocore.exceptions.EndpointVariantError:
        # An older table of botocore has no such host. The rules have one.
        return None
    except botocore.exceptions.BotoCoreError as error:
        return case | {"refusal": type(error).__name__}
    assert request.body == body
    scope = re.search(rb"Credential=AKIDEXAMPLE/\d+/([^,]*),", request.headers["Authorization"]).group(1).decode()
    return case | {"url": request.url, "scope": scope}


def prepared(service, operation, input):
    """The request that botocore would send."""
    config = botocore.config.Config(parameter_validation=False, retries={"total_max_attempts": 1})
    client = botocore.session.Session().create_client(service, config=config)
    caught = []

    def keep(request, **_):
        caught.append(request)
        return botocore.awsrequest.AWSResponse(request.url, 200, {}, Body())

    client.meta.events.register("before-send", keep)
    getattr(client, botocore.xform_name(operation))(**input)
    return caught[0]


class Body:
    """An empty answer."""

    def stream(self, *_, **__):
        yield b"{}"


if __name__ == "__main__":
    models = {service: botocore.session.get_session().get_service_model(service) for service in ("kinesis", "firehose")}
    found = [recording(*case) for case in Cases(models).all()]
    lines = {json.dumps(case, separators=(",", ":")): None for case in found if case}
    FILE.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(f"{len(lines)} cases, of which botocore refuses {sum('refusal' in line for line in lines)}")
