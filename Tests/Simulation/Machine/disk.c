/*
 * The simulated disk: names, files, descriptors, and SQLite's system layer (https://www.sqlite.org/vfs.html) on top of them.
 *
 * A file has two images: what programs see, and what is certain to survive a power cut. They differ in sectors that were written
 * and not synced; a cut keeps some of these, and tears some. Names change in an order of which a cut keeps a first part.
 */
#define _GNU_SOURCE
#include "machine_private.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

long real_syscall(long number, ...);

enum {
    SECTOR = 512, BLOCK = 4096, REGION = 32768, REGIONS = 32, FILES = 4096, NAMES = 4096, CHANGES = 1024, DESCRIPTORS = 1024,
    RANDOM_DEVICE = 1999, FIRST_DESCRIPTOR = 2000, CLAIMS = 64, SHARED_LOCKS = 8, NONE_YET = -1, NAME_BYTES = 128,
    PIPE_PART = 8192,
};

/* Of a sector: programs see what may be lost by a power cut, or what certainly is. */
enum { CLEAN, DIRTY, LOST };

struct file {
    bool exists, is_directory, is_pipe, was_open_to_others; /* when it was made */
    int names, opens; /* how many there are of each; without both, the file ends */
    uint64_t number;
    mode_t mode;
    uid_t owner;
    int64_t changed, born;
    uint8_t *seen, *durable, *state;
    int64_t size, durable_size, capacity, allocated, durable_allocated;
    int64_t smallest; /* the smallest size since it was synced */
    int64_t used; /* bytes from here on are 0 in both images, and were never touched, so that they take no memory */
    int lock_holder, lock_sharers; /* of flock: a descriptor, and how many share it */
    struct { int holder; int64_t byte; } claims[CLAIMS];
    /* of SQLite: its descriptors */
    int shared, reserved, pending, exclusive;
    int shm_users, shm_regions, shm_sharers[SHARED_LOCKS], shm_holder[SHARED_LOCKS];
    uint8_t *shm[REGIONS];
};

struct name {
    char path[NAME_BYTES];
    int file, durable; /* -1: there is none */
};

/* One change of the names: up to two at once, such as by a rename. */
struct change {
    int name[2], file[2];
};

struct descriptor {
    bool is_open;
    int process, file, flags;
    int64_t offset;
    /* of SQLite */
    int level, shm; /* the file of the shared memory; -1 */
    int name; /* by which it was opened */
    unsigned sharing, holding;
    bool ends_at_close, keeps_log;
    int64_t unit;
};

struct disk {
    int64_t size, used, calls;
    bool is_link_moved;
    int files_used; /* from here on none was ever there */
    struct file files[FILES];
    struct name names[NAMES];
    int name_count;
    struct change changes[CHANGES];
    int change_count;
    struct descriptor descriptors[DESCRIPTORS];
};

static struct disk *disk;

void make_disk(void) {
    disk = machine_allocate(sizeof *disk);
    disk->size = -1;
    machine_make_directory("/world");
    machine_make_file("/proc/sys/kernel/random/boot_id", "boot 1");
}

void machine_set_disk_size(int64_t bytes) { disk->size = bytes; }
int64_t machine_disk_used(void) { return disk->used; }
int64_t machine_disk_calls(void) { return disk->calls; }

/* A call of the disk. */
static void use(enum event event, int64_t first, int64_t second) {
    disk->calls++;
    call(event, first, second);
}

/* MARK: files */

static struct file *new_file(bool is_directory) {
    int index = 0;
    while (index < disk->files_used && disk->files[index].exists) index++;
    if (index == FILES) machine_fail("too many files");
    if (index == disk->files_used) disk->files_used++;
    struct file *file = &disk->files[index];
    uint8_t *seen = file->seen, *durable = file->durable, *state = file->state;
    int64_t capacity = file->capacity, born = machine->faults.keeps_birth_times && file->number ? file->born : wall_clock();
    if (file->used > 0) {
        memset(seen, 0, (size_t)file->used);
        memset(durable, 0, (size_t)file->used);
        memset(state, CLEAN, (size_t)(file->used / SECTOR));
    }
    /* As ext4 does, the number of a file that has ended is the next one's. */
    *file = (struct file){
        .exists = true, .is_directory = is_directory, .number = (uint64_t)index + 100, .mode = is_directory ? 0700 : 0600,
        .owner = geteuid(), .changed = wall_clock(), .born = born, .seen = seen, .durable = durable, .state = state, .capacity = capacity,
        .lock_holder = -1, .reserved = -1, .pending = -1, .exclusive = -1,
    };
    for (int lock = 0; lock < SHARED_LOCKS; lock++) file->shm_holder[lock] = -1;
    for (int claim = 0; claim < CLAIMS; claim++) file->claims[claim].holder = -1;
    return file;
}

static int index_of(const struct file *file) { return (int)(file - disk->files); }

static int64_t rounded(int64_t bytes, int64_t unit) { return (bytes + unit - 1) / unit * unit; }

static void grow(struct file *file, int64_t bytes) {
    if (bytes <= file->capacity) return;
    int64_t capacity = file->capacity ? file->capacity : 1 << 20;
    while (capacity < bytes) capacity *= 2;
    uint8_t *seen = machine_allocate((size_t)capacity), *durable = machine_allocate((size_t)capacity);
    uint8_t *state = machine_allocate((size_t)(capacity / SECTOR));
    if (file->used > 0) {
        memcpy(seen, file->seen, (size_t)file->used);
        memcpy(durable, file->durable, (size_t)file->used);
        memcpy(state, file->state, (size_t)(file->used / SECTOR));
    }
    file->seen = seen;
    file->durable = durable;
    file->state = state;
    file->capacity = capacity;
}

/* Gives a file room for its first bytes; false if the disk is full. */
static bool allocate(struct file *file, int64_t bytes) {
    int64_t more = rounded(bytes, BLOCK) - file->allocated;
    if (more <= 0) return true;
    if (disk->size >= 0 && disk->used + more > disk->size) return false;
    disk->used += more;
    file->allocated += more;
    return true;
}

static void give_back(struct file *file, int64_t bytes) {
    int64_t less = file->allocated - rounded(bytes, BLOCK);
    if (less <= 0) return;
    disk->used -= less;
    file->allocated -= less;
}

static void mark(struct file *file, int64_t from, int64_t to) {
    grow(file, to);
    if (to > file->used) file->used = rounded(to, SECTOR);
    for (int64_t sector = from / SECTOR; sector * SECTOR < to; sector++) file->state[sector] = DIRTY;
}

static bool write_file(struct file *file, const void *bytes, int64_t count, int64_t offset) {
    if (!allocate(file, offset + count)) return false;
    mark(file, offset < file->size ? offset : file->size, offset + count);
    memcpy(file->seen + offset, bytes, (size_t)count);
    if (offset + count > file->size) file->size = offset + count;
    file->changed = wall_clock();
    return true;
}

static void set_size(struct file *file, int64_t size) {
    if (size < file->size) {
        memset(file->seen + size, 0, (size_t)(file->size - size));
        if (size < file->smallest) file->smallest = size;
        mark(file, size, file->size);
        give_back(file, size);
    } else {
        mark(file, file->size, size);
    }
    file->size = size;
    file->changed = wall_clock();
}

