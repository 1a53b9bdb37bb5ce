"""Records what botocore makes of profiles, environment variables and options: region, endpoints and credentials.

    .venv/bin/python Tests/Support/LocalService/record_settings.py > Tests/Unit/RecorderAWSTests/Vectors/settings.json

Standard output, JSON: {"botocore": version, "tokens": {file: name}, "cases": [{"config", "credentials", "environment", "options", "found"}, ...]}. Nothing
is sent. BotocoreChainTests replays the cases; where this package differs on purpose, that test and Credentials.md say so.
"""

import hashlib
import json
import os
import random
import sys
import tempfile

import botocore
import botocore.exceptions
import botocore.session
import botocore.tokens

# Else a client of Kinesis fails for a sign-in that its profile names and it does not use.
botocore.tokens.SSOTokenProvider.load_token = lambda self, **options: None

ENDED = "2001-02-03T04:05:06Z"
LASTS = "2199-02-03T04:05:06+00:00"


def process(key):
    keys = {"Version": 1, "AccessKeyId": key, "SecretAccessKey": "s"}
    return f"credential_process = echo '{json.dumps(keys)}'"


def keys(name, separator=" = ", token=False):
    lines = [f"aws_access_key_id{separator}{name}", f"aws_secret_access_key{separator}secret/of+{name}="]
    return lines + ([f"aws_session_token{separator}token-of-{name}"] if token else [])


