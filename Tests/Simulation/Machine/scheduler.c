/* Time, chance, threads and processes of the simulated machine. */
#define _GNU_SOURCE
#include "machine_private.h"
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

long real_syscall(long number, ...);

struct machine *machine;

_Thread_local int self = -1;

/* The number of the calling thread's task: the task may be another thread's by the time that a killed process is gone. */
static _Thread_local int own_number;

enum { MEMORY = 1 << 30, COST = 2 * MICROSECOND };

static const char *const names[EVENTS] = {
    "switch", "start", "end", "thread", "signal", "wait", "async", "contended", "kill", "power", "stall", "lock", "open", "close",
    "read", "write", "sync", "truncate", "allocate", "delete", "rename", "status", "shared lock", "random",
};

enum { MOST_SECONDS = 60 };

/* Of real time, which other programs take, too: only a world in which nothing happens is ended. */
static void look_for_progress(int signal) {
    static int64_t seen;
    if (machine->events == seen) machine_fail("for a minute nothing has happened: a thread waits for real");
    seen = machine->events;
    alarm(MOST_SECONDS);
}

void machine_start(uint64_t seed, int trace, bool tells_calls) {
    /* The world ends with the program, and keeps no process that has ended. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* What started this program may block signals, or ignore them, by which a world stops its programs. */
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int number = 1; number < SIGRTMIN; number++) signal(number, SIG_DFL);
    signal(SIGCHLD, SIG_IGN);
    change_hashes();
    char *memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) machine_fail("no memory for the world");
    machine = (struct machine *)memory;
    machine->free = memory + (sizeof *machine + 63) / 64 * 64;
    machine->end = memory + MEMORY;
    machine->random = seed * 0x9E3779B97F4A7C15u + 1;
    machine->hash = 0xCBF29CE484222325u;
    machine->wall = 1790000000000000000;
    machine->boots = 1;
    machine->trace = trace;
    machine->tells_calls = tells_calls;

    static const int stickiness[] = {0, 128, 230, 250};
    machine->stickiness = stickiness[machine_random(4)];
    signal(SIGALRM, look_for_progress);
    alarm(MOST_SECONDS);
    make_disk();
    self = 0;
    machine->tasks_used = 1;
    machine->tasks[0] = (struct task){.number = own_number = machine->tasks_started = 1, .state = READY};
    machine->processes[0] = (struct process){.pid = (int)real_syscall(SYS_getpid), .is_running = true};
}

void *machine_allocate(size_t bytes) {
    char *start = machine->free;
    machine->free += (bytes + 63) / 64 * 64;
    if (machine->free > machine->end) machine_fail("the world's memory is used up");
    return start;
}

_Noreturn void machine_fail(const char *reason) {
    dprintf(STDERR_FILENO, "simulation: %s\n", reason);
    /* With the controller, all others end. */
    if (self >= 0) real_syscall(SYS_kill, machine->processes[0].pid, SIGABRT);
    abort();
}

struct machine_faults *_Nonnull machine_faults(void) { return &machine->faults; }
int64_t *_Nonnull machine_notes(void) { return machine->notes; }
int64_t machine_now(void) { return machine->now; }
int64_t machine_events(void) { return machine->events; }
uint64_t machine_hash(void) { return machine->hash; }
int64_t machine_kills(void) { return machine->kills; }
int64_t uptime(void) { return machine->now - machine->booted + 1000000000; }
int64_t wall_clock(void) { return machine->wall + machine->now; }
void machine_set_clock(int64_t change) { machine->wall += change; }
int process_of(int task) { return machine->tasks[task].process; }

/* SplitMix64: https://prng.di.unimi.it/splitmix64.c */
uint64_t machine_random(uint64_t bound) {
    uint64_t z = machine->random += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (z ^ (z >> 31)) % bound;
}

bool happens(uint32_t rate) { return rate > 0 && machine_random(1000000) < rate; }

/* MARK: events */

static void mix(uint64_t value) { machine->hash = (machine->hash ^ value) * 0x100000001B3u; }

