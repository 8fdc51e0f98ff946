#include "tests/bench/plot/svg.h"

#include <stdarg.h>
#include <stdio.h>

void svg_text(double x, double y, const char *anchor, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("<text x='%.1f' y='%.1f' text-anchor='%s'>", x, y, anchor);
    vprintf(format, arguments);
    puts("</text>");
    va_end(arguments);
}

void svg_line(double x1, double y1, double x2, double y2, const char *style)
{
    printf("<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' class='%s'/>\n", x1, y1, x2, y2, style);
}

void svg_bar(double x, double y, double width, double height, const char *style)
{
    if (width > 0) {
        printf("<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' class='%s'/>\n", x, y, width, height, style);
    }
}
