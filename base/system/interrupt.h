/* Signals that ask a command to end: it notes them, and ends at a place of its choice. */
#pragma once

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP are noted and end waits, and nothing else; SIGPIPE is ignored. */
void interrupts_catch(void);

/* The name of the first signal that came, such as "SIGINT"; NULL: none, or they are held. */
const char *interrupt_seen(void);

/* From now on none is seen: what runs must get to its end. */
void interrupts_hold(void);

/* Waits. false as soon as a signal is seen. */
bool interrupt_sleep(unsigned milliseconds);
