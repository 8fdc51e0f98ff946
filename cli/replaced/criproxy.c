#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/log/log.h"
#include "base/options/output.h"
#include "cli/replaced/map_text.h"
#include "cli/replaced/program.h"
#include "core/machine/address.h"

#define NAME "criproxy"

#define MOST_PORT 65535

enum {
    CONNECT,
    LISTEN,
    STREAM_PORT,
    STREAM_URL,
};

/* The defaults are criproxy's. Its first versions put themselves into the kubelet's place, with the options after that. */
static const struct go_flag flags[] = {
    [CONNECT] = {"connect", GO_FLAG_TEXT, GO_FLAG_USED, "/var/run/dockershim.sock", NULL},
    [LISTEN] = {"listen", GO_FLAG_TEXT, GO_FLAG_USED, "/run/criproxy.sock", NULL},
    [STREAM_PORT] = {"streamPort", GO_FLAG_TEXT, GO_FLAG_USED, "11250", NULL},
    [STREAM_URL] = {"streamUrl", GO_FLAG_TEXT, GO_FLAG_USED, "", NULL},
    {"install", GO_FLAG_SWITCH, GO_FLAG_GONE, NULL,
     "`crigate preflight` looks at the node, and `crigate install` puts crigate between kubelet and runtime; by hand, "
     "set the kubelet's --container-runtime-endpoint to its socket"},
    {"grab", GO_FLAG_SWITCH, GO_FLAG_GONE, NULL,
     "`crigate preflight` reads the kubelet's command line, and `crigate install` changes it where it is set; by hand, set the "
     "kubelet's --container-runtime-endpoint to its socket"},
    {"apiserver", GO_FLAG_TEXT, GO_FLAG_GONE, NULL,
     "crigate does not use the API server; leave this option out, and configure the kubelet in its own files"},
    {"nodeinfo", GO_FLAG_TEXT, GO_FLAG_GONE, NULL,
     "crigate does not need the kubelet's command line; leave this option out, and name sockets in -connect"},
    {"kletcfg", GO_FLAG_TEXT, GO_FLAG_GONE, NULL,
     "crigate does not need the kubelet's configuration; leave this option out, and name sockets in -connect"},
    {"apiVersion", GO_FLAG_TEXT, GO_FLAG_GONE, NULL,
     "crigate detects which version of CRI each caller and runtime speaks; leave this option out"},
};

static const struct option_row rows[] = {
    {256, "connect", "SOCKET[,NAME:SOCKET]...",
     "the runtimes; the first, without a name, is the primary (default /var/run/dockershim.sock).\ndocker in place of a socket: "
     "whatever speaks CRI for Docker Engine on this node",
     COMPLETE_FILE, NULL, OPTION_OWN},
    {256, "listen", "SOCKET", "where kubelets connect (default /run/criproxy.sock)", COMPLETE_FILE, NULL, OPTION_OWN},
    {256, "streamPort", "PORT",
     "the port to which bare paths of Exec, Attach and PortForward lead, on this node's address (default 11250)",
     COMPLETE_NOTHING, NULL, OPTION_OWN},
    {256, "streamUrl", "URL", "the URL to which they lead; -streamPort has no effect then", COMPLETE_NOTHING, NULL, OPTION_OWN},
    REPLACED_COMMON_ROWS};

const struct command_line replaced_criproxy_line = {
    .command = NAME,
    .synopsis = "crigate criproxy [OPTION]...",
    .about = "Starts crigate in place of criproxy, with its ids (NAME__ID), its image names (NAME/IMAGE) and its annotation,\n"
             "kubernetes.io/target-runtime. A link to crigate with the name criproxy does the same.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .after = REPLACED_AFTER,
    .one_dash = true,
};

/* ---- where streams are ---- */

/* criproxy takes scheme, host and port of -streamUrl, and puts the path of an answer in place of the URL's own. */
static size_t without_path(const char *url)
{
    const char *scheme = strstr(url, "://");
    const char *host = scheme ? scheme + strlen("://") : url;
    return (size_t)(host - url) + strcspn(host, "/");
}

