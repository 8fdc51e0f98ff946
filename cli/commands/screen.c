#include "cli/commands/screen.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/bytes/shown.h"
#include "base/bytes/utf8.h"
#include "base/system/clock.h"
#include "base/system/file.h"

/* Sequences of ECMA-48 and xterm, which all terminals of today have. */
#define OTHER_PAGE "\033[?1049h"
#define FIRST_PAGE "\033[?1049l"
#define HIDE_CURSOR "\033[?25l"
#define SHOW_CURSOR "\033[?25h"
#define HOME "\033[H"
#define CLEAR_TO_END_OF_LINE "\033[K"
#define CLEAR_BELOW "\033[J"

#define CTRL_C 3
#define CTRL_D 4

static volatile sig_atomic_t ended, resized;
static sigset_t while_waiting; /* the mask in ppoll: only then signals arrive */

static void on_end(int signal)
{
    (void)signal;
    ended = 1;
}

static void on_resize(int signal)
{
    (void)signal;
    resized = 1;
}

/* Signals are blocked but in screen_wait, so that none comes between a look at the flags and the wait. */
static void note_signals(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction end = {.sa_handler = on_end}, resize = {.sa_handler = on_resize};
    sigset_t blocked;
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        sigaction(ends[i], &end, NULL);
        sigaddset(&blocked, ends[i]);
    }
    sigaction(SIGWINCH, &resize, NULL);
    sigaddset(&blocked, SIGWINCH);
    sigprocmask(SIG_BLOCK, &blocked, &while_waiting);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        sigdelset(&while_waiting, ends[i]);
    }
    sigdelset(&while_waiting, SIGWINCH);
}

/* A terminal that accepts no output is gone; the next wait notices that. */
static void write_all(const char *text, size_t size)
{
    if (!file_write(STDOUT_FILENO, text, size)) {
        ended = 1;
    }
}

void screen_begin(struct screen *screen)
{
    note_signals();
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &screen->before) != 0) {
        return;
    }
    struct termios now = screen->before;
    now.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
    now.c_cc[VMIN] = 0;
    now.c_cc[VTIME] = 0;
    screen->on = tcsetattr(STDIN_FILENO, TCSANOW, &now) == 0;
    if (screen->on) {
        write_all(OTHER_PAGE HIDE_CURSOR, strlen(OTHER_PAGE HIDE_CURSOR));
    }
}

void screen_end(struct screen *screen)
{
    if (screen->on) {
        write_all(SHOW_CURSOR FIRST_PAGE, strlen(SHOW_CURSOR FIRST_PAGE));
        tcsetattr(STDIN_FILENO, TCSANOW, &screen->before);
        screen->on = false;
    }
}

void screen_size(int *rows, int *columns)
{
    struct winsize size = {0};
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;
    *rows = known ? size.ws_row : 24;
    *columns = known ? size.ws_col : 80;
}

/* ---- drawing ---- */

/* One line, or as much of it as fits. Returns its bytes. */
static size_t write_line(const char *text, int columns, FILE *out)
{
    size_t length = strcspn(text, "\n"), at = 0;
    for (int column = 0; column < columns && at < length; column++) {
        struct bytes rest = bytes_of(text + at, length - at);
        size_t size = utf8_character_size(rest);
        if (shown_character(rest, size)) {
            fwrite(rest.data, 1, size, out);
        } else {
            putc('?', out);
        }
        at += size > 0 ? size : 1;
    }
    return length;
}

void screen_write(const char *text, int rows, int columns, FILE *out)
{
    fputs(HOME, out);
    for (int row = 0; row < rows && *text; row++) {
        if (row > 0) {
            fputs("\r\n", out);
        }
        text += write_line(text, columns, out);
        text += *text == '\n';
        fputs(CLEAR_TO_END_OF_LINE, out);
    }
    fputs(CLEAR_BELOW, out);
}

void screen_draw(const struct screen *screen, const char *text)
{
    char *frame = NULL;
    size_t size = 0;
    int rows, columns;
    FILE *out = screen->on ? open_memstream(&frame, &size) : NULL;
    if (out) {
        screen_size(&rows, &columns);
        screen_write(text, rows, columns, out);
        fclose(out);
        write_all(frame, size);
        free(frame);
    } else {
        write_all(text, strlen(text));
    }
}

/* ---- waiting ---- */

/* Other keys do nothing. */
static bool is_quit(void)
{
    char keys[64];
    ssize_t count = read(STDIN_FILENO, keys, sizeof keys);
    for (ssize_t i = 0; i < count; i++) {
        if (keys[i] == 'q' || keys[i] == 'Q' || keys[i] == CTRL_C || keys[i] == CTRL_D) {
            return true;
        }
    }
    return count <= 0; /* it was readable: the terminal is gone */
}

enum screen_event screen_wait(const struct screen *screen, int milliseconds)
{
    struct pollfd input = {.fd = screen->on ? STDIN_FILENO : -1, .events = POLLIN};
    int64_t due = clock_ms() + milliseconds;
    while (!ended) {
        int64_t left = due - clock_ms();
        if (resized || left <= 0) {
            enum screen_event event = resized ? SCREEN_RESIZE : SCREEN_TIME;
            resized = 0;
            return event;
        }
        struct timespec time = {.tv_sec = left / 1000, .tv_nsec = left % 1000 * NANOSECONDS_A_MILLISECOND};
        if (ppoll(&input, 1, &time, &while_waiting) > 0 && is_quit()) {
            break;
        }
    }
    return SCREEN_QUIT;
}
