// Wraps what of SQLite Swift cannot reach: variadic functions, cast macros, structures laid out by C. No logic here.
#pragma once
#include <sqlite3.h>

static inline int recorder_sqlite3_db_config(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}

static inline int recorder_sqlite3_bind_text(sqlite3_stmt *s, int i, const char *text, int length) {
    return sqlite3_bind_text(s, i, text, length, SQLITE_TRANSIENT);
}

static inline int recorder_sqlite3_bind_blob(sqlite3_stmt *s, int i, const void *bytes, int length) {
    return sqlite3_bind_blob(s, i, bytes, length, SQLITE_STATIC);
}

// A file as SQLite sees it; the file of the system below lies right behind. See WriteCoalescingVFS.swift.
struct recorder_file {
    sqlite3_file file;
    sqlite3_io_methods methods;
    void *bytes;
    int count;
    int gathers;
    sqlite3_int64 offset;
};