/* What all runtimes have, in memory of its own. NULL: no URL, because memory is short or this node has no address yet. */
static char *stream_url_of(const char *const *values)
{
    const char *given = values[STREAM_URL];
    struct node_address address;
    struct error error = {0};
    if (given[0] != '\0') {
        return strndup(given, without_path(given));
    }
    if (!node_address_find(&address, &error)) {
        log_line(
            LOG_SERIOUS,
            "no address for -streamPort: %s; set -streamUrl if runtimes answer Exec, Attach and PortForward with a bare path",
            error.message);
        return NULL;
    }
    char *url = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&url, &size);
    if (text) {
        fprintf(text, "http://%s:%s", address.text, values[STREAM_PORT]);
        fclose(text);
    }
    return url;
}

static bool is_port(const char *text)
{
    size_t len = strspn(text, "0123456789");
    long port = len > 0 && len <= 5 ? strtol(text, NULL, 10) : 0;
    return text[len] == '\0' && port >= 1 && port <= MOST_PORT;
}

/* ---- runtimes ---- */

/* An entry of -connect. `docker` in place of a socket stood for a dockershim within criproxy; it is an endpoint of the map. */
struct entry {
    const char *name; /* "" for the primary */
    const char *socket;
};

/* Cuts the first entry off, up to a comma. */
static struct entry next_entry(char **rest)
{
    char *text = strsep(rest, ",");
    char *colon = strchr(text, ':');
    if (!colon) {
        return (struct entry){.name = "", .socket = text};
    }
    *colon = '\0';
    return (struct entry){.name = text, .socket = colon + 1};
}

static int check_entry(const struct entry *entry, bool first)
{
    bool has_name = entry->name[0] != '\0';
    if (strcmp(entry->name, "unix") == 0 && strncmp(entry->socket, "//", 2) == 0) {
        return command_usage_error(NAME, "-connect: unix:%s: write the path of a socket without unix://", entry->socket);
    }
    if (entry->socket[0] == '\0') {
        return command_usage_error(NAME, "-connect: a socket is missing");
    }
    if (first && has_name) {
        return command_usage_error(NAME, "-connect: %s: the first socket is the primary's and has no name", entry->name);
    }
    if (!first && !has_name) {
        return command_usage_error(NAME, "-connect: %s: every socket after the first needs a name, as in NAME:SOCKET",
                                   entry->socket);
    }
    return -1;
}

/* criproxy's primary has no name. The one that it gets is in logs only, but must not be another's. */
static void write_primary_name(FILE *out, const char *connect)
{
    const char *taken = connect;
    unsigned number = 0;
    char name[32] = "primary";
    while ((taken = strchr(taken, ',')) != NULL) {
        taken++;
        size_t len = strlen(name);
        if (strncmp(taken, name, len) == 0 && taken[len] == ':') {
            snprintf(name, sizeof name, "primary-%u", ++number);
            taken = connect;
        }
    }
    map_text_pair(out, "  - name", name);
}

/* Takes `connect` apart. */
static int write_runtimes(FILE *out, const char *const *values, char *connect, const char *stream_url)
{
    int status = -1;
    fputs("runtimes:\n", out);
    for (bool first = true; connect && status < 0; first = false) {
        struct entry entry = next_entry(&connect);
        status = check_entry(&entry, first);
        if (first) {
            write_primary_name(out, values[CONNECT]);
            fputs("    primary: true\n", out);
        } else {
            map_text_pair(out, "  - name", entry.name);
        }
        map_text_pair(out, "    endpoint", entry.socket);
        if (stream_url) {
            map_text_pair(out, "    stream_url", stream_url);
        }
    }
    return status;
}

static int write_map(const char *const *values, FILE *out)
{
    if (!is_port(values[STREAM_PORT])) {
        return command_usage_error(NAME, "-streamPort must be a number from 1 to %d: %s", MOST_PORT, values[STREAM_PORT]);
    }
    char *connect = strdup(values[CONNECT]);
    char *stream_url = stream_url_of(values);
    map_text_listen(out, values[LISTEN]);
    int status = connect ? write_runtimes(out, values, connect, stream_url) : EX_OSERR;
    free(connect);
    free(stream_url);
    return status;
}

const struct replaced_program replaced_criproxy = {
    .name = NAME,
    .source = "options of " NAME,
    .line = &replaced_criproxy_line,
    .flags = flags,
    .flag_count = sizeof flags / sizeof flags[0],
    .write_map = write_map,
};
_Static_assert(sizeof flags / sizeof flags[0] <= REPLACED_MOST_FLAGS, "a value for each flag");
