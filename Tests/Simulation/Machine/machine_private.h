#pragma once

#include "SimulatedMachine.h"
#include <dlfcn.h>
#include <stdatomic.h>

#define FOREVER INT64_MAX
enum { TASKS = 1024, MICROSECOND = 1000, MILLISECOND = 1000000 };

/* What the trace tells; the names are in scheduler.c. */
enum event {
    SWITCH, START, END, THREAD, SIGNAL, WAIT, ASYNC, CONTENDED, KILL, POWER, STALL, LOCK, OPEN, CLOSE, READ, WRITE, SYNC, TRUNCATE,
    ALLOCATE, DELETE, RENAME, STATUS, SHARED_LOCK, RANDOM, EVENTS
};

struct task {
    _Atomic int baton; /* its number, when it may run */
    int number;        /* another one each time */
    enum { NONE, READY, BLOCKED } state;
    int process;
    int64_t wake;
};

struct process {
    int pid;
    bool is_running;
    int64_t kill_after, stalled_until;
};

struct machine {
    uint64_t random;
    int64_t now, booted, wall;
    int boots;
    uint64_t hash;
    int64_t events, kills, power_after;
    int stickiness; /* of 256: how often a thread goes on where it could be left */
    int trace;
    bool tells_calls;
    int tasks_used, tasks_started;
    struct task tasks[TASKS];
    struct process processes[MACHINE_PROCESSES];
    struct machine_faults faults;
    int64_t notes[MACHINE_NOTES];
    char *free, *end; /* the memory that is left */
};

extern struct machine *machine;
extern _Thread_local int self; /* the calling thread's task; -1 outside of the world */

/* The definition that this program's stands before, looked up once. */
#define REAL(name) ({ \
    static __typeof__(&name) real_##name; \
    if (!real_##name) real_##name = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    real_##name; \
})

/* scheduler.c */
void *machine_allocate(size_t bytes);
int process_of(int task);
void note_event(enum event event, int64_t first, int64_t second);
/* A call of the system: it takes time, others may run before it goes on, and its process may die. */
void call(enum event event, int64_t first, int64_t second);
/* The calling thread waits until it is woken, or until a time. */
void block(int64_t until);
void wake(int task);
int64_t uptime(void);
int64_t wall_clock(void);
bool happens(uint32_t rate);

/* system.c */
void change_hashes(void);
long fill_by_chance(void *bytes, size_t count);

/* disk.c */
void make_disk(void);
void disk_release(int process);
void disk_lose_power(void);
