#include "cli/commands/frame.h"

#include "base/json/build.h"
#include "base/json/read.h"
#include "base/options/output.h"
#include "base/options/table.h"
#include "cli/commands/calls_table.h"
#include "cli/commands/rates.h"
#include "core/control/crigate_status.h"
#include "core/control/protocol.h"

static const struct table_column columns[] = {
    {"NAME", "name", table_text, false},       {"ROLE", "role", table_text, false},
    {"STATE", "state", table_text, false},     {"SINCE", "sinceMilliseconds", table_time, true},
    {"CALLS/S", "rate", table_text, true},     {"MEAN", "mean", table_microseconds, true},
    {"IN FLIGHT", "calls", table_count, true}, {"OLDEST", "oldestCallMilliseconds", table_duration, true},
    {"PODS", "pods", table_count, true},       {"LISTS", "lastKnownAgeMilliseconds", table_time, true},
    {"NOTE", "note", table_text, false},
};
static const struct table table = {columns, sizeof columns / sizeof columns[0]};

static long long number_of(struct json_object *object, const char *key)
{
    return (long long)json_object_get_int64(json_member(object, key));
}

/* "12.5"; "-" while it is not known. */
static const char *rate_text(const struct rate *rate, char *text)
{
    if (rate->calls_a_second < 0) {
        return "-";
    }
    snprintf(text, TABLE_CELL_SIZE, "%lld.%lld", (long long)rate->calls_a_second / 10, (long long)rate->calls_a_second % 10);
    return text;
}

static struct json_object *row_of(const struct frame *frame, struct json_object *runtime)
{
    char text[TABLE_CELL_SIZE];
    struct rate rate = rate_of_runtime(frame->before, frame->now, runtime, frame->milliseconds);
    struct json_object *row = json_object_new_object();
    if (json_object_is_type(runtime, json_type_object)) {
        json_object_object_foreach(runtime, key, value)
        {
            json_add(row, key, json_object_get(value));
        }
    }
    json_add(row, "rate", json_object_new_string(rate_text(&rate, text)));
    json_add(row, "mean", json_object_new_int64(rate.mean));
    return row;
}

static void print_runtimes(const struct frame *frame, FILE *out)
{
    struct json_object *runtimes = crigate_status_peers(frame->now), *rows = json_object_new_array();
    size_t count = json_count(runtimes);
    for (size_t i = 0; i < count; i++) {
        json_append(rows, row_of(frame, json_object_array_get_idx(runtimes, i)));
    }
    table_print(&table, rows, out);
    json_object_put(rows);
    json_object_put(runtimes);
}

static void print_heading(const struct frame *frame, FILE *out)
{
    char text[TABLE_CELL_SIZE];
    struct rate rate = rate_of_all(frame->before, frame->now, frame->milliseconds);
    fputs("crigate ", out);
    command_print_text(command_text_member(frame->now, "version"), out);
    fprintf(out, ", pid %lld   calls a second: %s   in flight: %lld\n\n", number_of(frame->now, CONTROL_PID),
            rate_text(&rate, text), number_of(frame->now, "calls"));
}

void frame_print(const struct frame *frame, FILE *out)
{
    print_heading(frame, out);
    print_runtimes(frame, out);
    putc('\n', out);
    calls_table_print(frame->calls, frame->most_calls, out);
}
