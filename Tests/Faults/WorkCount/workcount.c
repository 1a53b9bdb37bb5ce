/*
 * Preloaded into a process. Counts work that is the same on every machine, and writes the counts as `name count` lines
 * to the file WORKCOUNT_OUTPUT when the process exits.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong allocations, statements, reads, writes, bytes, syncs;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    allocations++;
    return __libc_realloc(block, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    allocations++;
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : 12; /* ENOMEM */
}

void *aligned_alloc(size_t alignment, size_t size) {
    allocations++;
    return __libc_memalign(alignment, size);
}

/* A statement is counted when it is reset, so the rows of a SELECT count once. */
int sqlite3_reset(void *statement) {
    static int (*real)(void *);
    if (!real) real = dlsym(RTLD_NEXT, "sqlite3_reset");
    statements++;
    return real(statement);
}

ssize_t pread64(int file, void *buffer, size_t length, off64_t offset) {
    static __typeof__(&pread64) real;
    if (!real) real = REAL(pread64);
    reads++;
    return real(file, buffer, length, offset);
}

ssize_t pwrite64(int file, const void *buffer, size_t length, off64_t offset) {
    static __typeof__(&pwrite64) real;
    if (!real) real = REAL(pwrite64);
    writes++;
    bytes += length;
    return real(file, buffer, length, offset);
}

int fdatasync(int file) {
    static __typeof__(&fdatasync) real;
    if (!real) real = REAL(fdatasync);
    syncs++;
    return real(file);
}

__attribute__((destructor)) static void finish(void) {
    const char *path = getenv("WORKCOUNT_OUTPUT");
    FILE *output = path ? fopen(path, "w") : NULL;
    if (!output) return;
    fprintf(output, "allocations %lu\nstatements %lu\nreads %lu\nwrites %lu\nbytes %lu\nsyncs %lu\n",
            allocations, statements, reads, writes, bytes, syncs);
    fclose(output);
}