static void end_if_unused(struct file *file) {
    if (!file->exists || file->names > 0 || file->opens > 0) return;
    for (int name = 0; name < disk->name_count; name++) {
        if (disk->names[name].durable == index_of(file)) return give_back(file, 0);
    }
    for (int change = 0; change < disk->change_count; change++) {
        if (disk->changes[change].file[0] == index_of(file) || disk->changes[change].file[1] == index_of(file)) return give_back(file, 0);
    }
    give_back(file, 0);
    file->exists = false;
}

/* MARK: names */

#define STORE "/world/home/store"
#define OTHER "/world/home/other"
#define LINK "/world/link"

/* Where the world's only symbolic link leads. */
static const char *link_target(void) { return disk->is_link_moved ? OTHER : STORE; }

void machine_move_link(void) { disk->is_link_moved = true; }

/* The path without that link. */
static const char *resolve(const char *path) {
    static _Thread_local char resolved[NAME_BYTES + 16];
    size_t length = strlen(LINK);
    if (strncmp(path, LINK, length) != 0 || (path[length] != '/' && path[length])) return path;
    snprintf(resolved, sizeof resolved, "%s%s", link_target(), path + length);
    return resolved;
}

static struct name *find_name(const char *path) {
    path = resolve(path);
    for (int index = 0; index < disk->name_count; index++) {
        if (strcmp(disk->names[index].path, path) == 0) return &disk->names[index];
    }
    return NULL;
}

static struct name *name_of(const char *path) {
    path = resolve(path);
    struct name *found = find_name(path);
    if (found) return found;
    if (disk->name_count == NAMES || strlen(path) >= NAME_BYTES) machine_fail("too many names, or too long a name");
    struct name *name = &disk->names[disk->name_count++];
    *name = (struct name){.file = NONE_YET, .durable = NONE_YET};
    strcpy(name->path, path);
    return name;
}

static struct file *find_file(const char *path) {
    struct name *name = find_name(path);
    return name && name->file >= 0 ? &disk->files[name->file] : NULL;
}

/* Whether a path names something in a directory; in any one if that is NULL. */
static bool is_in(const char *path, const char *directory) {
    if (!directory) return true;
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && path[length] == '/' && !strchr(path + length + 1, '/');
}

/* Makes the names in a directory durable, or all. */
static void sync_names(const char *directory) {
    int left = 0;
    for (int index = 0; index < disk->change_count; index++) {
        if (!is_in(disk->names[disk->changes[index].name[0]].path, directory)) disk->changes[left++] = disk->changes[index];
    }
    disk->change_count = left;
    for (int index = 0; index < disk->name_count; index++) {
        struct name *name = &disk->names[index];
        if (!is_in(name->path, directory)) continue;
        int before = name->durable;
        name->durable = name->file;
        if (before >= 0 && before != name->durable) end_if_unused(&disk->files[before]);
    }
}

/* Makes durable what a sync of a file does: its name; of a directory, the names in it. */
static void sync_names_of(struct file *file) {
    for (int index = 0; index < disk->name_count; index++) {
        if (disk->names[index].file != index_of(file)) continue;
        char directory[NAME_BYTES];
        strcpy(directory, disk->names[index].path);
        if (!file->is_directory) *strrchr(directory, '/') = 0;
        sync_names(directory);
    }
}

static void set_name(struct name *name, int file) {
    if (name->file >= 0) disk->files[name->file].names--;
    if (file >= 0) disk->files[file].names++;
    int before = name->file;
    name->file = file;
    if (before >= 0) end_if_unused(&disk->files[before]);
}

static void change_names(struct name *first, int first_file, struct name *second, int second_file) {
    /* A journal is written when it is full. */
    if (disk->change_count == CHANGES) sync_names(NULL);
    disk->changes[disk->change_count++] = (struct change){
        {(int)(first - disk->names), second ? (int)(second - disk->names) : -1}, {first_file, second_file}
    };
    if (second) set_name(second, second_file);
    set_name(first, first_file);
}

static struct file *create_file(const char *path, bool is_directory) {
    struct file *file = new_file(is_directory);
    change_names(name_of(path), index_of(file), NULL, -1);
    return file;
}

void machine_make_directory(const char *path) {
    create_file(path, true);
    sync_names(NULL);
}

/* As Linux does, a sync that fails takes what it could not write for written: only what is written again can be synced. */
static void fail_to_sync(struct file *file) {
    if (machine_random(2)) return;
    for (int64_t sector = 0; sector < file->used / SECTOR; sector++) {
        if (file->state[sector] == DIRTY) file->state[sector] = LOST;
    }
}

static void sync_file(struct file *file) {
    if (machine->faults.lies_about_syncs) return;
    if (disk->change_count > 0) sync_names_of(file);
    for (int64_t sector = 0; sector < file->used / SECTOR; sector++) {
        if (file->state[sector] != DIRTY) continue;
        memcpy(file->durable + sector * SECTOR, file->seen + sector * SECTOR, SECTOR);
        file->state[sector] = CLEAN;
    }
    file->durable_size = file->smallest = file->size;
    file->durable_allocated = file->allocated;
}

/* A disk that has a size has as much room for programs as before. */
static void keep_room(int64_t used_before) {
    if (disk->size >= 0) disk->size += disk->used - used_before;
}

void machine_make_file(const char *path, const char *text) {
    int64_t before = disk->used, size = disk->size;
    disk->size = -1;
    struct file *file = find_file(path);
    if (!file) file = create_file(path, false);
    set_size(file, 0);
    write_file(file, text, (int64_t)strlen(text), 0);
    sync_file(file);
    disk->size = size;
    keep_room(before);
}

/* The index of the descriptor that a process has as its standard input; -1 if that is the real one. */
static int standard_input = -1;

static int open_descriptor(struct file *file, int flags);

void machine_read_from(const char *path) {
    struct file *file = find_file(path);
    file->is_pipe = true;
    standard_input = open_descriptor(file, 0);
}

void machine_remove_file(const char *path) {
    struct name *name = find_name(path);
    if (name && name->file >= 0) change_names(name, -1, NULL, -1);
}

void machine_link_file(const char *path, const char *other) {
    struct name *name = find_name(path);
    if (name && name->file >= 0) change_names(name_of(other), name->file, NULL, -1);
}

/* MARK: copies */

enum { COPIES = 8 };

struct copy {
    char path[NAME_BYTES];
    int64_t size, changed;
    uint8_t *bytes;
};

/* Of the controller alone. */
static struct copy copies[COPIES];
static int copy_count;

void machine_copy_files(const char *path) {
    copy_count = 0;
    for (int index = 0; index < disk->name_count && copy_count < COPIES; index++) {
        struct name *name = &disk->names[index];
        size_t length = strlen(path);
        const char *ending = name->path + length;
        bool is_copied = strncmp(name->path, path, length) == 0
            && (!*ending || strcmp(ending, "-wal") == 0 || strcmp(ending, ".lock") == 0);
        if (name->file < 0 || !is_copied) continue;
        struct file *file = &disk->files[name->file];
        struct copy *copy = &copies[copy_count++];
        strcpy(copy->path, name->path);
        copy->size = file->size;
        copy->changed = file->changed;
        copy->bytes = machine_allocate((size_t)file->size + 1);
        if (file->size > 0) memcpy(copy->bytes, file->seen, (size_t)file->size);
    }
}

