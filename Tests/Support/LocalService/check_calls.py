"""What botocore makes of the settings for calls: attempts, retry mode and the application's ID in the user agent.

Reads a JSON list of {"profile": text of [default], "environment": {...}} and prints one of {"attempts", "mode",
"application"}, each null if it is not set; or {} if botocore refuses the settings.
"""

import json
import os
import sys
import tempfile

import botocore.session
from botocore.exceptions import InvalidMaxRetryAttemptsError, InvalidRetryModeError


def answer(case, config):
    with open(config, "w", encoding="utf8") as file:
        file.write(f"[default]\n{case['profile']}\n")
    os.environ.clear()
    os.environ.update(case["environment"])
    os.environ.update(AWS_CONFIG_FILE=config, AWS_SHARED_CREDENTIALS_FILE="/nonexistent")
    try:
        session = botocore.session.Session()
        client = session.create_client("kinesis", "us-east-1")
    except (ValueError, InvalidMaxRetryAttemptsError, InvalidRetryModeError):
        return {}
    found = client.meta.config
    agent = [word for word in client._user_agent_creator.to_string().split(" ") if word.startswith("app/")]
    return {
        "attempts": found.retries.get("total_max_attempts"),
        "mode": found.retries["mode"],
        "application": agent[0] if agent else None,
    }


with tempfile.TemporaryDirectory() as directory:
    answers = [answer(case, f"{directory}/config") for case in json.load(sys.stdin)]
print(json.dumps(answers))
