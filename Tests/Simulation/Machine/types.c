/* Swift's types and conformances, which each simulated process would look up by name when it first needs them. */
#define _GNU_SOURCE
#include "machine_private.h"
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern const char __executable_start[];

static bool ends(const char *name, const char *end) {
    size_t length = strlen(name), count = strlen(end);
    return length > count && strcmp(name + length - count, end) == 0;
}

/* The compiler's name for what it calls to make a type; `MD` ends the names of a type's cache, `Wl` of a function that finds a conformance. */
static const char maker[] = "__swift_instantiateConcreteTypeFromMangledName";

static void make_types(const Elf64_Sym *symbols, size_t count, const char *names) {
    void *(*make)(void *) = NULL;
    for (const Elf64_Sym *symbol = symbols; symbol < symbols + count && !make; symbol++) {
        if (strcmp(names + symbol->st_name, maker) == 0) make = (void *(*)(void *))(__executable_start + symbol->st_value);
    }
    for (const Elf64_Sym *symbol = symbols; make && symbol < symbols + count; symbol++) {
        const char *name = names + symbol->st_name;
        if (symbol->st_shndx == SHN_UNDEF || strncmp(name, "$s", 2) != 0) continue;
        const char *address = __executable_start + symbol->st_value;
        bool is_function = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
        if (!is_function && ends(name, "MD")) make((void *)address);
        if (is_function && ends(name, "Wl")) ((void *(*)(void))address)();
    }
}

void machine_make_types(void) {
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) machine_fail("the program cannot read itself");
    char *image = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (image == MAP_FAILED) machine_fail("no memory for the program's symbols");
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)image;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(image + header->e_shoff);
    for (const Elf64_Shdr *section = sections; section < sections + header->e_shnum; section++) {
        if (section->sh_type != SHT_SYMTAB) continue;
        const Elf64_Sym *symbols = (const Elf64_Sym *)(image + section->sh_offset);
        make_types(symbols, section->sh_size / sizeof *symbols, image + sections[section->sh_link].sh_offset);
    }
    munmap(image, (size_t)status.st_size);
}