static void start_again(void) {
    machine->booted = machine->now;
    char boot[32];
    snprintf(boot, sizeof boot, "boot %d", ++machine->boots);
    machine_make_file("/proc/sys/kernel/random/boot_id", boot);
}

void machine_restore_files(const char *path, enum machine_restore way) {
    static const char *const endings[] = {"", "-wal", "-shm"};
    for (int ending = 0; ending < 3; ending++) {
        char full[NAME_BYTES + 8];
        snprintf(full, sizeof full, "%s%s", path, endings[ending]);
        bool stays = ending == 0 && way == MACHINE_SAME_FILE;
        for (int copy = 0; copy < copy_count && way == MACHINE_IMAGE; copy++) stays = stays || strcmp(copies[copy].path, full) == 0;
        if (!stays) machine_remove_file(full);
    }
    for (int index = 0; index < copy_count; index++) {
        size_t length = strlen(copies[index].path);
        bool is_lock = length > 5 && strcmp(copies[index].path + length - 5, ".lock") == 0;
        if (is_lock && way != MACHINE_IMAGE) continue;
        struct file *file = find_file(copies[index].path);
        if (!file) file = create_file(copies[index].path, false);
        set_size(file, 0);
        write_file(file, copies[index].bytes, copies[index].size, 0);
        if (way == MACHINE_IMAGE) file->changed = copies[index].changed;
        sync_file(file);
    }
    if (way == MACHINE_IMAGE) start_again();
}

/* MARK: power cuts */

static void zero(struct file *file, uint8_t *image, int64_t from, int64_t to) {
    if (to > file->used) to = file->used;
    if (from < to) memset(image + from, 0, (size_t)(to - from));
}

static void lose_power(struct file *file, uint64_t kept) {
    /* As in ext4, a truncation is kept as a whole, or lost with all that was written behind it. */
    bool is_truncated = file->smallest < file->durable_size, is_undone = is_truncated && machine_random(2) == 0;
    if (is_truncated && !is_undone) zero(file, file->durable, file->smallest, file->durable_size);
    int64_t size = is_undone ? file->durable_size : machine_random(2) ? file->size : file->smallest;
    for (int64_t sector = 0; sector < file->used / SECTOR; sector++) {
        uint8_t before = file->state[sector];
        file->state[sector] = CLEAN;
        if (before == CLEAN) continue;
        uint8_t *seen = file->seen + sector * SECTOR, *durable = file->durable + sector * SECTOR;
        bool may_be_kept = before == DIRTY && (!is_undone || (sector + 1) * SECTOR <= file->smallest);
        if (may_be_kept && machine_random(100) < kept) memcpy(durable, seen, machine_random(10) == 0 ? machine_random(SECTOR) : SECTOR);
        memcpy(seen, durable, SECTOR);
    }
    int64_t end = file->size > file->durable_size ? file->size : file->durable_size;
    zero(file, file->seen, size, end);
    zero(file, file->durable, size, end);
    file->size = file->durable_size = file->smallest = size;
    /* As in ext4, a sync of a file makes its allocated space durable, too. */
    int64_t allocated = machine_random(2) ? file->allocated : file->durable_allocated;
    if (allocated < rounded(size, BLOCK)) allocated = rounded(size, BLOCK);
    disk->used += allocated - file->allocated;
    file->allocated = file->durable_allocated = allocated;
}

/* Whether the directory of a path is there. */
static bool has_directory(const char *path) {
    char directory[NAME_BYTES];
    strcpy(directory, path);
    *strrchr(directory, '/') = 0;
    return !*directory || strncmp(directory, "/world", 6) != 0 || find_file(directory);
}

void disk_lose_power(void) {
    for (uint64_t left = machine_random((uint64_t)disk->change_count + 1), index = 0; index < left; index++) {
        for (int part = 0; part < 2; part++) {
            struct change *change = &disk->changes[index];
            if (change->name[part] >= 0) disk->names[change->name[part]].durable = change->file[part];
        }
    }
    disk->change_count = 0;
    for (int index = 0; index < disk->files_used; index++) disk->files[index].names = 0;
    for (int index = 0; index < disk->name_count; index++) disk->names[index].file = disk->names[index].durable;
    /* Outer directories have their names first. */
    for (int index = 0; index < disk->name_count; index++) {
        struct name *name = &disk->names[index];
        if (!has_directory(name->path)) name->file = name->durable = NONE_YET;
        if (name->file >= 0) disk->files[name->file].names++;
    }
    uint64_t kept = machine_random(101);
    for (int index = 0; index < disk->files_used; index++) {
        struct file *file = &disk->files[index];
        if (!file->exists) continue;
        end_if_unused(file);
        if (file->exists && !file->is_directory) lose_power(file, kept);
    }
    /* What a file had given back may be another's already. */
    if (disk->size >= 0 && disk->size < disk->used) disk->size = disk->used;
    start_again();
}

uint64_t machine_disk_hash(void) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (int index = 0; index < disk->name_count; index++) {
        struct name *name = &disk->names[index];
        if (name->file < 0) continue;
        struct file *file = &disk->files[name->file];
        for (const char *c = name->path; *c; c++) hash = (hash ^ (uint64_t)*c) * 0x100000001B3u;
        hash = (hash ^ (uint64_t)file->size) * 0x100000001B3u;
        for (int64_t byte = 0; byte < file->size && byte < file->used; byte += sizeof(uint64_t)) {
            uint64_t word;
            memcpy(&word, file->seen + byte, sizeof word);
            hash = (hash ^ word ^ hash >> 32) * 0x100000001B3u;
        }
    }
    return hash;
}

void machine_open_to_others(const char *path) {
    struct file *file = find_file(path);
    if (file) file->mode |= 0044;
}

void machine_give_away(const char *path) {
    struct file *file = find_file(path);
    if (file) file->owner++;
}

int machine_count_open_to_others(const char *path) {
    int count = 0;
    for (int index = 0; index < disk->name_count; index++) {
        struct name *name = &disk->names[index];
        if (name->file < 0 || strncmp(name->path, path, strlen(path)) != 0) continue;
        struct file *file = &disk->files[name->file];
        if (file->mode & 0077 || file->was_open_to_others) count++;
    }
    return count;
}

void machine_tell_files(void) {
    for (int index = 0; index < disk->name_count; index++) {
        struct name *name = &disk->names[index];
        if (name->file >= 0) machine_tell(name->path, disk->files[name->file].size, disk->files[name->file].allocated);
    }
    machine_tell("disk", disk->used, disk->size);
}

/* MARK: descriptors */

