#include "tests/bench/plot/kubelet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/bench/plot/report.h"
#include "tests/bench/plot/svg.h"

#define ROW_HEIGHT 14
#define HEAD_HEIGHT 24 /* of the part, and of each measurement */
#define LABEL_WIDTH 120
#define PANEL_WIDTH 245
#define BAR_WIDTH 170 /* of the longest; its figure follows */

/* What a panel shows of a way: one bar, or two parts of one. */
struct panel {
    const char *title;
    double (*value)(struct json_object *way);
    double (*first)(struct json_object *way); /* the part that is drawn darker; NULL: all of it */
};

static double added(struct json_object *way)
{
    return report_number(json_object_object_get(way, "added_us"), "median");
}

static double user(struct json_object *way)
{
    return report_number(way, "user_us");
}

static double user_and_system(struct json_object *way)
{
    return user(way) + report_number(way, "system_us");
}

static double calls(struct json_object *way)
{
    return report_number(json_object_object_get(way, "calls_per_second"), "median");
}

static const struct panel panels[] = {
    {"added at the median, us", added, NULL},
    {"user (dark) and system time a call, us", user_and_system, user},
    {"calls a second", calls, NULL},
};

bool kubelet_draws(const char *scenario)
{
    return strcmp(scenario, "kubelet_100") == 0;
}

static size_t way_count(struct json_object *measurement)
{
    return json_object_array_length(json_object_object_get(measurement, "targets"));
}

static double measurement_height(struct json_object *measurement)
{
    return HEAD_HEIGHT + ROW_HEIGHT * (double)way_count(measurement);
}

/* The bars' colour. */
static const char *style_of(const char *way)
{
    static const char *const with_own[] = {"crigate", "before", "haproxy"};
    for (size_t i = 0; i < sizeof with_own / sizeof with_own[0]; i++) {
        if (strcmp(way, with_own[i]) == 0) {
            return with_own[i];
        }
    }
    return "other";
}

static void draw_panel(const struct panel *panel, struct json_object *measurement, double left, double top)
{
    struct json_object *ways = json_object_object_get(measurement, "targets");
    double most = 0;
    for (size_t i = 0; i < way_count(measurement); i++) {
        most = fmax(most, panel->value(json_object_array_get_idx(ways, i))); /* leaves NaN out */
    }
    for (size_t i = 0; i < way_count(measurement); i++) {
        struct json_object *way = json_object_array_get_idx(ways, i);
        double value = panel->value(way), first = panel->first ? panel->first(way) : value, y = top + ROW_HEIGHT * (double)i;
        if (isnan(value) || most <= 0) {
            continue;
        }
        const char *style = style_of(report_text(way, "name"));
        char system_style[32];
        snprintf(system_style, sizeof system_style, "%s system", style);
        svg_bar(left, y + 2, BAR_WIDTH * first / most, ROW_HEIGHT - 4, style);
        svg_bar(left + BAR_WIDTH * first / most, y + 2, BAR_WIDTH * (value - first) / most, ROW_HEIGHT - 4, system_style);
        svg_text(left + BAR_WIDTH * fmax(0, value) / most + 5, y + ROW_HEIGHT - 3, "start", "%.0f", value);
    }
    svg_line(left, top, left, top + ROW_HEIGHT * (double)way_count(measurement), "axis");
}

static void draw_measurement(struct json_object *measurement, double top)
{
    struct json_object *ways = json_object_object_get(measurement, "targets");
    double callers = report_number(measurement, "callers"), rows = top + HEAD_HEIGHT;
    svg_text(30, rows - 6, "start", "%s, %.0f caller%s", report_text(measurement, "rpc"), callers, callers > 1 ? "s" : "");
    for (size_t i = 0; i < way_count(measurement); i++) {
        svg_text(LABEL_WIDTH - 6, rows + ROW_HEIGHT * (double)(i + 1) - 3, "end", "%s",
                 report_text(json_object_array_get_idx(ways, i), "name"));
    }
    for (size_t i = 0; i < sizeof panels / sizeof panels[0]; i++) {
        draw_panel(&panels[i], measurement, LABEL_WIDTH + PANEL_WIDTH * (double)i, rows);
    }
}

double kubelet_height(struct json_object *report)
{
    struct json_object *measurements = json_object_object_get(report, "measurements");
    double height = 0;
    for (size_t i = 0; i < json_object_array_length(measurements); i++) {
        struct json_object *measurement = json_object_array_get_idx(measurements, i);
        if (kubelet_draws(report_text(measurement, "scenario"))) {
            height += measurement_height(measurement);
        }
    }
    return height > 0 ? height + HEAD_HEIGHT * 2 : 0;
}

double kubelet_draw(struct json_object *report, double top)
{
    struct json_object *measurements = json_object_object_get(report, "measurements");
    if (kubelet_height(report) <= 0) {
        return top;
    }
    svg_text(30, top, "start", "as kubelets call: caller and runtime on grpc-go, one connection; ways as in the table");
    for (size_t i = 0; i < sizeof panels / sizeof panels[0]; i++) {
        svg_text(LABEL_WIDTH + PANEL_WIDTH * (double)i, top + HEAD_HEIGHT, "start", "%s", panels[i].title);
    }
    double y = top + HEAD_HEIGHT;
    for (size_t i = 0; i < json_object_array_length(measurements); i++) {
        struct json_object *measurement = json_object_array_get_idx(measurements, i);
        if (kubelet_draws(report_text(measurement, "scenario"))) {
            draw_measurement(measurement, y);
            y += measurement_height(measurement);
        }
    }
    return y + HEAD_HEIGHT;
}
