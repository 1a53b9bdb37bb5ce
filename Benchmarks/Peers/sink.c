// A service that accepts every record: HTTPS on a free port of 127.0.0.1, one thread per connection, as little work as
// possible, so that the sender is what gets measured.
//
//     sink CERTIFICATE KEY LATENCY
//
// Answers each request LATENCY milliseconds after its last byte, in JSON or CBOR as the request is. Prints its port; exits when
// its standard input closes.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ENTRY "{\"SequenceNumber\":\"49657123456789012345678901234567890123456789012345678901\"," \
              "\"ShardId\":\"shardId-000000000000\"}"
enum { BUFFER = 1 << 17, MOST_RECORDS = 500 };

static SSL_CTX *context;
static struct timespec latency;

static void fail(const char *what) {
    fprintf(stderr, "sink: %s failed\n", what);
    exit(1);
}

// The same in CBOR: a map of two texts, each with its length.
#define ENTRY_CBOR "\xa2\x6eSequenceNumber\x78\x38" "49657123456789012345678901234567890123456789012345678901" \
                   "\x67ShardId\x74shardId-000000000000"

// Counts a byte that stands once in each record: what a JSON object begins with, or a letter of PartitionKey. Base64 has no braces;
// the data and our partition keys, which CBOR has as they are, have no such letters.
static long count_byte(char byte, const char *bytes, size_t length) {
    long count = 0;
    const char *end = bytes + length;
    while (bytes < end && (bytes = memchr(bytes, byte, end - bytes))) {
        count++;
        bytes++;
    }
    return count;
}

static char *put(char *end, const char *bytes, size_t length) { return mempcpy(end, bytes, length); }
#define PUT(end, text) put(end, text, sizeof text - 1)

static char *json(char *end, long records) {
    end = PUT(end, "{\"FailedRecordCount\":0,\"Records\":[");
    for (long i = 0; i < records; i++) {
        if (i) *end++ = ',';
        end = PUT(end, ENTRY);
    }
    return PUT(end, "]}");
}

static char *cbor(char *end, long records) {
    end = PUT(end, "\xa2\x71" "FailedRecordCount\x00\x67Records\x99");
    *end++ = records >> 8;
    *end++ = records;
    for (long i = 0; i < records; i++) end = PUT(end, ENTRY_CBOR);
    return end;
}

static int answer(SSL *tls, long records, int is_cbor) {
    enum { HEAD = 512 };
    static __thread char text[HEAD + 64 + MOST_RECORDS * sizeof ENTRY];
    char *end = (is_cbor ? cbor : json)(text + HEAD, records), head[HEAD];
    int length = snprintf(head, sizeof head,
        "HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-%s-1.1\r\nContent-Length: %zd\r\n\r\n",
        is_cbor ? "cbor" : "json", end - text - HEAD);
    char *start = text + HEAD - length;
    memcpy(start, head, length);
    return SSL_write(tls, start, end - start) > 0;
}

// Reads one request and answers it; returns 0 once the connection is closed.
static int serve(SSL *tls, char *buffer) {
    size_t held = 0;
    char *body = NULL;
    while (!body) {
        int count = held < BUFFER - 1 ? SSL_read(tls, buffer + held, BUFFER - 1 - held) : 0;
        if (count <= 0) return 0;
        held += count;
        buffer[held] = 0;
        body = strstr(buffer, "\r\n\r\n");
    }
    body += 4;
    body[-1] = 0;
    char *field = strcasestr(buffer, "\r\nContent-Length:");
    if (!field) return 0;
    long left = strtol(field + 17, NULL, 10);
    size_t count = held - (body - buffer);
    int is_cbor = strcasestr(buffer, "application/x-amz-cbor") != NULL;
    // The whole request is an object of JSON as well. The number of records, which CBOR states, can be one of the two letters.
    long records = -!is_cbor, others = 0;
    records += count_byte(is_cbor ? 'P' : '{', body, count);
    if (is_cbor) others = count_byte('K', body, count);
    for (left -= count; left > 0; left -= count) {
        int read = SSL_read(tls, buffer, left < BUFFER ? left : BUFFER);
        if (read <= 0) return 0;
        count = read;
        records += count_byte(is_cbor ? 'P' : '{', buffer, count);
        if (is_cbor) others += count_byte('K', buffer, count);
    }
    if (is_cbor && others < records) records = others;
    if (records < 0 || records > MOST_RECORDS) return 0;
    if (latency.tv_nsec) nanosleep(&latency, NULL);
    return answer(tls, records, is_cbor);
}

static void *connection(void *argument) {
    int socket = (int)(long)argument, on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    SSL *tls = SSL_new(context);
    char *buffer = malloc(BUFFER);
    if (!tls || !buffer) fail("memory");
    SSL_set_fd(tls, socket);
    if (SSL_accept(tls) == 1) while (serve(tls, buffer)) {}
    SSL_free(tls);
    free(buffer);
    close(socket);
    return NULL;
}

static void *end_with_input(void *unused) {
    char byte;
    while (read(0, &byte, 1) > 0) {}
    exit(0);
    return unused;
}

static void start(void *(*body)(void *), void *argument) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, argument)) fail("a thread");
    pthread_detach(thread);
}

int main(int count, char **arguments) {
    if (count != 4) fail("a call without CERTIFICATE KEY LATENCY");
    latency.tv_nsec = atol(arguments[3]) * 1000000;
    signal(SIGPIPE, SIG_IGN);
    context = SSL_CTX_new(TLS_server_method());
    SSL_CTX_set_read_ahead(context, 1);
    if (SSL_CTX_use_certificate_chain_file(context, arguments[1]) != 1) fail("the certificate");
    if (SSL_CTX_use_PrivateKey_file(context, arguments[2], SSL_FILETYPE_PEM) != 1) fail("the key");

    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 64)) fail("listening");
    getsockname(listener, (struct sockaddr *)&address, &length);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    start(end_with_input, NULL);
    for (;;) {
        int socket = accept(listener, NULL, NULL);
        if (socket >= 0) start(connection, (void *)(long)socket);
    }
}
