// Runs a program to its end and prints what it cost: seconds, seconds of processor time, and the peaks of its resident memory and of
// what of that is its own (not of a file), in KiB.
//
//     measure PROGRAM ARGUMENT...
//
// A small program of its own, because the kernel counts the memory of the process that starts another as that one's peak.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval time) { return time.tv_sec + time.tv_usec / 1e6; }

// The kernel keeps a peak only of all resident memory.
static long anonymous_kibibytes(const char *status) {
    char line[256];
    long found = 0;
    FILE *file = fopen(status, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (!strncmp(line, "RssAnon:", 8)) found = atol(line + 8);
    }
    if (file) fclose(file);
    return found;
}

int main(int count, char **arguments) {
    if (count < 2) return 64;
    struct timespec start, end, pause = {.tv_nsec = 2000000};
    sigset_t ended, before;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, &before);
    clock_gettime(CLOCK_MONOTONIC, &start);
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        // What the program prints is of no interest, and would be between the figures.
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execv(arguments[1], arguments + 1);
        perror(arguments[1]);
        _exit(127);
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", child);
    long peak = 0;
    while (child > 0 && sigtimedwait(&ended, NULL, &pause) != SIGCHLD) {
        long now = anonymous_kibibytes(path);
        if (now > peak) peak = now;
    }
    int status = 0;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) != child) return 1;
    clock_gettime(CLOCK_MONOTONIC, &end);
    double wall = (end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) / 1e9;
    printf("%.6f %.6f %ld %ld\n", wall, seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss, peak);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
