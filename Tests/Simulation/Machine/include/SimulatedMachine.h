/*
 * A simulated machine: clocks, threads, processes and a disk, in memory that all simulated processes share.
 *
 * The program that links this defines what the product calls of the C library, of libdispatch and of SQLite's system layer. Inside
 * the world (below `machine_start`) these calls lead here; outside of it, and for paths that are not the world's, to the real ones.
 *
 * Each simulated process is a real process, forked from the one that controls the world, so that its memory is its own and a kill
 * is a kill. Of all their threads exactly one runs at a time: a seed picks the next one wherever a thread calls the system.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MACHINE_PROCESSES = 16, /* 0 is the controller */
    MACHINE_NOTES = 131072, /* room for what the scenario shares between processes, in words */
};

/* What can go wrong; 0 is never. Rates are of a million. */
struct machine_faults {
    uint32_t disk_errors;     /* reads, writes and syncs that fail */
    uint32_t failed_syncs;    /* syncs that fail, besides */
    uint32_t slow_syncs;      /* syncs that take up to ten seconds */
    uint32_t thread_failures; /* threads that are not created */
    uint32_t stalls;          /* of all calls: the process stops for up to a minute */
    bool is_read_only;        /* the disk is mounted again, without the right to write */
    bool has_no_birth_times;
    bool keeps_birth_times;   /* of a file's number, when another file gets it */
    bool lies_about_syncs;    /* controls of the world's own tests */
    bool locks_exclude_nobody;
};

struct machine_faults *_Nonnull machine_faults(void);

/*
 * Makes the world of a seed; the calling thread controls it from then on. `trace` is a descriptor for the events as text, or -1; with
 * `tells_calls` also for each call of the system.
 */
void machine_start(uint64_t seed, int trace, bool tells_calls);

/* Words that all processes share, 0 at first. */
int64_t *_Nonnull machine_notes(void);

/* A number below `bound`, of the seed. */
uint64_t machine_random(uint64_t bound);

/* Nanoseconds since the world began, and how many events there were; the events' hash. */
int64_t machine_now(void);
int64_t machine_events(void);
uint64_t machine_hash(void);

/* Lets time pass, in nanoseconds. */
void machine_sleep(int64_t duration);

/* An event of the scenario, for the trace. */
void machine_tell(const char *_Nonnull event, int64_t first, int64_t second);

/* Sets the wall clock forward or back, in nanoseconds. */
void machine_set_clock(int64_t change);

/* Starts a process: returns true in the new one, where `machine_exit` must follow, and false in the controller. */
bool machine_fork(int process);
_Noreturn void machine_exit(void);

bool machine_is_running(int process);
/* How many processes have been killed, power cuts included. */
int64_t machine_kills(void);

/* Kills a process, or cuts the power of the machine, when it has made so many more calls. */
void machine_kill_after(int process, int64_t calls);
void machine_cut_power_after(int64_t calls);
/* Revokes both. */
void machine_spare_all(void);
/* The process does nothing for so many nanoseconds. */
void machine_stall(int process, int64_t duration);
/* When a process that was stopped last goes on; 0 if none was. */
int64_t machine_stall_end(int process);

/* The disk's size in bytes; -1 is without limit. */
void machine_set_disk_size(int64_t bytes);
int64_t machine_disk_used(void);
/* How many calls of the disk there were. */
int64_t machine_disk_calls(void);
uint64_t machine_disk_hash(void);
/* Tells of each file: its size, and what it takes of the disk; then what all take, and the disk's size. */
void machine_tell_files(void);
/*
 * Makes a directory, and a file with this text, in the world. `/world/link` is a symbolic link to `/world/home/store`, and to
 * `/world/home/other` once it was moved.
 */
void machine_make_directory(const char *_Nonnull path);
void machine_make_file(const char *_Nonnull path, const char *_Nonnull text);
void machine_remove_file(const char *_Nonnull path);
void machine_move_link(void);
/* Makes another name of a file that is there, and makes one another user's. */
void machine_link_file(const char *_Nonnull path, const char *_Nonnull other);
void machine_give_away(const char *_Nonnull path);
/* The process that has locked a file for itself; 0 if none has. */
int machine_lock_holder(const char *_Nonnull path);
/* Lets others read a file, if it is there. How many files whose paths begin so they may read, or might when these were made. */
void machine_open_to_others(const char *_Nonnull path);
int machine_count_open_to_others(const char *_Nonnull path);
/* Makes a file a pipe, and the standard input of this process. */
void machine_read_from(const char *_Nonnull path);

/*
 * Copies a database and its log, and puts the copies back: into a new file, into the same one, or as an image of the disk with which
 * the machine starts again. No process may run.
 */
enum machine_restore { MACHINE_NEW_FILE, MACHINE_SAME_FILE, MACHINE_IMAGE };
void machine_copy_files(const char *_Nonnull path);
void machine_restore_files(const char *_Nonnull path, enum machine_restore way);

/* Before any world: makes the types that each process would make when it first needs them. */
void machine_make_types(void);

/* Registers the simulated disk as SQLite's default. */
void machine_register_disk(void);

/* How many processors this process may use. */
int machine_processors(void);
/* Keeps this process, and those that it starts, on one of them: threads that take turns are switched much faster there. */
void machine_use_processor(int index);

/* Called where nothing can go on: ends the real process with a message. */
_Noreturn void machine_fail(const char *_Nonnull reason);
