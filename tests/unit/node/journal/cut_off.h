/* Calls of the system that fail, or at which the process is killed, one after another: the linker puts them in place of libc's
   in a test's program (see CMakeLists.txt). Those count that change something on a disk. Besides, a
   process is aborted that gives a file its name before the disk has what it must have. */
#pragma once

enum cut_off {
    CUT_OFF_NEVER,
    CUT_OFF_KILL, /* SIGKILL instead of the call */
    CUT_OFF_FAIL, /* the call fails with EIO */
    CUT_OFF_FULL, /* from this call on the disk is full: what needs room fails with ENOSPC */
};

/* From now on, this happens at that call, from 1. */
void cut_off_at(enum cut_off what, unsigned call);

/* Nothing happens any more, but calls are counted on. */
void cut_off_end(void);

/* How many calls there were since cut_off_at. */
unsigned cut_off_calls(void);
