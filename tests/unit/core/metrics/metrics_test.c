/* Metrics: the table, the values, and both text formats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/metrics/process.h"
#include "core/metrics/rpc.h"
#include "core/metrics/text.h"
#include "tests/cmocka.h"

/* The caller frees it. */
static char *text_of(const struct metric_samples *samples, enum metric_format format)
{
    struct buffer text = {0};
    assert_true(metric_text_write(samples, format, &text));
    assert_true(buffer_append(&text, bytes_of("", 1), SIZE_MAX / 2));
    return (char *)text.data;
}

static void assert_text(struct metric_samples *samples, enum metric_format format, const char *expected)
{
    char *text = text_of(samples, format);
    assert_string_equal(text, expected);
    free(text);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) {
        count++;
    }
    return count;
}

TEST(the_table_follows_the_rules_of_prometheus)
{
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        const struct metric_row *row = &metric_rows[i];
        assert_non_null(row->name);
        size_t len = strlen(row->name);
        assert_true(strncmp(row->name, "crigate_", 8) == 0 || strncmp(row->name, "process_", 8) == 0);
        assert_int_equal(strspn(row->name, "abcdefghijklmnopqrstuvwxyz_"), len);
        assert_int_equal(strcmp(row->name + len - 6, "_total") == 0, row->type == METRIC_COUNTER);
        assert_null(strpbrk(row->help, "\\\n|"));
        for (size_t label = 0; label < metric_label_count((enum metric)i); label++) {
            assert_true(strcmp(row->labels[label], "le") != 0 && strncmp(row->labels[label], "__", 2) != 0);
        }
        for (unsigned other = 0; other < i; other++) {
            assert_string_not_equal(metric_rows[other].name, row->name);
        }
    }
}

TEST(a_value_in_both_formats)
{
    struct metric_samples *samples = metric_samples_new();
    metric_add(samples, METRIC_PODS, 3, (const char *[]){"main"});
    metric_add(samples, METRIC_PODS, 0.25, (const char *[]){"vm"});
    metric_add(samples, METRIC_EVENTS, 12, NULL);
    assert_text(samples, METRIC_FORMAT_TEXT,
                "# HELP crigate_pods Pods that the runtime is known to hold.\n"
                "# TYPE crigate_pods gauge\n"
                "crigate_pods{runtime=\"main\"} 3\n"
                "crigate_pods{runtime=\"vm\"} 0.25\n"
                "# HELP crigate_events_total Events of runtimes that were passed to callers.\n"
                "# TYPE crigate_events_total counter\n"
                "crigate_events_total 12\n");
    assert_text(samples, METRIC_FORMAT_OPENMETRICS,
                "# HELP crigate_pods Pods that the runtime is known to hold.\n"
                "# TYPE crigate_pods gauge\n"
                "crigate_pods{runtime=\"main\"} 3\n"
                "crigate_pods{runtime=\"vm\"} 0.25\n"
                "# HELP crigate_events Events of runtimes that were passed to callers.\n"
                "# TYPE crigate_events counter\n"
                "crigate_events_total 12\n"
                "# EOF\n");
    metric_samples_free(samples);
}

/* The text of the label `version`, as it is written. */
static void assert_label(const char *value, const char *expected)
{
    struct metric_samples *samples = metric_samples_new();
    char line[512];
    metric_add(samples, METRIC_BUILD_INFO, 1, (const char *[]){value});
    char *text = text_of(samples, METRIC_FORMAT_TEXT);
    snprintf(line, sizeof line, "\ncrigate_build_info{version=\"%s\"} 1\n", expected);
    assert_non_null(strstr(text, line));
    free(text);
    metric_samples_free(samples);
}

