#include <stdint.h>
#include <stdlib.h>

#include "base/bytes/shown.h"
#include "base/bytes/url_secret.h"
#include "base/bytes/utf8.h"
#include "node/files/setting_secret.h"
#include "node/files/text_edit.h"

/* Lines around a change. */
#define AROUND ((size_t)3)
/* Of a line, in bytes. */
#define LONGEST ((size_t)4096)
/* If two differing parts have more pairs of lines than these, one is shown as replaced by the other. */
#define MOST_PAIRS ((size_t)1 << 20)

/* One of the two texts, in lines. */
struct side {
    struct bytes *lines; /* with their ends; malloc's */
    bool *differs;       /* whether the other text lacks the line; malloc's */
    size_t count;
};

static size_t line_length(struct bytes text)
{
    const uint8_t *end = text.len > 0 ? memchr(text.data, '\n', text.len) : NULL;
    return end ? (size_t)(end - text.data) + 1 : text.len;
}

static bool split(struct bytes text, struct side *side)
{
    size_t count = 0;
    for (struct bytes rest = text; rest.len > 0; rest = bytes_after(rest, line_length(rest))) {
        count++;
    }
    side->lines = calloc(count + 1, sizeof *side->lines);
    side->differs = calloc(count + 1, sizeof *side->differs);
    if (!side->lines || !side->differs) {
        return false;
    }
    for (struct bytes rest = text; rest.len > 0; rest = bytes_after(rest, side->lines[side->count - 1].len)) {
        side->lines[side->count++] = bytes_of(rest.data, line_length(rest));
    }
    return true;
}

static void free_side(struct side *side)
{
    free(side->lines);
    free(side->differs);
}

/* ---- which lines differ ---- */

/* Runs of lines of both texts that begin with different ones and end with different ones. */
struct part {
    size_t before, before_count;
    size_t after, after_count;
};

static struct part differing_part(const struct side *before, const struct side *after)
{
    size_t least = before->count < after->count ? before->count : after->count;
    size_t start = 0;
    size_t end = 0;
    while (start < least && bytes_equal(before->lines[start], after->lines[start])) {
        start++;
    }
    while (end < least - start && bytes_equal(before->lines[before->count - 1 - end], after->lines[after->count - 1 - end])) {
        end++;
    }
    return (struct part){start, before->count - start - end, start, after->count - start - end};
}

/* The lengths of the longest common subsequences of all ends of the two parts, row by row; malloc's. NULL: there would be too
   many, or no memory. */
static uint32_t *common_lengths(const struct side *before, const struct side *after, const struct part *part)
{
    size_t width = part->after_count + 1;
    if (part->before_count >= MOST_PAIRS / width) {
        return NULL;
    }
    uint32_t *lengths = calloc((part->before_count + 1) * width, sizeof *lengths);
    for (size_t i = part->before_count; lengths && i-- > 0;) {
        for (size_t j = part->after_count; j-- > 0;) {
            uint32_t *at = &lengths[i * width + j];
            if (bytes_equal(before->lines[part->before + i], after->lines[part->after + j])) {
                *at = at[width + 1] + 1;
            } else {
                *at = at[width] >= at[1] ? at[width] : at[1];
            }
        }
    }
    return lengths;
}

static void mark_differing(struct side *before, struct side *after)
{
    struct part part = differing_part(before, after);
    size_t width = part.after_count + 1;
    uint32_t *lengths = common_lengths(before, after, &part);
    size_t i = 0;
    size_t j = 0;
    while (i < part.before_count || j < part.after_count) {
        const uint32_t *at = lengths ? &lengths[i * width + j] : NULL;
        bool both = i < part.before_count && j < part.after_count;
        if (both && at && bytes_equal(before->lines[part.before + i], after->lines[part.after + j])) {
            i++;
            j++;
        } else if (i < part.before_count && (!both || !at || at[width] >= at[1])) {
            before->differs[part.before + i++] = true;
        } else {
            after->differs[part.after + j++] = true;
        }
    }
    free(lengths);
}

/* ---- printing ---- */

/* Prints the first character, and returns its size. */
static size_t print_character(struct bytes rest, FILE *out)
{
    size_t size = utf8_character_size(rest);
    if (shown_character(rest, size) || rest.data[0] == '\t') {
        fwrite(rest.data, 1, size, out);
    } else {
        fputc('?', out);
    }
    return size > 0 ? size : 1;
}

/* What must not be shown of a line. */
struct hidden {
    struct bytes line;
    struct url_secret urls;
    bool in_url, in_setting; /* there is one more */
    size_t url_begin, url_end;
    size_t setting_begin, setting_end;
};

