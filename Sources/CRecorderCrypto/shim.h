// OpenSSL's libcrypto: SHA-256, HMAC and base64.
#pragma once
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
