/* `crigate status`, `crigate owner` and `crigate reload`: questions to the running process, by its control socket.
 *
 * What `status` asks for, in the answer of the control socket; "?" may be missing:
 *   version, pid, listen   of the process
 *   refused_map?           lines: why the newest runtime map is not in force
 *   runtimes[]             in the order of the map
 *     name, endpoint, state
 *     primary?             true for the one that speaks for the node
 *     dialect?, version?   once known
 *     since_seconds        of the state
 *     pods, calls          it is known to hold; in flight to it
 *     oldest_call_seconds? of the calls in flight
 *     lists_age_seconds?   of its last-known lists
 *     note?                what a person should know
 * And `owner`: id, runtime; kind?: "pod" or "container"; note?. Either may be { error } instead.
 */
#ifndef CRIGATE_CORE_STATUS_COMMAND_H
#define CRIGATE_CORE_STATUS_COMMAND_H

/* Run the subcommand; argv[0] is its name, what follows are its arguments. The exit status of the process, as --help tells. */
int status_command(int argc, char **argv);
int owner_command(int argc, char **argv);
int reload_command(int argc, char **argv);

#endif
