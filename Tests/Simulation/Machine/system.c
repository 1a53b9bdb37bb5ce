/* What the product calls of the C library and of libdispatch besides files: clocks, pauses, chance, locks, queues. */
#define _GNU_SOURCE
#include "machine_private.h"
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>


/* Swift's tasks are queued by a function of libdispatch that is looked up past this program. Without it, by `dispatch_async_f`. */
void *dlsym(void *library, const char *name) {
    static void *(*real)(void *, const char *);
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
    for (int index = 0; !real && index < 3; index++) real = dlvsym(RTLD_NEXT, "dlsym", versions[index]);
    return strcmp(name, "dispatch_async_swift_job") == 0 ? NULL : real(library, name);
}

/* MARK: real ones, where only another file's definition is at hand */

long real_syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long), d = va_arg(list, long);
    long e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    return REAL(syscall)(number, a, b, c, d, e, f);
}

int real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *context) {
    return REAL(pthread_create)(thread, attributes, body, context);
}

int real_pthread_join(pthread_t thread, void **result) { return REAL(pthread_join)(thread, result); }

/* MARK: clocks and pauses */

static struct timespec timespec_of(int64_t time) { return (struct timespec){time / 1000000000, time % 1000000000}; }
static int64_t nanoseconds(const struct timespec *time) { return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec; }

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (self < 0) return (int)real_syscall(SYS_clock_gettime, clock, time);
    /* Whoever waits by looking at a clock must see it go on. */
    machine->now += 100;
    *time = timespec_of(clock == CLOCK_REALTIME ? wall_clock() : uptime());
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left) {
    if (self < 0) return (int)real_syscall(SYS_nanosleep, time, left);
    machine_sleep(nanoseconds(time));
    return 0;
}

int usleep(useconds_t duration) {
    struct timespec time = timespec_of((int64_t)duration * MICROSECOND);
    return nanosleep(&time, NULL);
}

int sched_yield(void) {
    if (self < 0) return (int)real_syscall(SYS_sched_yield);
    machine_sleep(MICROSECOND);
    return 0;
}

int getpid(void) { return self < 0 ? (int)real_syscall(SYS_getpid) : 1000 * machine->boots + process_of(self); }

/* MARK: chance */

long fill_by_chance(void *bytes, size_t count) {
    uint8_t *byte = bytes;
    for (size_t index = 0; index < count; index++) byte[index] = (uint8_t)machine_random(256);
    return (long)count;
}

void swift_stdlib_random(void *bytes, size_t count) {
    if (self >= 0) fill_by_chance(bytes, count);
    else if (real_syscall(SYS_getrandom, bytes, count, 0) != (long)count) machine_fail("no random numbers");
}

/* Of Swift's standard library: https://github.com/swiftlang/swift/blob/main/stdlib/public/SwiftShims/swift/shims/GlobalObjects.h */
extern struct {
    uint64_t first, second;
    bool is_deterministic;
} _swift_stdlib_Hashing_parameters;

/* Sets and dictionaries get another order in each run: a world in which it matters is another one when it is repeated. */
void change_hashes(void) {
    swift_stdlib_random(&_swift_stdlib_Hashing_parameters.first, 2 * sizeof(uint64_t));
    _swift_stdlib_Hashing_parameters.is_deterministic = false;
}

/* MARK: system calls by number: random numbers, and the locks of Swift's Mutex */