TEST(labels_are_escaped_and_made_valid)
{
    char letters[100];
    memset(letters, 'x', sizeof letters - 1);
    letters[sizeof letters - 1] = '\0';
    assert_label(NULL, "");
    assert_label("1.7.2", "1.7.2");
    assert_label("a\"b\\c\nd", "a\\\"b\\\\c\\nd");
    assert_label("\x1b[2Jx\x7f", "\xef\xbf\xbd[2Jx\xef\xbf\xbd");
    assert_label("\xc2\x9b", "\xef\xbf\xbd");
    assert_label("\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd");
    assert_label("\xc3\xa9", "\xc3\xa9");
    letters[METRIC_LABEL_LONGEST] = '\0';
    assert_label(letters, letters); /* just fits */
}

/* The value of the only label, as long as `samples` lives. */
static const char *kept(struct metric_samples *samples, const char *value)
{
    metric_add(samples, METRIC_PLUGIN_UP, 1, (const char *[]){value});
    return samples->last[METRIC_PLUGIN_UP]->labels[0];
}

/* Two series with the same labels would make the whole text unreadable. */
TEST(labels_that_are_cut_stay_different)
{
    char one[200], other[200];
    struct metric_samples *samples = metric_samples_new();
    memset(one, 'x', sizeof one);
    one[sizeof one - 1] = '\0';
    memcpy(other, one, sizeof one);
    other[150] = 'y';
    const char *first = kept(samples, one), *second = kept(samples, other);
    assert_int_equal(strlen(first), METRIC_LABEL_LONGEST);
    assert_int_equal(strlen(second), METRIC_LABEL_LONGEST);
    assert_memory_equal(first, one, METRIC_LABEL_LONGEST - 9);
    assert_int_equal(first[METRIC_LABEL_LONGEST - 9], '~');
    assert_string_not_equal(first, second);
    assert_string_equal(first, kept(samples, one));
    /* No character is cut in its middle. */
    memcpy(one + METRIC_LABEL_LONGEST - 10, "\xc3\xa9", 2);
    first = kept(samples, one);
    assert_int_equal(strlen(first), METRIC_LABEL_LONGEST - 1);
    assert_int_equal(first[METRIC_LABEL_LONGEST - 10], '~');
    metric_samples_free(samples);
}

TEST(buckets_are_cumulative)
{
    struct histogram histogram = {0};
    struct metric_samples *samples = metric_samples_new();
    histogram_add(&histogram, -5);
    histogram_add(&histogram, 250000);
    histogram_add(&histogram, 250001);
    histogram_add(&histogram, INT64_C(300000000001));
    metric_add_histogram(samples, METRIC_UPSTREAM_DURATION, &histogram, (const char *[]){"Version", "main"});
    histogram_add(&histogram, 1); /* the sample is a copy */
    char *text = text_of(samples, METRIC_FORMAT_TEXT);
    const char *const lines[] = {
        "crigate_upstream_duration_seconds_bucket{method=\"Version\",runtime=\"main\",le=\"0.00025\"} 2\n",
        "crigate_upstream_duration_seconds_bucket{method=\"Version\",runtime=\"main\",le=\"0.0005\"} 3\n",
        "crigate_upstream_duration_seconds_bucket{method=\"Version\",runtime=\"main\",le=\"300.0\"} 3\n",
        "crigate_upstream_duration_seconds_bucket{method=\"Version\",runtime=\"main\",le=\"+Inf\"} 4\n",
        "crigate_upstream_duration_seconds_sum{method=\"Version\",runtime=\"main\"} 300.000500002\n",
        "crigate_upstream_duration_seconds_count{method=\"Version\",runtime=\"main\"} 4\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_non_null(strstr(text, lines[i]));
    }
    for (unsigned i = 0; i < HISTOGRAM_BOUNDS; i++) {
        assert_true(strtod(histogram_bounds[i].text, NULL) * 1e9 == (double)histogram_bounds[i].nanoseconds);
    }
    free(text);
    metric_samples_free(samples);
}

