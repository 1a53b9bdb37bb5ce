// OpenSSL's libcrypto: SHA-256, HMAC and base64; certificates and keys in PEM format.
#pragma once
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
