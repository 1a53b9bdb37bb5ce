"""A log of the requests that the checked service received.

GET /recorder-test/log answers with a JSON list, in the order of the requests:

    operation  such as `GetId` or `PutRecords`
    logins     the logins that the request carried, token by provider
    identityId the Cognito identity that the request named, or null
    signer     the Cognito identity whose keys signed the request, or null
    signedIn   whether that identity had a login when it got the keys
    isCBOR     whether the body is in CBOR
"""

import json

from ministack.services import sts

import binary
import canary_run

PATH = "/recorder-test/log"


class RequestLog:
    """An ASGI application around MiniStack's: answers the path above, logs everything else and
    passes it on."""

    def __init__(self, app):
        self.app = app
        self.entries = []

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        if scope["path"] == PATH:
            return await self.answer(send)
        headers = {name.lower(): text.decode() for name, text in scope["headers"]}
        body, receive = await read_ahead(receive)
        self.note(headers, body)
        await self.app(scope, receive, send)

    def note(self, headers, body):
        authorization = headers.get(b"authorization", "")
        canary_run.note(authorization)
        target = headers.get(b"x-amz-target")
        if not target:
            return
        key = authorization.partition("Credential=")[2].partition("/")[0]
        session = sts._sessions.get(key, {})
        fields = fields_of(body)
        self.entries.append(
            {
                "operation": target.rpartition(".")[2],
                "logins": fields.get("Logins") or {},
                "identityId": fields.get("IdentityId"),
                "signer": session.get("_identity_id"),
                "signedIn": session.get("_cognito_auth_type") == "authenticated",
                "isCBOR": headers.get(b"content-type") == binary.CONTENT_TYPE,
            }
        )

    async def answer(self, send):
        body = json.dumps(self.entries).encode()
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def fields_of(body):
    try:
        return dict(json.loads(body))
    except (TypeError, ValueError):
        # A compressed body, or none: it names neither a login nor an identity.
        return {}


async def read_ahead(receive):
    """The whole body, and a function that gives it out once more."""
    messages = []
    while True:
        messages.append(await receive())
        if not messages[-1].get("more_body"):
            break
    body = b"".join(message.get("body", b"") for message in messages)

    async def again():
        return messages.pop(0) if messages else await receive()

    return body, again
