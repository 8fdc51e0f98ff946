#include "translate/hooks/judge.h"

#include <limits.h>

#include "translate/hooks/text.h"

/* Digits of a number in a cpuset: Linux has at most 8192 processors and 1024 memory nodes. */
#define CPUSET_DIGITS 5

/* The kernel reads at most a page. */
#define CPUSET_LENGTH 4095

int64_t hook_number_clamped(const struct hook_range *range, int64_t number)
{
    if (!range->clamps || number <= 0) {
        return number;
    }
    return number < range->least ? range->least : number > range->most ? range->most : number;
}

bool hook_number_is_allowed(const struct hook_range *range, int64_t number)
{
    return (number >= range->least && number <= range->most) || (range->also != 0 && number == range->also);
}

static bool has_control(struct bytes text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < 0x20 || text.data[i] == 0x7f) {
            return true;
        }
    }
    return false;
}

/* Whether a part between slashes is "..". */
static bool climbs(struct bytes path)
{
    size_t start = 0;
    for (size_t i = 0; i <= path.len; i++) {
        if (i == path.len || path.data[i] == '/') {
            if (i - start == 2 && path.data[start] == '.' && path.data[start + 1] == '.') {
                return true;
            }
            start = i + 1;
        }
    }
    return false;
}

const char *hook_judge_parent(struct bytes parent)
{
    if (!hook_text_can_be_sent(parent) || has_control(parent)) {
        return "it is not text";
    }
    if (parent.len == 0 || parent.data[0] != '/') {
        return "it is not an absolute path";
    }
    if (climbs(parent)) {
        return "it has \"..\"";
    }
    return parent.len < PATH_MAX ? NULL : "it is too long";
}

/* Reads a number at *at; false if there is none of that length. */
static bool read_processor(struct bytes text, size_t *at, unsigned *number)
{
    size_t start = *at;
    *number = 0;
    while (*at < text.len && text.data[*at] >= '0' && text.data[*at] <= '9' && *at - start <= CPUSET_DIGITS) {
        *number = *number * 10 + (unsigned)(text.data[(*at)++] - '0');
    }
    return *at > start && *at - start <= CPUSET_DIGITS;
}

/* Reads N or N-M. */
static bool read_processors(struct bytes text, size_t *at)
{
    unsigned first, last;
    if (!read_processor(text, at, &first)) {
        return false;
    }
    if (*at == text.len || text.data[*at] != '-') {
        return true;
    }
    ++*at;
    return read_processor(text, at, &last) && first <= last;
}

const char *hook_judge_cpuset(struct bytes cpuset)
{
    static const char *const reason = "it is not a list of numbers and ranges, such as 0-3,7";
    if (cpuset.len > CPUSET_LENGTH) {
        return "it is too long";
    }
    size_t at = 0;
    while (read_processors(cpuset, &at)) {
        if (at == cpuset.len) {
            return NULL;
        }
        if (cpuset.data[at++] != ',') {
            break;
        }
    }
    return reason;
}

static bool is_file_name(struct bytes name)
{
    return !memchr(name.data, '/', name.len) && !bytes_equal(name, bytes_of_string(".")) &&
           !bytes_equal(name, bytes_of_string(".."));
}

const char *hook_judge_key(const struct hook_field *field, struct bytes key)
{
    if (key.len == 0) {
        return "the name is empty";
    }
    if (!hook_text_can_be_sent(key)) {
        return "the name is not text";
    }
    if (field->keep && bytes_start_with(key, bytes_of_string(field->keep))) {
        return "it belongs to the kubelet";
    }
    if (field->word == HOOK_FILES && !is_file_name(key)) {
        return "it is not the name of a file";
    }
    if (field->word == HOOK_ENVIRONMENT && memchr(key.data, '=', key.len)) {
        return "the name has \"=\"";
    }
    return NULL;
}

const char *hook_judge_value(struct bytes value)
{
    return hook_text_can_be_sent(value) ? NULL : "the value is not text";
}