static int open_descriptor(struct file *file, int flags) {
    int index = 0;
    while (index < DESCRIPTORS && disk->descriptors[index].is_open) index++;
    if (index == DESCRIPTORS) machine_fail("too many descriptors");
    disk->descriptors[index] = (struct descriptor){
        .is_open = true, .process = process_of(self), .file = index_of(file), .flags = flags, .shm = -1
    };
    file->opens++;
    return index;
}

static struct file *file_of(int index) { return &disk->files[disk->descriptors[index].file]; }

static void set_lock(int index, int level);
static void leave_shared_memory(struct descriptor *descriptor);

static void close_descriptor(int index) {
    struct descriptor *descriptor = &disk->descriptors[index];
    struct file *file = file_of(index);
    for (int name = 0; descriptor->ends_at_close && name < disk->name_count; name++) {
        if (disk->names[name].file == descriptor->file) change_names(&disk->names[name], -1, NULL, -1);
    }
    set_lock(index, SQLITE_LOCK_NONE);
    leave_shared_memory(descriptor);
    if (file->lock_holder == index) file->lock_holder = -1;
    if (descriptor->flags & LOCK_SH << 24) file->lock_sharers--;
    for (int claim = 0; claim < CLAIMS; claim++) {
        if (file->claims[claim].holder == index) file->claims[claim].holder = -1;
    }
    descriptor->is_open = false;
    file->opens--;
    end_if_unused(file);
}

void disk_release(int process) {
    for (int index = 0; index < DESCRIPTORS; index++) {
        struct descriptor *descriptor = &disk->descriptors[index];
        if (!descriptor->is_open || descriptor->process != process) continue;
        close_descriptor(index);
    }
}

static int fails(int number) {
    errno = number;
    return -1;
}

/* The index of a descriptor that is the world's; -1 for others. */
static int ours(int descriptor) {
    if (self >= 0 && descriptor == STDIN_FILENO) return standard_input;
    int index = descriptor - FIRST_DESCRIPTOR;
    return self >= 0 && index >= 0 && index < DESCRIPTORS && disk->descriptors[index].is_open ? index : -1;
}

static bool is_ours(const char *path) {
    return self >= 0 && (strncmp(path, "/world", 6) == 0 || strcmp(path, "/proc/sys/kernel/random/boot_id") == 0);
}

/* Why a change of names or bytes fails; 0 if it does not. */
static int refusal(void) {
    if (machine->faults.is_read_only) return EROFS;
    return happens(machine->faults.disk_errors) ? EIO : 0;
}

static void wait_for_sync(void) {
    int64_t longest = happens(machine->faults.slow_syncs) ? 10000000 : 3000;
    machine_sleep((100 + (int64_t)machine_random((uint64_t)longest)) * MICROSECOND);
}

/* MARK: the C library's files */

int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    if (self >= 0 && strcmp(path, "/dev/urandom") == 0) return RANDOM_DEVICE;
    if (!is_ours(path)) return REAL(open)(path, flags, mode);
    use(OPEN, flags, 0);
    struct file *file = find_file(path);
    if (file && flags & O_CREAT && flags & O_EXCL) return fails(EEXIST);
    if (!file && !(flags & O_CREAT)) return fails(ENOENT);
    int reason = !file || (flags & O_ACCMODE) != O_RDONLY ? refusal() : 0;
    if (reason) return fails(reason);
    if (!file) {
        file = create_file(path, false);
        file->mode = mode;
        file->was_open_to_others = mode & 0077;
    }
    if (flags & O_TRUNC) set_size(file, 0);
    return FIRST_DESCRIPTOR + open_descriptor(file, flags);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int close(int descriptor) {
    int index = ours(descriptor);
    if (index < 0) return REAL(close)(descriptor);
    use(CLOSE, 0, 0);
    close_descriptor(index);
    return 0;
}

static ssize_t read_file(struct file *file, void *bytes, size_t count, int64_t offset) {
    int64_t left = file->size - offset;
    if (left <= 0) return 0;
    if ((int64_t)count > left) count = (size_t)left;
    memcpy(bytes, file->seen + offset, count);
    return (ssize_t)count;
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    int index = ours(descriptor);
    if (index < 0) return REAL(pread)(descriptor, bytes, count, offset);
    use(READ, offset, (int64_t)count);
    return read_file(file_of(index), bytes, count, offset);
}

ssize_t read(int descriptor, void *bytes, size_t count) {
    if (self >= 0 && descriptor == RANDOM_DEVICE) return fill_by_chance(bytes, count);
    int index = ours(descriptor);
    if (index < 0) return REAL(read)(descriptor, bytes, count);
    /* What its writer has written so far. */
    if (file_of(index)->is_pipe) count = 1 + machine_random(count < PIPE_PART ? count : PIPE_PART);
    ssize_t found = pread(descriptor, bytes, count, disk->descriptors[index].offset);
    if (found > 0) disk->descriptors[index].offset += found;
    return found;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    int index = ours(descriptor);
    if (index < 0) return REAL(pwrite)(descriptor, bytes, count, offset);
    use(WRITE, offset, (int64_t)count);
    int reason = refusal();
    if (reason) return fails(reason);
    return write_file(file_of(index), bytes, (int64_t)count, offset) ? (ssize_t)count : fails(ENOSPC);
}

static void wake_pollers(void);

ssize_t write(int descriptor, const void *bytes, size_t count) {
    int index = ours(descriptor);
    /* Only the trace shows what a simulated program prints. */
    bool is_printed = descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO;
    if (index < 0 && is_printed && self >= 0 && process_of(self) > 0) {
        char text[256];
        snprintf(text, sizeof text, "printed: %.*s", (int)count, (const char *)bytes);
        machine_tell(text, descriptor, (int64_t)count);
        return (ssize_t)count;
    }
    if (index < 0) {
        ssize_t written = REAL(write)(descriptor, bytes, count);
        wake_pollers();
        return written;
    }
    ssize_t written = pwrite(descriptor, bytes, count, disk->descriptors[index].offset);
    if (written > 0) disk->descriptors[index].offset += written;
    return written;
}

static int fill_status(const struct file *file, struct stat *status) {
    *status = (struct stat){
        .st_dev = 0x801, .st_ino = file->number, .st_mode = file->mode | (file->is_directory ? S_IFDIR : file->is_pipe ? S_IFIFO : S_IFREG),
        .st_nlink = (nlink_t)(file->is_directory ? 2 : file->names),
        .st_uid = file->owner, .st_size = file->size, .st_blocks = file->allocated / 512, .st_blksize = BLOCK,
        .st_ctim = {file->changed / 1000000000, file->changed % 1000000000},
        .st_mtim = {file->changed / 1000000000, file->changed % 1000000000},
    };
    return 0;
}

int stat(const char *path, struct stat *status) {
    if (!is_ours(path)) return REAL(stat)(path, status);
    use(STATUS, 0, 0);
    struct file *file = find_file(path);
    return file ? fill_status(file, status) : fails(ENOENT);
}

int lstat(const char *path, struct stat *status) {
    if (!is_ours(path)) return REAL(lstat)(path, status);
    int result = stat(path, status);
    if (strcmp(path, LINK) == 0) status->st_mode = S_IFLNK | 0777;
    return result;
}

