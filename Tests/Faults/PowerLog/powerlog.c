/*
 * Preloaded into a process. Logs, in order, what the process does to the files below POWERLOG_DIRECTORY, so that
 * PowerCutTests.swift can compute what a disk may hold after a power cut at any moment.
 *
 * POWERLOG_OUTPUT  the log: for each event an `event` struct and its bytes.
 * POWERLOG_JOURNAL the child's journal, whose writes are logged as well: they say which records must survive the cut.
 * POWERLOG_SYNC    "NORMAL" replaces the value of every `PRAGMA synchronous`, for the control that must lose records.
 * POWERLOG_FAILING n: one of n syncs of a log fails, and every second one of a database, and the disk never gets what
 *                  was to be synced. (SQLite ignores it when the sync of a directory fails.)
 *
 * One lock keeps the log in the order of the calls. A sync has two events: what was written before the first is on the
 * disk at the second. The real sync is skipped, because only the log matters.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILES = 65536, JOURNAL = -1 };

struct event {
    uint32_t kind;
    uint32_t file; /* a number for each open */
    uint64_t offset;
    uint64_t length; /* of the bytes that follow */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *directory, *journal, *synchronous;
static int output = -1;
static uint32_t opened;
static unsigned failing, syncs[3];
static int32_t files[MAX_FILES]; /* by descriptor: 0 if the file is not logged */
static char kinds[MAX_FILES]; /* by descriptor: 1 for a log, 2 for a database, 0 for others */

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define WITH_LOCK(statements) do { pthread_mutex_lock(&lock); statements; pthread_mutex_unlock(&lock); } while (0)

__attribute__((constructor)) static void start(void) {
    directory = getenv("POWERLOG_DIRECTORY");
    journal = getenv("POWERLOG_JOURNAL");
    synchronous = getenv("POWERLOG_SYNC");
    failing = getenv("POWERLOG_FAILING") ? (unsigned)atoi(getenv("POWERLOG_FAILING")) : 0;
    const char *path = getenv("POWERLOG_OUTPUT");
    if (path) output = REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void put(const void *bytes, size_t length) {
    if (REAL(write)(output, bytes, length) != (ssize_t)length) abort();
}

static void log_event(char kind, uint32_t file, uint64_t offset, const void *bytes, size_t length) {
    struct event event = {(uint32_t)kind, file, offset, length};
    put(&event, sizeof event);
    if (length) put(bytes, length);
}

static int is_ours(const char *path) {
    return output >= 0 && directory && path && strncmp(path, directory, strlen(directory)) == 0;
}

static int ends_with(const char *path, const char *end) {
    size_t length = strlen(path);
    return length >= strlen(end) && strcmp(path + length - strlen(end), end) == 0;
}

static int32_t file_of(int descriptor) {
    return descriptor >= 0 && descriptor < MAX_FILES ? files[descriptor] : 0;
}

/* Called with the lock held, for a path that is not relative. */
static void log_open(int descriptor, const char *path, int flags, int existed) {
    if (descriptor < 0 || descriptor >= MAX_FILES) return;
    files[descriptor] = 0;
    if (output >= 0 && journal && path && strcmp(path, journal) == 0) files[descriptor] = JOURNAL;
    if (!is_ours(path)) return;
    files[descriptor] = (int32_t)++opened;
    kinds[descriptor] = ends_with(path, "-wal") ? 1 : ends_with(path, ".db") ? 2 : 0;
    log_event(existed ? 'O' : 'C', opened, 0, path, strlen(path));
    if (existed && flags & O_TRUNC) log_event('T', opened, 0, NULL, 0);
}

static int open_any(int at, const char *path, int flags, mode_t mode) {
    int result;
    WITH_LOCK(
        struct stat status;
        int existed = !is_ours(path) || stat(path, &status) == 0;
        result = REAL(openat)(at, path, flags, mode);
        int error = errno;
        log_open(result, path, flags, existed);
        errno = error);
    return result;
}

#define MODE(last) mode_t mode = 0; if (flags & (O_CREAT | __O_TMPFILE)) { \
    va_list list; va_start(list, last); mode = va_arg(list, mode_t); va_end(list); }

