/* A terminal that a program draws on and leaves as it was. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

/* Why screen_wait returned. */
enum screen_event {
    SCREEN_TIME,   /* the time is over; keys that mean nothing do not shorten it */
    SCREEN_RESIZE, /* the terminal has another size: draw at once */
    SCREEN_QUIT,   /* q, Ctrl-C, the end of input, or a signal to end */
};

/* Zero-initialised before screen_begin. */
struct screen {
    bool on; /* standard input and output are a terminal, and it was set up */
    struct termios before;
};

/* Sets up the terminal on standard input and output: another page, no cursor, keys at once and without echo. Where there is none,
   only notes signals. Signals that end the process make screen_wait return SCREEN_QUIT from now on. Once a process. */
void screen_begin(struct screen *screen);

/* Restores the terminal. A second call does nothing. */
void screen_end(struct screen *screen);

/* The size of the terminal, now. 24 lines of 80 where it does not report one. */
void screen_size(int *rows, int *columns);

/* Draws text in place of what is there; or prints it, where there is no terminal. */
void screen_draw(const struct screen *screen, const char *text);

/* Waits for this many milliseconds, a key, or a signal. */
enum screen_event screen_wait(const struct screen *screen, int milliseconds);

/* Writes what draws a text over what is on a terminal of that size: a line that is too wide is cut, lines that are too many are
   left out. Characters of C0 and C1, DEL, and bytes that are not UTF-8 become "?", except ends of lines: nothing in the text
   controls the terminal. Each character counts as one column. */
void screen_write(const char *text, int rows, int columns, FILE *out);
