/* Parts of an SVG picture, written to stdout. Lengths are pixels from the top left corner; a style is a class of the picture's
   style sheet. */
#pragma once

/* Titles come from our own plan: no character in them means anything in XML. The anchor is start, middle or end. */
__attribute__((format(printf, 4, 5))) void svg_text(double x, double y, const char *anchor, const char *format, ...);

void svg_line(double x1, double y1, double x2, double y2, const char *style);

/* Nothing if the width is not above zero, or a NaN. */
void svg_bar(double x, double y, double width, double height, const char *style);