long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long), d = va_arg(list, long);
    long e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    if (self < 0) return real_syscall(number, a, b, c, d, e, f);
    if (number == SYS_getrandom) return fill_by_chance((void *)a, (size_t)b);
    if (number == SYS_futex && (b & FUTEX_CMD_MASK) == FUTEX_LOCK_PI) {
        _Atomic int *word = (_Atomic int *)a;
        if (atomic_load(word) == gettid()) machine_fail("a thread takes a lock that it has");
        note_event(CONTENDED, 0, 0);
        for (int free = 0; !atomic_compare_exchange_strong(word, &free, gettid()); free = 0) machine_sleep(20 * MICROSECOND);
        return 0;
    }
    if (number == SYS_futex && (b & FUTEX_CMD_MASK) == FUTEX_UNLOCK_PI) {
        atomic_store((_Atomic int *)a, 0);
        return 0;
    }
    if (number == SYS_futex && (b & FUTEX_CMD_MASK) != FUTEX_WAKE) machine_fail("a wait that is not simulated");
    return real_syscall(number, a, b, c, d, e, f);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    if (self < 0) return REAL(pthread_mutex_lock)(mutex);
    int status;
    while ((status = pthread_mutex_trylock(mutex)) == EBUSY) machine_sleep(20 * MICROSECOND);
    return status;
}

/* The world's time of a `dispatch_time_t`, whose two highest bits name the clock: none, monotonic, or the wall clock, negated. */
static int64_t time_of(uint64_t deadline) {
    enum { CLOCK_BIT = 62 };
    if (deadline == UINT64_MAX) return FOREVER;
    if (deadline >> CLOCK_BIT == 3) return -(int64_t)deadline - wall_clock() + machine->now;
    return (int64_t)(deadline & INT64_MAX) - uptime() + machine->now;
}

/* MARK: semaphores of libdispatch, which are objects of it, but wait here */

enum { SEMAPHORES = 4096, WAITING = 64 };

struct semaphore {
    void *object;
    long value;
    int waiting[WAITING], count;
};

/* By address. What was released stays until its address is used again. */
static struct semaphore semaphores[SEMAPHORES];

static struct semaphore *find_semaphore(void *object) {
    for (size_t index = (uintptr_t)object / 16 % SEMAPHORES, steps = 0; steps < SEMAPHORES; steps++) {
        struct semaphore *found = &semaphores[(index + steps) % SEMAPHORES];
        if (found->object == object) return found;
        if (!found->object) {
            found->object = object;
            return found;
        }
    }
    machine_fail("too many semaphores");
}

void *dispatch_semaphore_create(long value) {
    void *object = REAL(dispatch_semaphore_create)(value);
    if (self >= 0) *find_semaphore(object) = (struct semaphore){.object = object, .value = value};
    return object;
}

long dispatch_semaphore_signal(void *object) {
    if (self < 0) return REAL(dispatch_semaphore_signal)(object);
    struct semaphore *semaphore = find_semaphore(object);
    bool wakes = semaphore->count > 0;
    if (wakes) {
        wake(semaphore->waiting[0]);
        memmove(semaphore->waiting, semaphore->waiting + 1, (size_t)--semaphore->count * sizeof(int));
    } else {
        semaphore->value++;
    }
    call(SIGNAL, wakes, 0);
    return wakes;
}

long dispatch_semaphore_wait(void *object, uint64_t deadline) {
    if (self < 0) return REAL(dispatch_semaphore_wait)(object, deadline);
    struct semaphore *semaphore = find_semaphore(object);
    call(WAIT, semaphore->value > 0, 0);
    if (semaphore->value > 0) {
        semaphore->value--;
        return 0;
    }
    if (deadline == 0) return 1;
    if (semaphore->count == WAITING) machine_fail("too many threads at a semaphore");
    semaphore->waiting[semaphore->count++] = self;
    block(time_of(deadline));
    semaphore = find_semaphore(object);
    for (int index = 0; index < semaphore->count; index++) {
        if (semaphore->waiting[index] != self) continue;
        semaphore->count--;
        memmove(semaphore->waiting + index, semaphore->waiting + index + 1, (size_t)(semaphore->count - index) * sizeof(int));
        return 1;
    }
    return 0;
}

/* MARK: queues of libdispatch, with a thread for each job that runs */

struct worker {
    void (*body)(void *);
    void *context;
    int64_t start;
    int task;
    struct worker *next;
};

static struct worker *idle;

