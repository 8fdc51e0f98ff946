/* What both sides of the control socket speak: a request is a line with a name and, after one space, an argument; the answer is a
   line with a JSON object. */
#pragma once

/* Names in the state folder: of the socket, and of the file that the process which owns the folder has locked, with its number in
   it (core/control/state_lock.h). */
#define CONTROL_SOCKET_NAME "control.sock"
#define CONTROL_LOCK_NAME "state.lock"

#define CONTROL_LINE_SIZE 1024 /* of a request, with its end */
#define CONTROL_DESCRIPTORS 4  /* that an answer can carry */

/* Members of a refusal: the message, and the gRPC code by name ("NOT_FOUND"). */
#define CONTROL_ERROR "error"
#define CONTROL_CODE "code"

/* Describes the gateway; see gateway/status.h. Adds the process's number and, when the newest map was refused, why, in lines. */
#define CONTROL_STATUS "status"
#define CONTROL_PID "pid"
#define CONTROL_REFUSED_MAP "refusedMap"
#define CONTROL_UNREACHABLE "unreachable"

/* "calls", or "calls RUNTIME": the calls in flight; see core/calls/describe.h. Adds the process's number. */
#define CONTROL_CALLS "calls"
#define CONTROL_NO_RUNTIME "noRuntime" /* there is none of that name */

/* Describes plugins; see gateway/hooks.h. */
#define CONTROL_HOOKS "hooks"

/* The metrics as text in Prometheus' format. */
#define CONTROL_METRICS "metrics"

/* Before "serving": the socket on which metrics are served comes with the answer, if there is one. A crigate without metrics does
   not know this request, and refuses it. */
#define CONTROL_METRICS_SOCKET "metrics-socket"

/* "socket PATH", likewise: a socket of the runtime map besides the first, and its lock, come with the answer; CONTROL_ACTIVATED
   is said of it, too. Refused if there is none at that path. */
#define CONTROL_SOCKET "socket"

/* "owner ID": which runtime holds it. */
#define CONTROL_OWNER "owner"

/* Reads the runtime map again: whether the new one is in force, and the lines of the report. */
#define CONTROL_RELOAD "reload"
#define CONTROL_RELOADED "reloaded"
#define CONTROL_MESSAGES "messages"
#define CONTROL_PROBLEMS "problems" /* of the files that name plugins */

/* "log CHANGE": another level of the log, see base/log/change.h; "log default": no change any more; "log": only describes. The
   answer has the level at the start, and the change in force if there is one. An answer to a takeover has that member, too. */
#define CONTROL_LOG "log"
#define CONTROL_LOG_DEFAULT "default"
#define CONTROL_LOG_CHANGE "change"

/* "takeover VERSION PATH": the listening socket, its lock and the lock of the state folder come with the answer. It says whether
   the service manager created the socket, and the service manager's watchdog interval in microseconds. */
#define CONTROL_TAKEOVER "takeover"
#define CONTROL_ACTIVATED "activated"
#define CONTROL_WATCHDOG "watchdog"
#define CONTROL_TAKEOVER_VERSION 1 /* another one is refused */

/* The process that asked for a takeover serves now: whether the answering one has given the socket up. */
#define CONTROL_SERVING "serving"
#define CONTROL_LEAVING "leaving"

/* After that the process which hands over ends its side of the connection when it makes nothing more on the runtimes. This
   answers that: all that it had to pass on until then is taken. Versions that do not know it have hung up by then. */
#define CONTROL_TAKEN "taken"
