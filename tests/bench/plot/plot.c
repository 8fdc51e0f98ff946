/* Draws what the bench has measured: reads the JSON of a run, writes one SVG to stdout. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "tests/bench/plot/kubelet.h"
#include "tests/bench/plot/report.h"
#include "tests/bench/plot/svg.h"

#define MOST_ROWS 96
#define ROW_HEIGHT 16
#define PAGE_WIDTH 860
#define LABEL_WIDTH 430
#define BAR_WIDTH 360
#define MOST_RATIO 3.0
#define RATIO_SCALE (BAR_WIDTH / MOST_RATIO)
#define CHART_HEIGHT 200
#define CHART_WIDTH 340
#define MARGIN 50

/* One measurement at one caller: what its ways added, by what the pass-through added. */
struct row {
    const char *title, *rpc, *scenario;
    double containers;
    double crigate, haproxy, fanout;       /* ratios; NaN: not measured */
    double crigate_us, pass_us, fanout_us; /* added */
    double crigate_peak_mib, pass_peak_mib, fanout_peak_mib;
};

static double added(struct json_object *target)
{
    return target ? report_number(json_object_object_get(target, "added_us"), "median") : NAN;
}

static size_t read_rows(struct json_object *report, struct row *rows)
{
    struct json_object *measurements = json_object_object_get(report, "measurements");
    size_t count = 0;
    for (size_t i = 0; i < json_object_array_length(measurements) && count < MOST_ROWS; i++) {
        struct json_object *measurement = json_object_array_get_idx(measurements, i);
        struct json_object *crigate = report_way(measurement, "crigate"), *pass = report_way(measurement, "passthrough"),
                           *fanout = report_way(measurement, "fanout");
        if (report_number(measurement, "callers") != 1 || !crigate || !pass) {
            continue;
        }
        rows[count++] = (struct row){
            .title = report_text(measurement, "title"),
            .rpc = report_text(measurement, "rpc"),
            .scenario = report_text(measurement, "scenario"),
            .containers = report_number(measurement, "containers"),
            .crigate = report_number(crigate, "added_ratio_to_passthrough"),
            .haproxy = report_number(report_way(measurement, "haproxy"), "added_ratio_to_passthrough"),
            .fanout = report_number(fanout, "added_ratio_to_passthrough"),
            .crigate_us = added(crigate),
            .pass_us = added(pass),
            .fanout_us = added(fanout),
            .crigate_peak_mib = report_number(crigate, "peak_kib") / 1024,
            .pass_peak_mib = report_number(pass, "peak_kib") / 1024,
            .fanout_peak_mib = report_number(fanout, "peak_kib") / 1024,
        };
    }
    return count;
}

/* ---- drawing ---- */

static bool has_own_chart(const struct row *row)
{
    return strncmp(row->scenario, "growth_", strlen("growth_")) == 0 || kubelet_draws(row->scenario);
}

/* Nothing for what was not measured. */
static void put_dot(double ratio, double left, double y, const char *style)
{
    if (!isnan(ratio)) {
        printf("<circle cx='%.1f' cy='%.1f' r='3' class='%s'/>\n", left + RATIO_SCALE * fmax(0, fmin(ratio, MOST_RATIO)), y,
               style);
    }
}

/* A bar for each measurement; the line is the pass-through. Answers where it ends. */
static double draw_ratios(const struct row *rows, size_t count, double top)
{
    const double left = LABEL_WIDTH, scale = RATIO_SCALE;
    svg_text(30, top, "start",
             "added by crigate (bar), HAProxy and a bare fan-out (dots), by what the bare pass-through adds (line); 1 caller");
    double y = top + 10;
    for (size_t i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        if (has_own_chart(row) || isnan(row->crigate)) {
            continue;
        }
        svg_text(left - 6, y + ROW_HEIGHT - 5, "end", "%s: %s", row->title, row->rpc);
        svg_bar(left, y + 2, scale * fmin(row->crigate, MOST_RATIO), ROW_HEIGHT - 4, "crigate");
        put_dot(row->haproxy, left, y + ROW_HEIGHT / 2.0, "haproxy");
        put_dot(row->fanout, left, y + ROW_HEIGHT / 2.0, "fanout");
        svg_text(left + BAR_WIDTH + 8, y + ROW_HEIGHT - 5, "start", "%.2f", row->crigate);
        y += ROW_HEIGHT;
    }
    svg_line(left + scale, top + 8, left + scale, y, "one");
    svg_line(left, top + 8, left, y, "axis");
    return y;
}