static void *run_worker(void *context) {
    struct worker *worker = context;
    worker->task = self;
    for (;;) {
        if (worker->start > machine->now) block(worker->start);
        worker->body(worker->context);
        worker->next = idle;
        idle = worker;
        block(FOREVER);
    }
}

static void run_later(void (*body)(void *), void *context, int64_t start) {
    struct worker *worker = idle;
    if (worker) idle = worker->next;
    else worker = calloc(1, sizeof *worker);
    worker->body = body;
    worker->context = context;
    worker->start = start;
    if (worker->task > 0) {
        wake(worker->task);
        call(ASYNC, worker->task, start - machine->now);
        return;
    }
    pthread_t thread;
    while (pthread_create(&thread, NULL, run_worker, worker) != 0) machine_sleep(MILLISECOND);
    pthread_detach(thread);
}

/* https://clang.llvm.org/docs/Block-ABI-Apple.html */
struct block {
    void *isa;
    int flags, reserved;
    void (*invoke)(void *);
};

void *_Block_copy(const void *block);
void _Block_release(const void *block);

static void run_block(void *context) {
    ((struct block *)context)->invoke(context);
    _Block_release(context);
}

void dispatch_async_f(void *queue, void *context, void (*body)(void *)) {
    if (self >= 0) return run_later(body, context, 0);
    REAL(dispatch_async_f)(queue, context, body);
}

void dispatch_async(void *queue, const void *block) {
    if (self >= 0) return run_later(run_block, _Block_copy(block), 0);
    REAL(dispatch_async)(queue, block);
}

void dispatch_after_f(uint64_t deadline, void *queue, void *context, void (*body)(void *)) {
    if (self >= 0) return run_later(body, context, time_of(deadline));
    REAL(dispatch_after_f)(deadline, queue, context, body);
}

void dispatch_after(uint64_t deadline, void *queue, const void *block) {
    if (self >= 0) return run_later(run_block, _Block_copy(block), time_of(deadline));
    REAL(dispatch_after)(deadline, queue, block);
}

/* A new queue of Swift's pool; the real one would use a thread for this. */
void dispatch_queue_set_width(void *queue, long width) {
    if (self < 0) REAL(dispatch_queue_set_width)(queue, width);
}

/* MARK: timers of libdispatch, as Swift's tasks use them: made, set, activated, and released when they have fired */

struct timer {
    struct timer *next;
    int64_t start;
    void *context;
    void (*handler)(void *);
};

static struct timer *timers;

static struct timer *find_timer(void *object) {
    struct timer *timer = timers;
    while (timer && timer != object) timer = timer->next;
    return timer;
}

void *dispatch_source_create(const void *type, uintptr_t handle, unsigned long mask, void *queue) {
    if (self < 0) return REAL(dispatch_source_create)(type, handle, mask, queue);
    struct timer *timer = calloc(1, sizeof *timer);
    timer->next = timers;
    return timers = timer;
}

void dispatch_source_set_timer(void *object, uint64_t start, uint64_t interval, uint64_t leeway) {
    struct timer *timer = find_timer(object);
    if (timer) timer->start = time_of(start);
    else REAL(dispatch_source_set_timer)(object, start, interval, leeway);
}

void dispatch_set_context(void *object, void *context) {
    struct timer *timer = find_timer(object);
    if (timer) timer->context = context;
    else REAL(dispatch_set_context)(object, context);
}

void dispatch_source_set_event_handler_f(void *object, void (*handler)(void *)) {
    struct timer *timer = find_timer(object);
    if (timer) timer->handler = handler;
    else REAL(dispatch_source_set_event_handler_f)(object, handler);
}

void dispatch_activate(void *object) {
    struct timer *timer = find_timer(object);
    if (timer) run_later(timer->handler, timer->context, timer->start);
    else REAL(dispatch_activate)(object);
}

void dispatch_release(void *object) {
    struct timer **link = &timers;
    while (*link && *link != object) link = &(*link)->next;
    struct timer *timer = *link;
    if (!timer) return REAL(dispatch_release)(object);
    *link = timer->next;
    free(timer);
}
