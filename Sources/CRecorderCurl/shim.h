// Wraps the variadic libcurl calls and macros that Swift cannot use. No logic here but the choice of an option by version.
#pragma once
#include <curl/curl.h>

#if LIBCURL_VERSION_NUM < 0x074900
#error "libcurl 7.73 or later is needed: see \"What it needs\" in README.md."
#endif

static inline const char *recorder_curl_version(void) {
    return curl_version_info(CURLVERSION_NOW)->version;
}

static inline CURLcode recorder_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode recorder_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode recorder_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode recorder_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode recorder_curl_set_write(CURL *handle, CURLoption option, curl_write_callback callback) {
    return curl_easy_setopt(handle, option, callback);
}

static inline CURLcode recorder_curl_set_read(CURL *handle, CURLoption option, curl_read_callback callback) {
    return curl_easy_setopt(handle, option, callback);
}

static inline CURLcode recorder_curl_set_seek(CURL *handle, CURLoption option, curl_seek_callback callback) {
    return curl_easy_setopt(handle, option, callback);
}

static inline CURLcode recorder_curl_set_open_socket(CURL *handle, curl_opensocket_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
}

static inline CURLcode recorder_curl_set_close_socket(CURL *handle, curl_closesocket_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

// http and https only. The option that names them by text came with libcurl 7.85.
static inline CURLcode recorder_curl_set_web_only(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

// Whether the libcurl in this process reads keys through providers of OpenSSL 3, which came with 8.12.
static inline int recorder_curl_has_providers(void) {
    return curl_version_info(CURLVERSION_NOW)->version_num >= 0x080c00;
}

// Lets a transfer end while its name lookup still runs. The option came with libcurl 7.87; before, ending waits for it.
static inline CURLcode recorder_curl_set_quick_exit(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)handle;
    return CURLE_OK;
#endif
}

static inline CURLcode recorder_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode recorder_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode recorder_curl_get_pointer(CURL *handle, CURLINFO info, void **value) {
    return curl_easy_getinfo(handle, info, value);
}