static void write_event(const char *name, int64_t first, int64_t second) {
    char line[512];
    int length = snprintf(
        line, sizeof line - 1, "%13.6f  p%d t%d  %s %lld %lld\n", (double)machine->now / 1e9, process_of(self), self, name,
        (long long)first, (long long)second
    );
    if (length > (int)sizeof line - 2) length = (int)sizeof line - 2;
    line[length - 1] = '\n';
    real_syscall(SYS_write, machine->trace, line, length);
}

void note_event(enum event event, int64_t first, int64_t second) {
    machine->events++;
    mix((uint64_t)event << 32 | (uint64_t)self);
    mix((uint64_t)first);
    mix((uint64_t)second);
    bool is_told = machine->tells_calls || event == KILL || event == POWER || event == STALL;
    if (machine->trace >= 0 && is_told) write_event(names[event], first, second);
}

void machine_tell(const char *event, int64_t first, int64_t second) {
    machine->events++;
    for (const char *c = event; *c; c++) mix((uint64_t)*c);
    mix((uint64_t)first);
    mix((uint64_t)second);
    if (machine->trace >= 0) write_event(event, first, second);
}

/* MARK: threads */

static void wait_for_baton(void) {
    _Atomic int *baton = &machine->tasks[self].baton;
    for (int number = own_number; !atomic_compare_exchange_strong(baton, &number, 0); number = own_number) {
        real_syscall(SYS_futex, baton, FUTEX_WAIT, number, NULL, NULL, 0);
    }
}

static void hand_baton(int task) {
    _Atomic int *baton = &machine->tasks[task].baton;
    atomic_store(baton, machine->tasks[task].number);
    /* All: one that waits there may belong to a process that is being killed. */
    real_syscall(SYS_futex, baton, FUTEX_WAKE, TASKS, NULL, NULL, 0);
}

/* The next thread to run. Time goes on if all wait. */
static int pick(void) {
    for (;;) {
        int ready[TASKS], count = 0;
        int64_t next = FOREVER;
        for (int index = 0; index < machine->tasks_used; index++) {
            struct task *task = &machine->tasks[index];
            if (task->state == NONE) continue;
            if (task->state == BLOCKED && task->wake <= machine->now) task->state = READY;
            int64_t earliest = machine->processes[task->process].stalled_until;
            if (task->state == BLOCKED && task->wake > earliest) earliest = task->wake;
            if (task->state == READY && earliest <= machine->now) ready[count++] = index;
            else if (earliest < next) next = earliest;
        }
        if (count > 0) return ready[count == 1 ? 0 : machine_random((uint64_t)count)];
        if (next == FOREVER) machine_fail("every thread waits for ever");
        machine->now = next;
    }
}

static void switch_task(void) {
    int next = pick();
    if (next == self) return;
    note_event(SWITCH, next, 0);
    hand_baton(next);
    wait_for_baton();
}

void block(int64_t until) {
    machine->tasks[self].state = BLOCKED;
    machine->tasks[self].wake = until;
    switch_task();
}

void wake(int task) { machine->tasks[task].state = READY; }

void machine_sleep(int64_t duration) { block(machine->now + duration); }

static void kill_process(int process);
static void cut_power(void);

void call(enum event event, int64_t first, int64_t second) {
    struct process *process = &machine->processes[process_of(self)];
    note_event(event, first, second);
    machine->now += COST;
    if (process_of(self) == 0) return;
    if (machine->power_after > 0 && --machine->power_after == 0) cut_power();
    if (process->kill_after > 0 && --process->kill_after == 0) kill_process(process_of(self));
    if (happens(machine->faults.stalls)) machine_stall(process_of(self), (int64_t)machine_random(60000) * MILLISECOND);
    if ((int)machine_random(256) >= machine->stickiness || process->stalled_until > machine->now) switch_task();
}

static int add_task(int process) {
    int index = 1;
    while (index < machine->tasks_used && machine->tasks[index].state != NONE) index++;
    if (index == TASKS) machine_fail("too many threads");
    if (index == machine->tasks_used) machine->tasks_used++;
    machine->tasks[index] = (struct task){.number = ++machine->tasks_started, .state = READY, .process = process};
    return index;
}

/* The calling thread ends; the real one may run a little longer. */
static void end_task(void) {
    note_event(END, 0, 0);
    machine->tasks[self].state = NONE;
    hand_baton(pick());
}

/* MARK: the C library's threads */

struct thread_start {
    void *(*body)(void *);
    void *context;
    int task, number;
};

