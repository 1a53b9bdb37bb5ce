// What a C program needs to deliver records that it need not store: 500 a request, in the bodies that kinesis-recorder sends,
// signed, over one TLS connection that is kept, with every answer read.
//
//     floor ENDPOINT CERTIFICATE COUNT BYTES
//
// Sends COUNT records of BYTES bytes. Ends with 1 if any is not accepted.

#define _GNU_SOURCE
#include <curl/curl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY "9B2F6C1E-5D34-8B0A-8E77-0C1D2E3F4A5B"
enum { BATCH = 500, ANSWER = 1 << 17 };

static char answer[ANSWER];
static size_t answered;

static void fail(const char *what) {
    fprintf(stderr, "floor: %s\n", what);
    exit(1);
}

static size_t keep(char *bytes, size_t size, size_t count, void *unused) {
    if (count > sizeof answer - answered) return 0;
    memcpy(answer + answered, bytes, count);
    answered += count;
    return count;
}

static char *put(char *end, const char *text) { return stpcpy(end, text); }

// Encodes each record anew, as if it had just been read.
static size_t encode(char *body, long records, const unsigned char *data, int bytes) {
    char *end = put(body, "{\"StreamName\":\"benchmark\",\"Records\":[");
    for (long i = 0; i < records; i++) {
        end = put(end, i ? ",{\"Data\":\"" : "{\"Data\":\"");
        end += EVP_EncodeBlock((unsigned char *)end, data, bytes);
        end = put(end, "\",\"PartitionKey\":\"" KEY "\"}");
    }
    return put(end, "]}") - body;
}

static long accepted(void) {
    static const char name[] = "\"SequenceNumber\"";
    long count = 0;
    const char *place = answer, *end = answer + answered;
    while ((place = memmem(place, end - place, name, sizeof name - 1))) {
        count++;
        place += sizeof name - 1;
    }
    return count;
}

int main(int count, char **arguments) {
    if (count != 5) fail("call it with ENDPOINT CERTIFICATE COUNT BYTES");
    long left = atol(arguments[3]);
    int bytes = atoi(arguments[4]);
    unsigned char *data = malloc(bytes);
    char *body = malloc(256 + BATCH * (bytes * 4 / 3 + 128L));
    CURL *curl = curl_easy_init();
    if (!data || !body || !curl) fail("no memory");
    memset(data, 'x', bytes);
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/x-amz-json-1.1");
    headers = curl_slist_append(headers, "X-Amz-Target: Kinesis_20131202.PutRecords");
    headers = curl_slist_append(headers, "Expect:");
    curl_easy_setopt(curl, CURLOPT_URL, arguments[1]);
    curl_easy_setopt(curl, CURLOPT_CAINFO, arguments[2]);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_AWS_SIGV4, "aws:amz:us-east-1:kinesis");
    curl_easy_setopt(curl, CURLOPT_USERPWD, "AKIDEXAMPLE:secret");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_UPLOAD_BUFFERSIZE, 1L << 20);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    while (left > 0) {
        long records = left < BATCH ? left : BATCH, status = 0;
        answered = 0;
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)encode(body, records, data, bytes));
        CURLcode code = curl_easy_perform(curl);
        if (code != CURLE_OK) fail(curl_easy_strerror(code));
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
        if (status != 200 || accepted() != records) fail("not all records were accepted");
        left -= records;
    }
    return 0;
}