TEST(calls_are_counted_by_row_and_code)
{
    struct rpc_counters counters = {0};
    struct metric_samples *samples = metric_samples_new();
    const struct method *version = method_by_name("Version");
    rpc_describe(&counters, "main", "v1", samples); /* nothing yet */
    rpc_count(&counters, version, DIALECT_MODEL, STATUS_OK, 1000);
    rpc_count(&counters, version, DIALECT_MODEL, STATUS_OK, 1000);
    rpc_count(&counters, version, DIALECT_MODEL, STATUS_UNAVAILABLE, 1000);
    for (unsigned code = 17; code < 2000; code++) {
        rpc_count(&counters, NULL, code, code, 1000); /* neither is one that there is */
    }
    rpc_count_upstream(&counters, version, 1000);
    rpc_describe(&counters, "main", "v1", samples);
    char *text = text_of(samples, METRIC_FORMAT_TEXT);
    assert_int_equal(count_of(text, "\ncrigate_rpc_requests_total{"), 3);
    assert_non_null(strstr(text, "{method=\"Version\",runtime=\"main\",caller_api=\"v1\",runtime_api=\"v1\",code=\"OK\"} 2\n"));
    assert_non_null(strstr(text, "runtime_api=\"v1\",code=\"UNAVAILABLE\"} 1\n"));
    assert_non_null(
        strstr(text, "{method=\"other\",runtime=\"main\",caller_api=\"\",runtime_api=\"v1\",code=\"UNKNOWN\"} 1983\n"));
    assert_int_equal(count_of(text, "\ncrigate_upstream_duration_seconds_count{"), 1);
    assert_int_equal(count_of(text, "\ncrigate_rpc_duration_seconds_count{"), 2);
    free(text);
    metric_samples_free(samples);
    rpc_counters_free(&counters);
    assert_null(counters.rows);
}

TEST(the_process_is_described)
{
    struct metric_samples *samples = metric_samples_new();
    metric_add_process(samples);
    for (unsigned i = METRIC_PROCESS_CPU; i <= METRIC_PROCESS_START; i++) {
        assert_non_null(samples->first[i]);
        assert_null(samples->first[i]->next);
        assert_true(samples->first[i]->value > 0);
    }
    struct metric_samples *again = metric_samples_new();
    metric_add_process(again);
    assert_true(again->first[METRIC_PROCESS_START]->value == samples->first[METRIC_PROCESS_START]->value);
    metric_samples_free(again);
    metric_samples_free(samples);
}

TEST(accept)
{
    static const struct {
        const char *header;
        bool openmetrics;
    } rows[] = {
        {"", false},
        {"*/*", false},
        {"text/plain", false},
        {"application/openmetrics-text", true},
        {" Application/OpenMetrics-Text ; version=1.0.0 ; charset=utf-8", true},
        {"application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1", true},
        {"application/openmetrics-text;version=1.0.0;q=0.2,text/plain;version=0.0.4;q=0.3", false},
        {"application/openmetrics-text; version=2.0.0, text/plain;q=0.1", false},
        {"application/openmetrics-text;q=0", false},
        {"application/openmetrics-text;q=0.0001", false},
        {"application/openmetrics-text;q=2", false},
        {"application/openmetrics-text;q=", false},
        {"application/openmetrics-text;q=1.000", true},
        {"application/openmetrics-text;q=1.1", false},
        {",,;;,application/openmetrics-textual,;q=1", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum metric_format format = metric_format_accepted(bytes_of_string(rows[i].header));
        assert_int_equal(format == METRIC_FORMAT_OPENMETRICS, rows[i].openmetrics);
    }
}

/* The page has the table between its two marks. */
TEST(the_page_has_the_table)
{
    char *table = NULL, *page = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&table, &size);
    metric_table_print(out);
    fclose(out);
    FILE *file = fopen(METRICS_PAGE, "re");
    assert_non_null(file);
    size_t room = 0;
    assert_true(getdelim(&page, &room, '\0', file) > 0);
    fclose(file);
    if (!strstr(page, table)) {
        print_error("docs/observability.md must have this table:\n%s", table);
    }
    assert_non_null(strstr(page, table));
    assert_int_equal(count_of(page, "\n| `crigate_") + count_of(page, "\n| `process_"), METRIC_COUNT);
    free(table);
    free(page);
}