ssize_t readlink(const char *path, char *target, size_t size) {
    if (!is_ours(path)) return REAL(readlink)(path, target, size);
    if (strcmp(path, LINK) != 0) return fails(find_file(path) ? EINVAL : ENOENT);
    size_t length = strlen(link_target()) < size ? strlen(link_target()) : size;
    memcpy(target, link_target(), length);
    return (ssize_t)length;
}

int fstat(int descriptor, struct stat *status) {
    int index = ours(descriptor);
    return index < 0 ? REAL(fstat)(descriptor, status) : fill_status(file_of(index), status);
}

int statx(int directory, const char *path, int flags, unsigned mask, struct statx *status) {
    if (!is_ours(path)) return REAL(statx)(directory, path, flags, mask, status);
    struct file *file = find_file(path);
    if (!file) return fails(ENOENT);
    memset(status, 0, sizeof *status);
    if (machine->faults.has_no_birth_times) return 0;
    status->stx_mask = STATX_BTIME;
    status->stx_btime.tv_sec = file->born / 1000000000;
    status->stx_btime.tv_nsec = (unsigned)(file->born % 1000000000);
    return 0;
}

int statvfs(const char *path, struct statvfs *status) {
    if (!is_ours(path)) return REAL(statvfs)(path, status);
    if (!find_file(path)) return fails(ENOENT);
    int64_t size = disk->size < 0 ? INT64_C(1) << 40 : disk->size;
    *status = (struct statvfs){.f_bsize = BLOCK, .f_frsize = BLOCK, .f_blocks = (fsblkcnt_t)(size / BLOCK)};
    status->f_bavail = status->f_bfree = size > disk->used ? (fsblkcnt_t)((size - disk->used) / BLOCK) : 0;
    return 0;
}

int fallocate(int descriptor, int mode, off_t offset, off_t length) {
    int index = ours(descriptor);
    if (index < 0) return REAL(fallocate)(descriptor, mode, offset, length);
    use(ALLOCATE, offset, length);
    int reason = refusal();
    if (reason) return fails(reason);
    struct file *file = file_of(index);
    if (!allocate(file, offset + length)) return fails(ENOSPC);
    if (!(mode & FALLOC_FL_KEEP_SIZE) && offset + length > file->size) set_size(file, offset + length);
    return 0;
}

int posix_fallocate(int descriptor, off_t offset, off_t length) {
    if (ours(descriptor) < 0) return REAL(posix_fallocate)(descriptor, offset, length);
    return fallocate(descriptor, 0, offset, length) == 0 ? 0 : errno;
}

int fsync(int descriptor) {
    int index = ours(descriptor);
    if (index < 0) return REAL(fsync)(descriptor);
    use(SYNC, 0, 0);
    wait_for_sync();
    if (happens(machine->faults.disk_errors)) return fails(EIO);
    sync_file(file_of(index));
    return 0;
}

int rename(const char *from, const char *to) {
    if (!is_ours(from)) return REAL(rename)(from, to);
    use(RENAME, 0, 0);
    int reason = refusal();
    if (reason) return fails(reason);
    struct file *file = find_file(from);
    if (!file) return fails(ENOENT);
    change_names(find_name(from), -1, name_of(to), index_of(file));
    return 0;
}

int link(const char *path, const char *other) {
    if (!is_ours(path)) return REAL(link)(path, other);
    use(RENAME, 1, 0);
    int reason = refusal();
    if (reason) return fails(reason);
    struct file *file = find_file(path);
    if (!file) return fails(ENOENT);
    if (find_file(other)) return fails(EEXIST);
    change_names(name_of(other), index_of(file), NULL, -1);
    return 0;
}

int unlink(const char *path) {
    if (!is_ours(path)) return REAL(unlink)(path);
    use(DELETE, 0, 0);
    int reason = refusal();
    if (reason) return fails(reason);
    if (!find_file(path)) return fails(ENOENT);
    change_names(find_name(path), -1, NULL, -1);
    return 0;
}

int mkdir(const char *path, mode_t mode) {
    if (!is_ours(path)) return REAL(mkdir)(path, mode);
    if (find_file(path)) return fails(EEXIST);
    if (machine->faults.is_read_only) return fails(EROFS);
    create_file(path, true);
    return 0;
}

int access(const char *path, int mode) {
    if (!is_ours(path)) return REAL(access)(path, mode);
    if (!find_file(path)) return fails(ENOENT);
    return mode & W_OK && machine->faults.is_read_only ? fails(EROFS) : 0;
}

int chmod(const char *path, mode_t mode) {
    if (!is_ours(path)) return REAL(chmod)(path, mode);
    struct file *file = find_file(path);
    if (!file) return fails(ENOENT);
    file->mode = mode;
    return 0;
}

int fchmod(int descriptor, mode_t mode) {
    int index = ours(descriptor);
    if (index < 0) return REAL(fchmod)(descriptor, mode);
    file_of(index)->mode = mode;
    return 0;
}

char *realpath(const char *path, char *resolved) {
    if (!is_ours(path)) return REAL(realpath)(path, resolved);
    if (find_file(path)) return strdup(resolve(path));
    errno = ENOENT;
    return NULL;
}

/* MARK: directories */

/* An open directory: the names in it, when it was opened. */
struct listing {
    struct dirent entry; /* the last one that was read */
    int index;
    size_t length;
    char path[NAME_BYTES];
    struct listing *next;
};

static struct listing *listings;

static struct listing **find_listing(const void *directory) {
    struct listing **link = &listings;
    while (*link && *link != directory) link = &(*link)->next;
    return link;
}

DIR *opendir(const char *path) {
    if (!is_ours(path)) return REAL(opendir)(path);
    struct file *file = find_file(path);
    if (!file || !file->is_directory) {
        errno = file ? ENOTDIR : ENOENT;
        return NULL;
    }
    use(OPEN, 0, 2);
    struct listing *listing = calloc(1, sizeof *listing);
    snprintf(listing->path, sizeof listing->path, "%s", resolve(path));
    listing->length = strlen(listing->path);
    listing->next = listings;
    listings = listing;
    return (DIR *)listing;
}

struct dirent *readdir(DIR *directory) {
    struct listing *listing = *find_listing(directory);
    if (!listing) return REAL(readdir)(directory);
    while (listing->index < disk->name_count) {
        struct name *name = &disk->names[listing->index++];
        const char *rest = name->path + listing->length;
        if (name->file < 0 || strncmp(name->path, listing->path, listing->length) != 0 || *rest != '/' || strchr(rest + 1, '/')) continue;
        listing->entry = (struct dirent){.d_ino = disk->files[name->file].number, .d_type = DT_REG};
        strcpy(listing->entry.d_name, rest + 1);
        return &listing->entry;
    }
    return NULL;
}

int closedir(DIR *directory) {
    struct listing **link = find_listing(directory), *listing = *link;
    if (!listing) return REAL(closedir)(directory);
    *link = listing->next;
    free(listing);
    return 0;
}

struct dirent64 *readdir64(DIR *directory) __attribute__((alias("readdir")));

/* MARK: waits for descriptors: those of the world are ready, a pipe at times, and a real one when somebody in the process has written */