int open(const char *path, int flags, ...) { MODE(flags) return open_any(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return open_any(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE(flags) return open_any(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE(flags) return open_any(at, path, flags, mode); }

int close(int descriptor) {
    int result;
    WITH_LOCK(
        if (file_of(descriptor)) files[descriptor] = 0;
        result = REAL(close)(descriptor));
    return result;
}

/* Logs the caller's bytes, up to the count that the call accepted. */
static ssize_t written(int descriptor, const void *bytes, ssize_t count, off_t offset) {
    int32_t file = file_of(descriptor);
    if (count <= 0 || !file) return count;
    log_event(file == JOURNAL ? 'J' : 'W', file == JOURNAL ? 0 : (uint32_t)file, (uint64_t)offset, bytes, (size_t)count);
    return count;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (!file_of(descriptor)) return REAL(write)(descriptor, bytes, count);
    ssize_t result;
    WITH_LOCK(
        off_t offset = lseek(descriptor, 0, SEEK_CUR);
        result = written(descriptor, bytes, REAL(write)(descriptor, bytes, count), offset));
    return result;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    ssize_t result;
    WITH_LOCK(result = written(descriptor, bytes, REAL(pwrite)(descriptor, bytes, count, offset), offset));
    return result;
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return pwrite(descriptor, bytes, count, offset);
}

int ftruncate(int descriptor, off_t size) {
    int result;
    WITH_LOCK(
        result = REAL(ftruncate)(descriptor, size);
        if (result == 0 && file_of(descriptor) > 0) log_event('T', (uint32_t)file_of(descriptor), (uint64_t)size, NULL, 0));
    return result;
}
int ftruncate64(int descriptor, off64_t size) { return ftruncate(descriptor, size); }

int posix_fallocate(int descriptor, off_t offset, off_t length) {
    int result;
    WITH_LOCK(
        result = REAL(posix_fallocate)(descriptor, offset, length);
        if (result == 0 && file_of(descriptor) > 0)
            log_event('A', (uint32_t)file_of(descriptor), (uint64_t)(offset + length), NULL, 0));
    return result;
}
int posix_fallocate64(int descriptor, off64_t offset, off64_t length) {
    return posix_fallocate(descriptor, offset, length);
}

/* Returns whether the file is logged. */
static int synced(int descriptor) {
    int32_t file = file_of(descriptor);
    if (file <= 0) return 0;
    WITH_LOCK(log_event('S', (uint32_t)file, 0, NULL, 0));
    sched_yield(); /* lets other threads write while the sync is under way, as they do during a real one */
    WITH_LOCK(log_event('s', (uint32_t)file, 0, NULL, 0));
    return 1;
}
int fsync(int descriptor) { return synced(descriptor) ? 0 : REAL(fsync)(descriptor); }
int fdatasync(int descriptor) {
    int fails = 0;
    WITH_LOCK(
        int kind = file_of(descriptor) > 0 ? kinds[descriptor] : 0;
        if (failing && kind) {
            /* Spread evenly: of a log never two in a row, so that what is tried again succeeds. */
            fails = ++syncs[kind] * 2654435761u < UINT32_MAX / (kind == 1 ? failing : 2);
            if (fails) log_event('F', (uint32_t)file_of(descriptor), 0, NULL, 0);
        });
    if (fails) {
        errno = EIO;
        return -1;
    }
    return synced(descriptor) ? 0 : REAL(fdatasync)(descriptor);
}

/* Name changes: kind, first path, NUL, second path. */
static void log_names(char kind, const char *from, const char *to) {
    char names[2 * PATH_MAX + 2];
    int length = snprintf(names, sizeof names, "%s%c%s", from, 0, to);
    log_event(kind, 0, 0, names, (size_t)length);
}

#define NAMES(kind, call, from, to) { \
    int result; \
    WITH_LOCK(result = call; if (result == 0 && (is_ours(from) || is_ours(to))) log_names(kind, from, to)); \
    return result; }

int unlink(const char *path) NAMES('U', REAL(unlink)(path), path, "")
int unlinkat(int at, const char *path, int flags) NAMES('U', REAL(unlinkat)(at, path, flags), path, "")
int rmdir(const char *path) NAMES('U', REAL(rmdir)(path), path, "")
int remove(const char *path) NAMES('U', REAL(remove)(path), path, "")
int rename(const char *from, const char *to) NAMES('R', REAL(rename)(from, to), from, to)
int renameat(int a, const char *from, int b, const char *to) NAMES('R', REAL(renameat)(a, from, b, to), from, to)
int link(const char *from, const char *to) NAMES('L', REAL(link)(from, to), from, to)
int mkdir(const char *path, mode_t mode) NAMES('M', REAL(mkdir)(path, mode), path, "")

/* Replaces SQLite's function: this library is loaded before SQLite. */
struct sqlite3;
int sqlite3_exec(struct sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *, char **);
int sqlite3_exec(struct sqlite3 *database, const char *sql, int (*row)(void *, int, char **, char **), void *context,
                 char **message) {
    char other[64];
    if (synchronous && sql && strncmp(sql, "PRAGMA synchronous", 18) == 0) {
        snprintf(other, sizeof other, "PRAGMA synchronous = %s", synchronous);
        sql = other;
    }
    return REAL(sqlite3_exec)(database, sql, row, context, message);
}