/* Whether the byte is hidden; asked for rising places. `end` gets the end of what is hidden there. */
static bool is_hidden(struct hidden *hidden, size_t at, size_t *end)
{
    while (hidden->in_url && hidden->url_end <= at) {
        hidden->in_url = url_secret_next(&hidden->urls, &hidden->url_begin, &hidden->url_end);
    }
    if (hidden->in_setting && hidden->setting_end <= at) {
        hidden->in_setting = setting_secret_find(hidden->line, at, &hidden->setting_begin, &hidden->setting_end);
    }
    bool url = hidden->in_url && at >= hidden->url_begin;
    bool setting = hidden->in_setting && at >= hidden->setting_begin;
    *end = url ? hidden->url_end : 0;
    *end = setting && hidden->setting_end > *end ? hidden->setting_end : *end;
    return url || setting;
}

/* A proxy among the kubelet's settings may have a password in its URL, and its environment may hold tokens. */
static void print_line(char mark, struct bytes line, FILE *out)
{
    bool ended = line.len > 0 && line.data[line.len - 1] == '\n';
    line.len -= ended;
    struct hidden hidden = {.line = line, .urls = {.text = line}, .in_url = true, .in_setting = true};
    size_t end;
    fputc(mark, out);
    for (size_t at = 0; at < line.len && at < LONGEST;) {
        if (is_hidden(&hidden, at, &end)) {
            fputs("(hidden)", out);
            while (is_hidden(&hidden, at, &end)) {
                at = end;
            }
        } else {
            at += print_character(bytes_after(line, at), out);
        }
    }
    fputs(line.len > LONGEST ? "[...]\n" : "\n", out);
    if (!ended) {
        fputs("\\ No newline at end of file\n", out);
    }
}

/* Where both texts are read. */
struct place {
    size_t before, after;
};

static bool is_change(const struct side *before, const struct side *after, struct place at)
{
    return (at.before < before->count && before->differs[at.before]) || (at.after < after->count && after->differs[at.after]);
}

static bool is_end(const struct side *before, const struct side *after, struct place at)
{
    return at.before == before->count && at.after == after->count;
}

/* Passes over one line: a removed one, an added one, or one of both texts. Prints it if `out` is not NULL. */
static struct place pass(const struct side *before, const struct side *after, struct place at, FILE *out)
{
    bool removed = at.before < before->count && before->differs[at.before];
    bool added = !removed && at.after < after->count && after->differs[at.after];
    if (out) {
        print_line(removed ? '-' : added ? '+' : ' ', added ? after->lines[at.after] : before->lines[at.before], out);
    }
    return (struct place){at.before + !added, at.after + !removed};
}

/* The end of the hunk that begins with the change at `at`: behind its last change and the lines after it. Changes with few lines
   between them share a hunk. */
static struct place hunk_end(const struct side *before, const struct side *after, struct place at)
{
    struct place end = at;
    for (size_t same = 0; !is_end(before, after, at) && same <= 2 * AROUND;) {
        bool change = is_change(before, after, at);
        same = change ? 0 : same + 1;
        at = pass(before, after, at, NULL);
        if (same <= AROUND) {
            end = at;
        }
    }
    return end;
}

/* "12,3": lines of one text; one line is named without its number, and of none the line before. */
static void print_range(char mark, size_t start, size_t count, FILE *out)
{
    fprintf(out, " %c%zu", mark, count > 0 ? start + 1 : start);
    if (count != 1) {
        fprintf(out, ",%zu", count);
    }
}

static void print_hunk(const struct side *before, const struct side *after, struct place at, struct place end, FILE *out)
{
    fputs("@@", out);
    print_range('-', at.before, end.before - at.before, out);
    print_range('+', at.after, end.after - at.after, out);
    fputs(" @@\n", out);
    while (at.before < end.before || at.after < end.after) {
        at = pass(before, after, at, out);
    }
}

static void print_hunks(const struct side *before, const struct side *after, FILE *out)
{
    size_t same = 0;
    for (struct place at = {0}; !is_end(before, after, at);) {
        if (!is_change(before, after, at)) {
            at = pass(before, after, at, NULL);
            same++;
            continue;
        }
        size_t lead = same < AROUND ? same : AROUND;
        struct place end = hunk_end(before, after, at);
        print_hunk(before, after, (struct place){at.before - lead, at.after - lead}, end, out);
        at = end;
        same = 0;
    }
}

static void print_heading(const char *mark, const char *name, bool present, FILE *out)
{
    fprintf(out, "%s %s\n", mark, present ? name : "/dev/null");
}

void text_diff_print(const char *name, struct bytes before, struct bytes after, FILE *out)
{
    struct side sides[2] = {0};
    bool same = before.data && after.data ? bytes_equal(before, after) : before.data == after.data;
    if (!same) {
        print_heading("---", name, before.data, out);
        print_heading("+++", name, after.data, out);
        if (split(before, &sides[0]) && split(after, &sides[1])) {
            mark_differing(&sides[0], &sides[1]);
            print_hunks(&sides[0], &sides[1], out);
        } else {
            fputs("(out of memory: the difference cannot be shown)\n", out);
        }
    }
    free_side(&sides[0]);
    free_side(&sides[1]);
}
