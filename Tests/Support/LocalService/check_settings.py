"""Asks botocore what it makes of shared configuration files and of choices among public hosts.

Standard input, JSON: {"files": [{"config": text, "credentials": text}, ...],
                       "hosts": [{"service", "region", "fips", "dualStack"}, ...]}

Standard output, JSON: {"files": [{profile: {setting: text}}, ...], "hosts": [host, ...],
                        "regions": [every region that botocore knows]}
"""

import json
import os
import sys
import tempfile

import botocore.configloader
import botocore.session
from botocore.endpoint_provider import EndpointProvider

loader = botocore.session.Session().get_component("data_loader")
partitions = loader.load_data("partitions")
providers = {}


def profiles(texts):
    with tempfile.TemporaryDirectory() as directory:
        paths = {}
        for name, text in texts.items():
            paths[name] = os.path.join(directory, name)
            with open(paths[name], "w", newline="") as file:
                file.write(text)
        found = botocore.configloader.load_config(paths["config"])["profiles"]
        credentials = botocore.configloader.raw_config_parse(paths["credentials"])
        for name, values in credentials.items():
            found.setdefault(name, {}).update(values)
    return {
        name: {key: text for key, text in values.items() if isinstance(text, str)}
        for name, values in found.items()
    }


def host(order):
    service = order["service"]
    if service not in providers:
        rules = loader.load_service_model(service, "endpoint-rule-set-1")
        providers[service] = EndpointProvider(rules, partitions)
    choices = {
        "Region": order["region"],
        "UseFIPS": order["fips"],
        "UseDualStack": order["dualStack"],
    }
    if service == "sts":
        choices["UseGlobalEndpoint"] = False
    return providers[service].resolve_endpoint(**choices).url.removeprefix("https://")


if __name__ == "__main__":
    orders = json.load(sys.stdin)
    regions = [name for part in partitions["partitions"] for name in part["regions"]]
    answer = {
        "files": [profiles(texts) for texts in orders["files"]],
        "hosts": [host(order) for order in orders["hosts"]],
        "regions": [name for name in regions if not name.endswith("-global")],
    }
    json.dump(answer, sys.stdout)
