// OpenSSL's libcrypto: SHA-256, HMAC, MD5, SHA-1 and base64; certificates and keys in PEM format; signatures.
#pragma once
#include <openssl/opensslv.h>
#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "OpenSSL 3.0 or later is needed: see \"What it needs\" in README.md."
#endif
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
