"""Makes a key for proofs of possession (RFC 9449), and checks a proof by it.

Standard input, JSON: {} or {"key": PEM, "proof": DPoP header}. Standard output, JSON: {"key": PEM}, as the AWS CLI keeps it, or
{"head": ..., "claims": ...}; a proof that another key signed, or that is malformed, is an error.
"""

import base64
import json
import sys

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature


def decoded(text):
    assert "=" not in text and "+" not in text and "/" not in text
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def check(pem, proof):
    head, claims, signature = proof.split(".")
    pair = decoded(signature)
    numbers = [int.from_bytes(half, "big") for half in (pair[:32], pair[32:])]
    public = serialization.load_pem_private_key(pem.encode(), None).public_key()
    public.verify(encode_dss_signature(*numbers), f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    head, claims = json.loads(decoded(head)), json.loads(decoded(claims))
    point = [int.from_bytes(decoded(head["jwk"][name]), "big") for name in "xy"]
    assert point == [public.public_numbers().x, public.public_numbers().y]
    return {"head": head, "claims": claims}


def key():
    private = ec.generate_private_key(ec.SECP256R1())
    form = serialization.PrivateFormat.TraditionalOpenSSL
    pem = private.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    return {"key": pem.decode()}


if __name__ == "__main__":
    given = json.load(sys.stdin)
    json.dump(check(given["key"], given["proof"]) if given else key(), sys.stdout)