enum { POLLERS = 64 };

static int pollers[POLLERS], poller_count;

static void wake_pollers(void) {
    for (int index = 0; self >= 0 && index < poller_count; index++) wake(pollers[index]);
}

static int look_at(struct pollfd *waited, nfds_t count) {
    int ready = 0;
    for (nfds_t index = 0; index < count; index++) {
        int own = ours(waited[index].fd);
        if (own >= 0) waited[index].revents = file_of(own)->is_pipe && machine_random(4) == 0 ? 0 : waited[index].events & (POLLIN | POLLOUT);
        else REAL(poll)(&waited[index], 1, 0);
        if (waited[index].revents) ready++;
    }
    return ready;
}

int poll(struct pollfd *waited, nfds_t count, int milliseconds) {
    if (self < 0) return REAL(poll)(waited, count, milliseconds);
    int64_t end = milliseconds < 0 ? FOREVER : machine->now + milliseconds * (int64_t)MILLISECOND;
    call(WAIT, (int64_t)count, milliseconds);
    int ready;
    while ((ready = look_at(waited, count)) == 0 && machine->now < end) {
        if (poller_count == POLLERS) machine_fail("too many threads wait for descriptors");
        pollers[poller_count++] = self;
        int64_t next = standard_input < 0 ? FOREVER : machine->now + (int64_t)machine_random(100) * MILLISECOND;
        block(next < end ? next : end);
        int index = 0;
        while (pollers[index] != self) index++;
        pollers[index] = pollers[--poller_count];
    }
    return ready;
}

/* MARK: locks between processes */

enum { SHARES = LOCK_SH << 24 };

int machine_lock_holder(const char *path) {
    struct file *file = find_file(path);
    return file && file->lock_holder >= 0 ? disk->descriptors[file->lock_holder].process : 0;
}

int flock(int descriptor, int operation) {
    int index = ours(descriptor);
    if (index < 0) return REAL(flock)(descriptor, operation);
    use(LOCK, operation, 0);
    struct file *file = file_of(index);
    struct descriptor *own = &disk->descriptors[index];
    if (operation & LOCK_UN) {
        if (file->lock_holder == index) file->lock_holder = -1;
        if (own->flags & SHARES) file->lock_sharers--;
        own->flags &= ~SHARES;
        return 0;
    }
    if (machine->faults.locks_exclude_nobody) return 0;
    if (!(operation & LOCK_NB)) machine_fail("a lock that waits is not simulated");
    bool is_shared = own->flags & SHARES;
    if (file->lock_holder >= 0 && file->lock_holder != index) return fails(EWOULDBLOCK);
    if (operation & LOCK_EX) {
        if (file->lock_sharers > is_shared) return fails(EWOULDBLOCK);
        if (is_shared) file->lock_sharers--;
        own->flags &= ~SHARES;
        file->lock_holder = index;
    } else {
        if (file->lock_holder == index) file->lock_holder = -1;
        if (!is_shared) file->lock_sharers++;
        own->flags |= SHARES;
    }
    return 0;
}

enum { SET_OWN_LOCK = 37 };

int fcntl(int descriptor, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    int index = ours(descriptor);
    if (index < 0 || (descriptor == STDIN_FILENO && command != SET_OWN_LOCK)) return REAL(fcntl)(descriptor, command, argument);
    if (command != SET_OWN_LOCK) machine_fail("a command of fcntl that is not simulated");
    struct flock *lock = argument;
    struct file *file = file_of(index);
    use(LOCK, lock->l_type, lock->l_start);
    int free = -1;
    for (int claim = 0; claim < CLAIMS; claim++) {
        bool is_same = file->claims[claim].holder >= 0 && file->claims[claim].byte == lock->l_start;
        if (is_same && file->claims[claim].holder != index && lock->l_type != F_UNLCK) return fails(EAGAIN);
        if (is_same && file->claims[claim].holder == index) file->claims[claim].holder = -1;
        if (file->claims[claim].holder < 0) free = claim;
    }
    if (lock->l_type == F_UNLCK) return 0;
    if (free < 0) machine_fail("too many claims");
    file->claims[free].holder = index;
    file->claims[free].byte = lock->l_start;
    return 0;
}

int stat64(const char *path, struct stat64 *status) __attribute__((alias("stat")));
int lstat64(const char *path, struct stat64 *status) __attribute__((alias("lstat")));
int fstat64(int descriptor, struct stat64 *status) __attribute__((alias("fstat")));
int fcntl64(int descriptor, int command, ...) __attribute__((alias("fcntl")));

/* MARK: SQLite's system layer */

/* Begins as SQLite's own `unixFile`, in which the product looks for the descriptor. */
struct handle {
    const sqlite3_io_methods *methods;
    const void *vfs, *inode;
    int descriptor;
};

static int handle_index(sqlite3_file *file) { return ((struct handle *)file)->descriptor - FIRST_DESCRIPTOR; }

static _Thread_local int system_error;

static int fails_with(int code, int error) {
    system_error = error;
    return code;
}

/* An operation of SQLite's; an error if it fails by chance. */
static int use_disk(enum event event, int64_t offset, int64_t count, int code) {
    use(event, offset, count);
    return happens(machine->faults.disk_errors) ? fails_with(code, EIO) : SQLITE_OK;
}

/* The same of one that writes. */
static int change_disk(enum event event, int64_t offset, int64_t count, int code) {
    int failure = use_disk(event, offset, count, code);
    return !failure && machine->faults.is_read_only ? fails_with(code, EROFS) : failure;
}

static int close_file(sqlite3_file *handle) {
    int index = handle_index(handle);
    use(CLOSE, 1, 0);
    close_descriptor(index);
    return SQLITE_OK;
}

static int read_page(sqlite3_file *handle, void *bytes, int count, sqlite3_int64 offset) {
    int code = use_disk(READ, offset, count, SQLITE_IOERR_READ);
    if (code) return code;
    ssize_t found = read_file(file_of(handle_index(handle)), bytes, (size_t)count, offset);
    if (found == count) return SQLITE_OK;
    memset((char *)bytes + found, 0, (size_t)(count - found));
    return SQLITE_IOERR_SHORT_READ;
}

static int write_page(sqlite3_file *handle, const void *bytes, int count, sqlite3_int64 offset) {
    int code = change_disk(WRITE, offset, count, SQLITE_IOERR_WRITE);
    if (code) return code;
    return write_file(file_of(handle_index(handle)), bytes, count, offset) ? SQLITE_OK : fails_with(SQLITE_FULL, ENOSPC);
}

static int truncate_file(sqlite3_file *handle, sqlite3_int64 size) {
    int code = change_disk(TRUNCATE, size, 0, SQLITE_IOERR_TRUNCATE);
    if (!code) set_size(file_of(handle_index(handle)), size);
    return code;
}

static int sync_database(sqlite3_file *handle, int flags) {
    int code = use_disk(SYNC, flags, 0, SQLITE_IOERR_FSYNC);
    if (!code && happens(machine->faults.failed_syncs)) code = fails_with(SQLITE_IOERR_FSYNC, EIO);
    wait_for_sync();
    if (code) fail_to_sync(file_of(handle_index(handle)));
    else sync_file(file_of(handle_index(handle)));
    return code;
}