int real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *context);
int real_pthread_join(pthread_t thread, void **result);
static pthread_t threads[TASKS];

static void *run_thread(void *context) {
    struct thread_start start = *(struct thread_start *)context;
    free(context);
    self = start.task;
    own_number = start.number;
    wait_for_baton();
    note_event(START, 0, 0);
    void *result = start.body(start.context);
    end_task();
    return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *context) {
    if (self < 0) return real_pthread_create(thread, attributes, body, context);
    if (happens(machine->faults.thread_failures)) return EAGAIN;
    struct thread_start *start = malloc(sizeof *start);
    int task = add_task(process_of(self));
    *start = (struct thread_start){body, context, task, machine->tasks[task].number};
    int status = real_pthread_create(thread, attributes, run_thread, start);
    if (status != 0) machine_fail("no real thread is left");
    threads[task] = *thread;
    call(THREAD, task, 0);
    return 0;
}

int pthread_join(pthread_t thread, void **result) {
    for (int task = 0; self >= 0 && task < TASKS; task++) {
        if (!pthread_equal(threads[task], thread) || process_of(task) != process_of(self)) continue;
        while (machine->tasks[task].state != NONE) machine_sleep(20 * MICROSECOND);
        break;
    }
    return real_pthread_join(thread, result);
}

/* MARK: processes */

bool machine_fork(int process) {
    int task = add_task(process);
    machine->processes[process] = (struct process){.is_running = true};
    int pid = fork();
    if (pid < 0) machine_fail("no real process is left");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        self = task;
        own_number = machine->tasks[task].number;
        wait_for_baton();
        note_event(START, process, 0);
        return true;
    }
    machine->processes[process].pid = pid;
    return false;
}

/* What the process holds is released, and none of its threads runs again. */
static void release_process(int process) {
    machine->processes[process].is_running = false;
    disk_release(process);
    for (int task = 0; task < machine->tasks_used; task++) {
        if (machine->tasks[task].process == process) machine->tasks[task].state = NONE;
    }
}

static void kill_process(int process) {
    if (!machine->processes[process].is_running) return;
    note_event(KILL, process, 0);
    machine->kills++;
    release_process(process);
    if (process != process_of(self)) {
        real_syscall(SYS_kill, machine->processes[process].pid, SIGKILL);
        return;
    }
    hand_baton(pick());
    for (;;) real_syscall(SYS_kill, real_syscall(SYS_getpid), SIGKILL);
}

static void cut_power(void) {
    note_event(POWER, 0, 0);
    for (int process = 1; process < MACHINE_PROCESSES; process++) {
        if (process != process_of(self)) kill_process(process);
    }
    disk_release(process_of(self));
    disk_lose_power();
    kill_process(process_of(self));
}

_Noreturn void machine_exit(void) {
    note_event(END, process_of(self), 0);
    release_process(process_of(self));
    hand_baton(pick());
    _exit(0);
}

bool machine_is_running(int process) { return machine->processes[process].is_running; }
void machine_kill_after(int process, int64_t calls) { machine->processes[process].kill_after = calls; }
void machine_cut_power_after(int64_t calls) { machine->power_after = calls; }

void machine_spare_all(void) {
    machine->power_after = 0;
    for (int process = 0; process < MACHINE_PROCESSES; process++) {
        machine->processes[process].kill_after = 0;
        if (machine->processes[process].stalled_until > machine->now) machine->processes[process].stalled_until = machine->now;
    }
}

void machine_stall(int process, int64_t duration) {
    note_event(STALL, process, duration);
    machine->processes[process].stalled_until = machine->now + duration;
}

int64_t machine_stall_end(int process) { return machine->processes[process].stalled_until; }

int machine_processors(void) {
    cpu_set_t usable;
    return sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
}

void machine_use_processor(int index) {
    cpu_set_t usable, one;
    if (sched_getaffinity(0, sizeof usable, &usable) != 0) return;
    CPU_ZERO(&one);
    for (int processor = 0; processor < CPU_SETSIZE; processor++) {
        if (!CPU_ISSET(processor, &usable) || index-- > 0) continue;
        CPU_SET(processor, &one);
        sched_setaffinity(0, sizeof one, &one);
        return;
    }
}
