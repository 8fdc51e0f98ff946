#include "node/install/progress.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/options/output.h"

/* A process runs one command. */
static const char *command_name = "";

/* A line was begun that has no end yet. */
static bool begun;

void progress_of(const char *command)
{
    command_name = command;
}

static void print(const char *format, va_list arguments, FILE *out)
{
    char text[ERROR_MESSAGE_SIZE + 256];
    vsnprintf(text, sizeof text, format, arguments);
    command_print_text(text, out);
}

/* So that each line is separate, even if both outputs are the same. */
static void end_line(const char *how)
{
    if (begun) {
        puts(how);
    }
    begun = false;
    fflush(stdout);
}

void progress_begin(const char *format, ...)
{
    va_list arguments;
    end_line("");
    va_start(arguments, format);
    print(format, arguments, stdout);
    va_end(arguments);
    fputs(" ... ", stdout);
    begun = true;
    fflush(stdout);
}

void progress_done(const char *how)
{
    end_line(how ? how : "ok");
}

bool progress_failed(void)
{
    end_line("failed");
    return false;
}

void progress_say(const char *format, ...)
{
    va_list arguments;
    end_line("");
    va_start(arguments, format);
    print(format, arguments, stdout);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
}

void progress_problem(const char *format, ...)
{
    va_list arguments;
    end_line("");
    fprintf(stderr, "crigate %s: ", command_name);
    va_start(arguments, format);
    print(format, arguments, stderr);
    va_end(arguments);
    putc('\n', stderr);
}