static int file_size(sqlite3_file *handle, sqlite3_int64 *size) {
    *size = file_of(handle_index(handle))->size;
    return SQLITE_OK;
}

static void set_lock(int index, int level) {
    struct file *file = file_of(index);
    struct descriptor *descriptor = &disk->descriptors[index];
    if (level < SQLITE_LOCK_RESERVED) {
        if (file->reserved == index) file->reserved = -1;
        if (file->pending == index) file->pending = -1;
        if (file->exclusive == index) file->exclusive = -1;
    }
    if (level == SQLITE_LOCK_NONE && descriptor->level >= SQLITE_LOCK_SHARED) file->shared--;
    if (descriptor->level > level) descriptor->level = level;
}

static bool is_others(int holder, int index) { return holder >= 0 && holder != index; }

static int lock_file(sqlite3_file *handle, int level) {
    int index = handle_index(handle);
    struct descriptor *descriptor = &disk->descriptors[index];
    if (level <= descriptor->level) return SQLITE_OK;
    use(LOCK, level, 1);
    struct file *file = file_of(index);
    if (descriptor->level == SQLITE_LOCK_NONE) {
        if (is_others(file->pending, index) || is_others(file->exclusive, index)) return SQLITE_BUSY;
        file->shared++;
        descriptor->level = SQLITE_LOCK_SHARED;
    }
    if (level == SQLITE_LOCK_SHARED) return SQLITE_OK;
    /* As the kernel, which locks for writing only what is open for that: a connection that only reads never empties a log. */
    if ((descriptor->flags & O_ACCMODE) == O_RDONLY) return fails_with(SQLITE_IOERR_LOCK, EBADF);
    if (is_others(file->reserved, index)) return SQLITE_BUSY;
    if (level == SQLITE_LOCK_RESERVED) {
        file->reserved = index;
        descriptor->level = level;
        return SQLITE_OK;
    }
    if (is_others(file->pending, index)) return SQLITE_BUSY;
    file->pending = index;
    descriptor->level = SQLITE_LOCK_PENDING;
    if (file->shared > 1) return SQLITE_BUSY;
    file->exclusive = index;
    descriptor->level = SQLITE_LOCK_EXCLUSIVE;
    return SQLITE_OK;
}

static int unlock_file(sqlite3_file *handle, int level) {
    set_lock(handle_index(handle), level);
    return SQLITE_OK;
}

static int check_reserved(sqlite3_file *handle, int *is_reserved) {
    *is_reserved = file_of(handle_index(handle))->reserved >= 0;
    return SQLITE_OK;
}

static int control_file(sqlite3_file *handle, int operation, void *argument) {
    int index = handle_index(handle);
    struct descriptor *descriptor = &disk->descriptors[index];
    struct file *file = file_of(index);
    switch (operation) {
    case SQLITE_FCNTL_LOCKSTATE: *(int *)argument = descriptor->level; return SQLITE_OK;
    case SQLITE_FCNTL_CHUNK_SIZE: descriptor->unit = *(int *)argument; return SQLITE_OK;
    case SQLITE_FCNTL_HAS_MOVED:
        *(int *)argument = disk->names[descriptor->name].file != descriptor->file;
        return SQLITE_OK;
    case SQLITE_FCNTL_POWERSAFE_OVERWRITE: *(int *)argument = 1; return SQLITE_OK;
    case SQLITE_FCNTL_PERSIST_WAL:
        if (*(int *)argument < 0) *(int *)argument = descriptor->keeps_log;
        else descriptor->keeps_log = *(int *)argument;
        return SQLITE_OK;
    case SQLITE_FCNTL_SIZE_HINT: {
        if (descriptor->unit <= 0) return SQLITE_OK;
        int64_t size = rounded(*(sqlite3_int64 *)argument, descriptor->unit);
        use(ALLOCATE, size, 1);
        if (machine->faults.is_read_only) return fails_with(SQLITE_IOERR_WRITE, EROFS);
        if (!allocate(file, size)) return fails_with(SQLITE_FULL, ENOSPC);
        if (size > file->size) set_size(file, size);
        return SQLITE_OK;
    }
    default: return SQLITE_NOTFOUND;
    }
}

static int sector_size(sqlite3_file *handle) { return SECTOR; }
static int characteristics(sqlite3_file *handle) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

/* MARK: shared memory, a file of its own beside the database */

static int join_shared_memory(int index) {
    char path[NAME_BYTES + 8] = "";
    /* A database has its first name; other names of the file are hard links. */
    for (int name = disk->name_count - 1; name >= 0; name--) {
        if (disk->names[name].file == disk->descriptors[index].file) snprintf(path, sizeof path, "%s-shm", disk->names[name].path);
    }
    struct file *file = find_file(path);
    if (machine->faults.is_read_only && (!file || file->shm_users == 0)) return fails_with(SQLITE_CANTOPEN, EROFS);
    if (!file) file = create_file(path, false);
    file->opens++;
    if (file->shm_users++ == 0) {
        for (int region = 0; region < file->shm_regions; region++) memset(file->shm[region], 0, REGION);
        file->shm_regions = 0;
        give_back(file, 0);
        file->size = 0;
    }
    disk->descriptors[index].shm = index_of(file);
    return SQLITE_OK;
}

static void leave_shared_memory(struct descriptor *descriptor) {
    if (descriptor->shm < 0) return;
    struct file *file = &disk->files[descriptor->shm];
    for (int lock = 0; lock < SHARED_LOCKS; lock++) {
        if (descriptor->sharing >> lock & 1) file->shm_sharers[lock]--;
        if (descriptor->holding >> lock & 1) file->shm_holder[lock] = -1;
    }
    descriptor->sharing = descriptor->holding = 0;
    descriptor->shm = -1;
    file->shm_users--;
    file->opens--;
    end_if_unused(file);
}

static int map_shared(sqlite3_file *handle, int region, int size, int extends, void volatile **address) {
    int index = handle_index(handle);
    *address = NULL;
    if (size != REGION || region >= REGIONS) machine_fail("shared memory of another size");
    int code = disk->descriptors[index].shm < 0 ? join_shared_memory(index) : SQLITE_OK;
    if (code) return code;
    struct file *file = &disk->files[disk->descriptors[index].shm];
    if (region >= file->shm_regions) {
        if (!extends) return SQLITE_OK;
        use(ALLOCATE, region, 2);
        if (!allocate(file, (int64_t)(region + 1) * REGION)) return fails_with(SQLITE_IOERR_SHMSIZE, ENOSPC);
        while (file->shm_regions <= region) {
            if (!file->shm[file->shm_regions]) file->shm[file->shm_regions] = machine_allocate(REGION);
            file->shm_regions++;
        }
        file->size = (int64_t)file->shm_regions * REGION;
    }
    *address = file->shm[region];
    return SQLITE_OK;
}

