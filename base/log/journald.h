/* Lines of the log as entries of systemd's journal, by its own protocol: with their priority and with fields. systemd.exec(5)
   describes JOURNAL_STREAM, the page "Native Journal Protocol" of systemd's documentation the datagrams. libsystemd would bring
   the same, but there is no archive of it that a static program could take. */
#pragma once

#include <stdbool.h>

#include "base/log/log.h"

#define JOURNALD_SOCKET "/run/systemd/journal/socket"

/* Whether `stream`, a value of JOURNAL_STREAM ("DEVICE:INODE"), is the file that `fd` is open for. NULL: no. */
bool journald_is_stream(const char *stream, int fd);

/* Sends lines to journald if it reads standard error: then $JOURNAL_STREAM says so. Else nothing changes. Each member of a line's
 * fields that is a text, a number or a truth value becomes CRIGATE_NAME=; that of a path of gRPC without its service
   (CRIGATE_METHOD=RunPodSandbox); a list of runtimes one CRIGATE_RUNTIME= each. A line that begins with "runtime NAME: " or
 "plugin NAME: " has CRIGATE_RUNTIME=NAME or
 * CRIGATE_PLUGIN=NAME. Others are only in the text. A line that journald
   does not take at once goes to standard error, which does not wait either: see log.h. Once, before threads are started. */
void journald_begin(void);

/* For tests: writes an entry to the socket at `path`, at most sizeof(sun_path) - 1 bytes. false: it was not taken. */
bool journald_send(const char *path, const struct log_entry *entry);
