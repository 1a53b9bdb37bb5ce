"""Prints how botocore reads shared configuration files and resolves public hosts.

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


def host(query):
    service = query["service"]
    if service not in providers:
        rules = loader.load_service_model(service, "endpoint-rule-set-1")
        providers[service] = EndpointProvider(rules, partitions)
    choices = {
        "Region": query["region"],
        "UseFIPS": query["fips"],
        "UseDualStack": query["dualStack"],
    }
    if service == "sts":
        choices["UseGlobalEndpoint"] = False
    return providers[service].resolve_endpoint(**choices).url.removeprefix("https://")


if __name__ == "__main__":
    queries = json.load(sys.stdin)
    regions = [name for part in partitions["partitions"] for name in part["regions"]]
    answer = {
        "files": [profiles(texts) for texts in queries["files"]],
        "hosts": [host(query) for query in queries["hosts"]],
        "regions": [name for name in regions if not name.endswith("-global")],
    }
    json.dump(answer, sys.stdout)