static int lock_shared(sqlite3_file *handle, int first, int count, int flags) {
    int index = handle_index(handle);
    struct descriptor *descriptor = &disk->descriptors[index];
    if (descriptor->shm < 0) return SQLITE_IOERR_SHMLOCK;
    if (!(flags & SQLITE_SHM_UNLOCK)) use(SHARED_LOCK, first, flags);
    struct file *file = &disk->files[descriptor->shm];
    for (int lock = first; lock < first + count && !(flags & SQLITE_SHM_UNLOCK); lock++) {
        if (is_others(file->shm_holder[lock], index)) return SQLITE_BUSY;
        if (flags & SQLITE_SHM_EXCLUSIVE && file->shm_sharers[lock] > (int)(descriptor->sharing >> lock & 1)) return SQLITE_BUSY;
    }
    for (int lock = first; lock < first + count; lock++) {
        unsigned bit = 1u << lock;
        if (flags & SQLITE_SHM_UNLOCK) {
            if (descriptor->sharing & bit) file->shm_sharers[lock]--;
            if (descriptor->holding & bit) file->shm_holder[lock] = -1;
            descriptor->sharing &= ~bit;
            descriptor->holding &= ~bit;
        } else if (flags & SQLITE_SHM_SHARED) {
            if (!(descriptor->sharing & bit)) file->shm_sharers[lock]++;
            descriptor->sharing |= bit;
        } else {
            file->shm_holder[lock] = index;
            descriptor->holding |= bit;
        }
    }
    return SQLITE_OK;
}

static void barrier(sqlite3_file *handle) { atomic_thread_fence(memory_order_seq_cst); }

static int unmap_shared(sqlite3_file *handle, int deletes) {
    struct descriptor *descriptor = &disk->descriptors[handle_index(handle)];
    if (descriptor->shm < 0) return SQLITE_OK;
    struct file *file = &disk->files[descriptor->shm];
    for (int name = 0; deletes && file->shm_users == 1 && name < disk->name_count; name++) {
        if (disk->names[name].file == descriptor->shm) change_names(&disk->names[name], -1, NULL, -1);
    }
    leave_shared_memory(descriptor);
    return SQLITE_OK;
}

static int fetch(sqlite3_file *handle, sqlite3_int64 offset, int count, void **page) {
    *page = NULL;
    return SQLITE_OK;
}

static int unfetch(sqlite3_file *handle, sqlite3_int64 offset, void *page) { return SQLITE_OK; }

static const sqlite3_io_methods methods = {
    3, close_file, read_page, write_page, truncate_file, sync_database, file_size, lock_file, unlock_file, check_reserved,
    control_file, sector_size, characteristics, map_shared, lock_shared, barrier, unmap_shared, fetch, unfetch,
};

/* Of a file that is read without locks, and whose log has its index in memory. */
static int lock_nothing(sqlite3_file *handle, int level) { return SQLITE_OK; }

static int check_nothing(sqlite3_file *handle, int *is_reserved) {
    *is_reserved = 0;
    return SQLITE_OK;
}

static const sqlite3_io_methods unlocked_methods = {
    3, close_file, read_page, write_page, truncate_file, sync_database, file_size, lock_nothing, lock_nothing, check_nothing,
    control_file, sector_size, characteristics, NULL, NULL, NULL, NULL, fetch, unfetch,
};

/* MARK: the system layer's names */

/* https://www.sqlite.org/vfs.html#standard_unix_vfses: its locks do nothing. */
#define UNLOCKED "unix-none"

static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *handle, int flags, int *found) {
    handle->pMethods = NULL;
    char temporary[32];
    if (!path) {
        snprintf(temporary, sizeof temporary, "/world/temporary %d", self);
        path = temporary;
    }
    use(OPEN, flags, 1);
    if (happens(machine->faults.disk_errors)) return fails_with(SQLITE_CANTOPEN, EIO);
    struct file *file = find_file(path);
    if (!file && !(flags & SQLITE_OPEN_CREATE)) return fails_with(SQLITE_CANTOPEN, ENOENT);
    if (!file && machine->faults.is_read_only) return fails_with(SQLITE_CANTOPEN, EROFS);
    if (machine->faults.is_read_only && flags & SQLITE_OPEN_READWRITE) {
        flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
    }
    if (!file) file = create_file(path, false);
    int index = open_descriptor(file, flags & SQLITE_OPEN_READONLY ? O_RDONLY : O_RDWR);
    disk->descriptors[index].ends_at_close = flags & SQLITE_OPEN_DELETEONCLOSE;
    disk->descriptors[index].name = (int)(find_name(path) - disk->names);
    bool locks = strcmp(vfs->zName, UNLOCKED) != 0;
    *(struct handle *)handle = (struct handle){locks ? &methods : &unlocked_methods, vfs, NULL, FIRST_DESCRIPTOR + index};
    if (found) *found = flags;
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *path, int syncs) {
    use(DELETE, 0, 1);
    if (!find_file(path)) return SQLITE_IOERR_DELETE_NOENT;
    if (machine->faults.is_read_only) return fails_with(SQLITE_IOERR_DELETE, EROFS);
    change_names(find_name(path), -1, NULL, -1);
    if (syncs && !machine->faults.lies_about_syncs) {
        char directory[NAME_BYTES];
        strcpy(directory, path);
        *strrchr(directory, '/') = 0;
        sync_names(directory);
    }
    return SQLITE_OK;
}

static int check_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    struct file *file = find_file(path);
    *result = file && (flags != SQLITE_ACCESS_EXISTS || file->size > 0);
    return SQLITE_OK;
}

static int full_path(sqlite3_vfs *vfs, const char *path, int count, char *result) {
    snprintf(result, (size_t)count, "%s", path);
    return SQLITE_OK;
}

static int randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    for (int index = 0; index < count; index++) bytes[index] = (char)machine_random(256);
    return count;
}

static int pause_thread(sqlite3_vfs *vfs, int microseconds) {
    machine_sleep((int64_t)microseconds * MICROSECOND);
    return microseconds;
}

/* Milliseconds since noon of November 24th, 4714 BC: https://www.sqlite.org/c3ref/vfs.html */
static int current_time(sqlite3_vfs *vfs, sqlite3_int64 *time) {
    *time = wall_clock() / MILLISECOND + 210866760000000;
    return SQLITE_OK;
}

static int current_day(sqlite3_vfs *vfs, double *day) {
    *day = (double)(wall_clock() / MILLISECOND + 210866760000000) / 86400000;
    return SQLITE_OK;
}

static int last_error(sqlite3_vfs *vfs, int count, char *text) { return system_error; }

static sqlite3_vfs system_layer = {
    2, sizeof(struct handle), NAME_BYTES, NULL, "world", NULL, open_file, delete_file, check_access, full_path, NULL, NULL, NULL,
    NULL, randomness, pause_thread, current_day, last_error, current_time, NULL, NULL, NULL,
};

void machine_register_disk(void) {
    static sqlite3_vfs unlocked_layer;
    unlocked_layer = system_layer;
    unlocked_layer.zName = UNLOCKED;
    if (sqlite3_vfs_register(&unlocked_layer, 0) != SQLITE_OK || sqlite3_vfs_register(&system_layer, 1) != SQLITE_OK) machine_fail("SQLite does not take the world's disk");
}
