"""Runs the accounting of Examples/Lambda, for tests that compare Swift's with it.

Standard input, JSON: {"batches": [[key, ...], ...], "events": [{"Records": [...]}, ...]}

Each batch goes on with the states after the one before. Each event goes to the function itself, with a table in moto.
Standard output, JSON: {"findings": [[finding or null, ...], ...], "states": {name: text}, "gaps": {name: [[first, last], ...]},
"processed": [[base64, finding or null], ...]}.
"""

import contextlib
import json
import os
import sys
from base64 import b64encode
from pathlib import Path

import boto3
from moto import mock_aws

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "Examples" / "Lambda"))
import account_records  # noqa: E402

RecordAccounting = account_records.RecordAccounting


def account(batches):
    findings, states, accounting = [], {}, RecordAccounting()
    for keys in batches:
        accounting = RecordAccounting(states)
        identities = [RecordAccounting.identity(key) for key in keys]
        findings.append([accounting.add(*identity) if identity else None for identity in identities])
        states = accounting.states
    return {"findings": findings, "states": states, "gaps": {name: accounting.gaps(name) for name in accounting.seen}}


@mock_aws
def invoke(events):
    os.environ |= {"ACCOUNTS_TABLE": "accounts", "AWS_DEFAULT_REGION": "us-east-1"}
    boto3.resource("dynamodb").create_table(
        TableName="accounts",
        KeySchema=[{"AttributeName": "account", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "account", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    processed = []
    account_records.process = lambda data, finding: processed.append([b64encode(data).decode(), finding])
    for event in events:
        account_records.handler(event, None)
    return processed


if __name__ == "__main__":
    job = json.load(sys.stdin)
    # What the example prints is no part of the answer.
    with contextlib.redirect_stdout(sys.stderr):
        answer = account(job["batches"]) | {"processed": invoke(job["events"])}
    json.dump(answer, sys.stdout)