def cases(seed, count):
    """Each case draws its files, variables and options apart."""
    chance = random.Random(seed)

    def draw(*choices):
        return chance.choice(choices)

    for _ in range(count):
        separator = draw(" = ", "=", ": ", ":", " : ")
        config, credentials = [], []
        for name in ["default", "one", "two"]:
            header = name if name == "default" else f"profile {name}"
            config.append(f"[{header}]" if name == "default" else draw(f"[{header}]", f"[{header} ]"))
            key = f"CONFIG{name.upper()}"
            if chance.random() < 0.6:
                config.append(f"region{separator}{draw('eu-west-1', 'eu-north-1', 'fips-us-west-2', 'us-east-2-fips')}")
            if chance.random() < 0.4:
                config += keys(key, separator, token=chance.random() < 0.5)
            if chance.random() < 0.3:
                config.append(process(f"PROCESS{name.upper()}"))
            if chance.random() < 0.25:
                config.append(f"endpoint_url{separator}http://{name}.example:1")
            if chance.random() < 0.2:
                config.append(f"services{separator}apart")
            if chance.random() < 0.15:
                config.append(f"ignore_configured_endpoint_urls{separator}{draw('true', 'false')}")
            if chance.random() < 0.15:
                config.append(f"use_fips_endpoint{separator}{draw('true', 'false')}")
            if chance.random() < 0.15:
                config.append(f"use_dualstack_endpoint{separator}{draw('true', 'false')}")
            if name != "default" and chance.random() < 0.25:
                config.append(f"role_arn{separator}arn:aws:iam::111122223333:role/{name}")
                config.append(
                    draw(
                        f"source_profile{separator}{draw('default', 'one', 'two')}",
                        f"credential_source{separator}Environment",
                        f"web_identity_token_file{separator}/token",
                    )
                )
            if chance.random() < 0.4:
                role = [f"sso_account_id{separator}111122223333", f"sso_role_name{separator}{name}"]
                older = [f"sso_start_url{separator}https://{name}.example/start", f"sso_region{separator}eu-west-1"]
                session = [f"sso_session{separator}{draw('corp', 'corp', 'corp', 'half', 'gone')}"]
                config += draw(role + session, role + older, role, role[:1] + session, session, role + session + older)
            if chance.random() < 0.35:
                credentials.append(f"[{name}]")
                credentials += keys(f"CREDENTIALS{name.upper()}", separator, token=chance.random() < 0.5)
                if chance.random() < 0.2:
                    credentials.append(process(f"PROCESSOF{name.upper()}"))
        config += ["[sso-session corp]", "sso_start_url = https://corp.example/start", "sso_region = eu-west-1"]
        config += ["[sso-session half]", "sso_region = eu-west-1"]
        config += ["[services apart]", "kinesis =", "  endpoint_url = http://apart.example:2"]
        environment = {}
        if chance.random() < 0.4:
            environment["AWS_ACCESS_KEY_ID"] = "ENVIRONMENT"
            environment["AWS_SECRET_ACCESS_KEY"] = "s"
            if chance.random() < 0.5:
                environment["AWS_SESSION_TOKEN"] = "token-of-environment"
            if chance.random() < 0.4:
                environment["AWS_CREDENTIAL_EXPIRATION"] = draw(ENDED, LASTS, LASTS, "soon")
        if chance.random() < 0.2:
            environment["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/token"
            environment["AWS_ROLE_ARN"] = "arn:aws:iam::111122223333:role/web"
        for name, odds in [("AWS_DEFAULT_PROFILE", 0.3), ("AWS_PROFILE", 0.35)]:
            if chance.random() < odds:
                environment[name] = draw("one", "two", "default", "gone" if chance.random() < 0.2 else "one")
        if chance.random() < 0.45:
            environment["AWS_DEFAULT_REGION"] = draw("ap-south-1", "fips-us-gov-west-1", "us-east-1-fips")
        for name, odds in [("AWS_ENDPOINT_URL", 0.2), ("AWS_ENDPOINT_URL_KINESIS", 0.2)]:
            if chance.random() < odds:
                environment[name] = f"http://{name.lower().replace('_', '-')}.example:3"
        for name in ["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "AWS_USE_FIPS_ENDPOINT"]:
            if chance.random() < 0.15:
                environment[name] = draw("true", "false")
        options = {}
        if chance.random() < 0.3:
            options["profile"] = draw("default", "one", "two")
        if chance.random() < 0.25:
            options["region"] = draw("sa-east-1", "fips-ca-central-1")
        if chance.random() < 0.25:
            options["endpoint"] = "http://option.example:4"
        yield "\n".join(config) + "\n", "\n".join(credentials) + "\n", environment, options


def credentials_of(session):
    """The kind of source, and the key that it has or that signs its request."""
    found = session.get_credentials()
    if found is None:
        return {"source": "none"}
    if found.method == "assume-role-with-web-identity":
        return {"source": "web-identity"}
    if found.method == "assume-role":
        source = found._refresh_using.__self__._source_credentials
        # A role for which another one is needed: the innermost is asked for first.
        while source.method == "assume-role":
            source = source._refresh_using.__self__._source_credentials
        if source.method == "sso":
            return signed_in(source)
        if source.method == "assume-role-with-web-identity":
            return {"source": "web-identity"}
        return {"source": "role", "key": source.access_key, "token": source.token}
    if found.method == "sso":
        return signed_in(found)
    frozen = found.get_frozen_credentials()
    return {"source": "keys", "key": frozen.access_key, "token": frozen.token}


def signed_in(found):
    """The token's file, by its name, and the role that is asked for."""
    fetcher = found._refresh_using.__self__
    name = fetcher._sso_session_name or fetcher._start_url
    return {"source": "sso", "key": name, "token": f"{fetcher._account_id} {fetcher._role_name}"}


def attempt(work):
    try:
        return work()
    except (botocore.exceptions.BotoCoreError, ValueError, RuntimeError) as error:
        return {"error": type(error).__name__}


def found(environment, options):
    os.environ.clear()
    os.environ.update(environment)
    session = botocore.session.Session(profile=options.get("profile"))

    def service(name):
        client = session.create_client(
            name, region_name=options.get("region"), endpoint_url=options.get("endpoint"), aws_access_key_id="k",
            aws_secret_access_key="s",
        )
        return {"region": client.meta.region_name, "url": client.meta.endpoint_url}

    return {
        "credentials": attempt(lambda: credentials_of(session)),
        "kinesis": attempt(lambda: service("kinesis")),
        "firehose": attempt(lambda: service("firehose")),
    }


def record(config, credentials, environment, options):
    with tempfile.TemporaryDirectory() as home:
        for name, text in [("config", config), ("credentials", credentials)]:
            with open(os.path.join(home, name), "w", newline="") as file:
                file.write(text)
        full = {
            "HOME": home,
            "PATH": "/usr/bin:/bin",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": os.path.join(home, "config"),
            "AWS_SHARED_CREDENTIALS_FILE": os.path.join(home, "credentials"),
        }
        return {
            "config": config,
            "credentials": credentials,
            "environment": environment,
            "options": options,
            "found": found(full | environment, options),
        }


if __name__ == "__main__":
    lines = [json.dumps(record(*case), sort_keys=True) for case in cases(seed=39, count=320)]
    starts = [f"https://{name}.example/start" for name in ("corp", "default", "one", "two")]
    tokens = {hashlib.sha1(name.encode()).hexdigest(): name for name in ["corp", "half", *starts]}
    head = json.dumps({"botocore": botocore.__version__, "tokens": tokens})[1:-1]
    sys.stdout.write(f'{{{head}, "cases": [\n' + ",\n".join(lines) + "\n]}\n")
