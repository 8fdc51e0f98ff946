/* What is known of the gateway's past: for which stages it surely called a plugin, and when it was one process that nobody
   disturbed. One thread's. Times are as event_now. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/faults/plugins.h"

struct history;

struct history *history_new(void);
void history_free(struct history *history);

/* The plugin's file names these stages from then on, and no others; 0: it was removed. To be called before that happens. */
void history_file(struct history *history, unsigned plugin, unsigned stages, int64_t at);

/* The gateway answered then that it calls the plugin for these stages, which are those of its file. */
void history_confirmed(struct history *history, unsigned plugin, unsigned stages, int64_t at);

/* A gateway started that could not read the plugin's file, which is bad since then. */
void history_not_read(struct history *history, unsigned plugin, int64_t since);

/* Whether the gateway surely called the plugin for that stage all the while. */
bool history_called(const struct history *history, unsigned plugin, enum stage stage, int64_t from, int64_t until);

/* From then until then, gateways may have started, ended or taken over. */
void history_gateway_disturbed(struct history *history, int64_t from, int64_t until);

/* Whether the same gateway served all the while. */
bool history_gateway_served(const struct history *history, int64_t from, int64_t until);

/* A gateway that took over was killed then, before the one before it had ended. */
void history_successor_killed(struct history *history, int64_t at);

/* Whether a gateway may have answered a call within that time, and what it learned from it was only handed over to one that was
   killed. */
bool history_may_have_forgotten(const struct history *history, int64_t from, int64_t until);