/* Curves over the measurements of one kind of growth; both axes are logarithmic. */
struct curve {
    const char *title, *unit, *growth;
    double (*x)(const struct row *row);
    double (*crigate)(const struct row *row);
    double (*pass)(const struct row *row);
    double (*fanout)(const struct row *row); /* NaN where it was not measured */
};

static double containers_of(const struct row *row)
{
    return row->containers;
}

static double runtimes_of(const struct row *row)
{
    return row->containers / 500; /* as group_growth has it */
}

static double crigate_each(const struct row *row)
{
    return row->crigate_us * 1000 / row->containers;
}

static double pass_each(const struct row *row)
{
    return row->pass_us * 1000 / row->containers;
}

static double fanout_each(const struct row *row)
{
    return row->fanout_us * 1000 / row->containers;
}

static double crigate_peak(const struct row *row)
{
    return row->crigate_peak_mib;
}

static double pass_peak(const struct row *row)
{
    return row->pass_peak_mib;
}

static double fanout_peak(const struct row *row)
{
    return row->fanout_peak_mib;
}

static const struct curve curves[] = {
    {"added time of each container in a list", "ns", "growth_containers_", containers_of, crigate_each, pass_each, fanout_each},
    {"most memory of the process", "MiB", "growth_containers_", containers_of, crigate_peak, pass_peak, fanout_peak},
    {"added time of each container, 500 a runtime", "ns", "growth_runtimes_", runtimes_of, crigate_each, pass_each, fanout_each},
    {"most memory of the process, 500 a runtime", "MiB", "growth_runtimes_", runtimes_of, crigate_peak, pass_peak, fanout_peak},
};

/* The rows of that growth, of which the greatest x and y are answered, and the smallest y. */
static size_t choose(const struct curve *curve, const struct row *rows, size_t count, const struct row **chosen, double *most_x,
                     double *least_y, double *most_y)
{
    size_t chosen_count = 0;
    *most_x = 1;
    *least_y = INFINITY;
    *most_y = 1;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(rows[i].scenario, curve->growth, strlen(curve->growth)) == 0) {
            chosen[chosen_count++] = &rows[i];
            *most_x = fmax(*most_x, curve->x(&rows[i]));
            const double values[] = {curve->crigate(&rows[i]), curve->pass(&rows[i]), curve->fanout(&rows[i])};
            for (size_t j = 0; j < 3; j++) { /* fmin and fmax leave NaN out */
                *least_y = fmin(*least_y, values[j]);
                *most_y = fmax(*most_y, values[j]);
            }
        }
    }
    return chosen_count;
}

/* Where the values of a chart are. */
struct frame {
    double left, bottom, x_scale, y_scale, least_y;
};

static void draw_points(const struct frame *frame, double (*x_of)(const struct row *row), double (*y_of)(const struct row *row),
                        const struct row *const *chosen, size_t count, const char *style)
{
    bool of_crigate = strcmp(style, "crigate") == 0;
    double last_x = 0, last_y = 0;
    for (size_t i = 0; i < count && !isnan(y_of(chosen[i])); i++) {
        double value = y_of(chosen[i]);
        double x = frame->left + frame->x_scale * log2(x_of(chosen[i]));
        double y = frame->bottom - 20 - frame->y_scale * log2(value / frame->least_y);
        printf("<circle cx='%.1f' cy='%.1f' r='3' class='%s'/>\n", x, y, style);
        if (i > 0) {
            svg_line(last_x, last_y, x, y, style);
        }
        if (of_crigate) {
            svg_text(x, frame->bottom + 14, "middle", "%.0f", x_of(chosen[i]));
            svg_text(x, y - 8, "middle", "%.0f", value);
        }
        last_x = x;
        last_y = y;
    }
}

