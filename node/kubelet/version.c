#include "node/kubelet/version.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/descriptor.h"
#include "node/files/node_file.h"
#include "node/systemd/run.h"

#define TIMEOUT 10000 /* milliseconds */

/* Reads a number of at most four digits. */
static bool read_number(struct bytes *text, unsigned *number)
{
    size_t digits = 0;
    *number = 0;
    while (digits < text->len && digits < 4 && isdigit(text->data[digits])) {
        *number = *number * 10 + (unsigned)(text->data[digits++] - '0');
    }
    *text = bytes_after(*text, digits);
    return digits > 0;
}

static bool read_dot(struct bytes *text)
{
    bool dot = text->len > 0 && text->data[0] == '.';
    *text = bytes_after(*text, dot);
    return dot;
}

static bool read_version(struct bytes text, struct kubelet_version *version)
{
    return read_number(&text, &version->major) && read_dot(&text) && read_number(&text, &version->minor) && read_dot(&text) &&
           read_number(&text, &version->patch);
}

static bool is_of_version(uint8_t c)
{
    return isalnum(c) || c == '.' || c == '-' || c == '+' || c == '_';
}

struct kubelet_version kubelet_version_of(struct bytes text, struct arena *arena)
{
    for (size_t i = 0; i < text.len; i++) {
        struct kubelet_version version;
        bool begins = text.data[i] == 'v' && (i == 0 || !is_of_version(text.data[i - 1]));
        if (begins && read_version(bytes_after(text, i + 1), &version)) {
            size_t end = i;
            while (end < text.len && is_of_version(text.data[end])) {
                end++;
            }
            version.text = arena_string(arena, bytes_of(text.data + i, end - i));
            return version.text ? version : (struct kubelet_version){.text = ""};
        }
    }
    return (struct kubelet_version){.text = ""};
}

/* A script that gets "kubelet" as its first argument may start one, whatever else it gets. */
static bool is_script(const char *program)
{
    char begin[2] = "";
    DESCRIPTOR_CLEANUP int file = open(program, O_RDONLY | O_CLOEXEC);
    return read(file, begin, sizeof begin) == (ssize_t)sizeof begin && memcmp(begin, "#!", sizeof begin) == 0;
}

struct kubelet_version kubelet_version_ask(const char *program, bool is_multiple, struct arena *arena)
{
    const char *const plain[] = {program, "--version", NULL};
    const char *const multiple[] = {program, "kubelet", "--version", NULL};
    struct kubelet_version unknown = {.text = ""};
    struct run_result result;
    struct error error = {.code = STATUS_OK};
    if (program[0] == '\0' || !node_file_check_owner(program, &error) || (is_multiple && is_script(program)) ||
        !run_program(is_multiple ? multiple : plain, TIMEOUT, arena, &result, &error)) {
        return unknown;
    }
    return WIFEXITED(result.status) && WEXITSTATUS(result.status) == 0 ? kubelet_version_of(result.out, arena) : unknown;
}
