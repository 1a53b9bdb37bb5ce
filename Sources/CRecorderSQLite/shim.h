// Wraps what of SQLite Swift cannot reach: variadic functions, cast macros, structures laid out by C. No logic here.
#pragma once
#include <sqlite3.h>
#include <sys/types.h>

#if SQLITE_VERSION_NUMBER < 3037000
#error "SQLite 3.37 or later is needed: see \"What it needs\" in README.md."
#endif

static inline int recorder_sqlite3_db_config(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}

static inline int recorder_sqlite3_bind_text(sqlite3_stmt *s, int i, const char *text, int length) {
    return sqlite3_bind_text(s, i, text, length, SQLITE_TRANSIENT);
}

static inline int recorder_sqlite3_bind_blob(sqlite3_stmt *s, int i, const void *bytes, int length) {
    return sqlite3_bind_blob(s, i, bytes, length, SQLITE_STATIC);
}

// Hidden behind _GNU_SOURCE: https://man7.org/linux/man-pages/man2/fallocate.2.html
int fallocate(int file, int mode, off_t offset, off_t length);
enum { RECORDER_FALLOC_FL_KEEP_SIZE = 1 };

// Where SQLite's unixFile has its descriptor: behind its methods, its VFS and its inode.
static inline int recorder_unix_file_descriptor(const sqlite3_file *file) {
    const struct {
        const void *methods, *vfs, *inode;
        int descriptor;
    } *unix_file = (const void *)file;
    return unix_file->descriptor;
}

// A file as SQLite sees it; the file of the system below lies right behind. See BufferingVFS.swift.
struct recorder_file {
    sqlite3_file file;
    sqlite3_io_methods methods;
    // What is in the buffer, and where it belongs in the file: bytes still to be written, or bytes read ahead.
    void *bytes;
    int count;
    int pending;
    sqlite3_int64 offset;
    // Whether writes are buffered, whether the file never gets smaller, and whether a commit may be left unsynced.
    int gathers, keeps_size, skips_syncs;
    // What a power cut may take: `Unsynced` of BufferingVFS+Syncs.swift.
    int unsynced;
    // Where the last read began and ended.
    sqlite3_int64 read_start, read_end;
    // The database of a log (a database is its own), how many times its locks changed, and that count at the last read ahead.
    struct recorder_file *database;
    unsigned lock_changes, read_at;
    // The beginning of the log's index, while it is mapped; only a database has it.
    void *index;
};