static void draw_curve(const struct curve *curve, const struct row *rows, size_t count, double left, double top)
{
    const struct row *chosen[MOST_ROWS];
    double most_x, least_y, most_y, bottom = top + CHART_HEIGHT;
    size_t chosen_count = choose(curve, rows, count, chosen, &most_x, &least_y, &most_y);
    if (chosen_count == 0) {
        return;
    }
    const struct frame frame = {
        .left = left + 20,
        .bottom = bottom,
        .x_scale = (CHART_WIDTH - 40) / fmax(1, log2(most_x)),
        .y_scale = (CHART_HEIGHT - 60) / fmax(1, log2(most_y / least_y)),
        .least_y = least_y,
    };
    svg_text(left, top, "start", "%s, %s; over %s", curve->title, curve->unit,
             strcmp(curve->growth, "growth_containers_") == 0 ? "containers" : "runtimes");
    svg_line(left, bottom, left + CHART_WIDTH, bottom, "axis");
    draw_points(&frame, curve->x, curve->pass, chosen, chosen_count, "pass");
    draw_points(&frame, curve->x, curve->fanout, chosen, chosen_count, "fanout");
    draw_points(&frame, curve->x, curve->crigate, chosen, chosen_count, "crigate");
}

static void draw(struct json_object *report)
{
    static struct row rows[MOST_ROWS];
    size_t count = read_rows(report, rows);
    size_t chart_rows = (sizeof curves / sizeof curves[0] + 1) / 2;
    double height = 60 + (double)count * ROW_HEIGHT + kubelet_height(report) + (double)chart_rows * (CHART_HEIGHT + MARGIN);
    printf("<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%.0f' viewBox='0 0 %d %.0f'>\n", PAGE_WIDTH, height,
           PAGE_WIDTH, height);
    puts("<style>text{font:11px sans-serif;fill:#222} rect.crigate,circle.crigate{fill:#2b6cb0} circle.haproxy{fill:#c05621}"
         " rect.other{fill:#999} rect.haproxy{fill:#c05621} rect.before{fill:#805ad5} rect.system{opacity:0.5}"
         " circle.pass{fill:#888} circle.fanout{fill:#2f855a} line{stroke-width:1.5} line.one,line.pass{stroke:#888}"
         " line.axis{stroke:#222} line.crigate{stroke:#2b6cb0} line.fanout{stroke:#2f855a}</style>");
    printf("<rect width='%d' height='%.0f' fill='#fff'/>\n", PAGE_WIDTH, height);
    svg_text(10, 18, "start", "%s", report_text(report, "machine"));
    double top = kubelet_draw(report, draw_ratios(rows, count, 40) + MARGIN) + MARGIN;
    svg_text(30, top - 20, "start", "lines: crigate blue (with its values), bare pass-through grey, bare fan-out green");
    for (size_t i = 0; i < sizeof curves / sizeof curves[0]; i++) {
        draw_curve(&curves[i], rows, count, 30 + (double)(i % 2) * (CHART_WIDTH + 70),
                   top + (double)(i / 2) * (CHART_HEIGHT + MARGIN));
    }
    puts("</svg>");
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s BENCH.json >PICTURE.svg\n", argv[0]);
        return 2;
    }
    struct json_object *report = json_object_from_file(argv[1]);
    if (!report) {
        fprintf(stderr, "bench-plot: %s\n", json_util_get_last_err());
        return 1;
    }
    draw(report);
    json_object_put(report);
    return 0;
}
