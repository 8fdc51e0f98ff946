#include "stream_address.h"

#include <stdio.h>
#include <string.h>

#include "base/log/log.h"
#include "core/machine/address.h"

/* The port at which runtimes of a dialect that answer bare paths serve them, as kubelets of their time and earlier gateways used
 * it; 0: there is none. */
static const unsigned ports[DIALECT_COUNT] = {[DIALECT_V1_9] = 11250};

static void log_that_none(struct stream_address *base, const char *runtime, const char *reason)
{
    base->url[0] = '\0';
    if (!base->none_logged) {
        base->none_logged = true;
        log_line(LOG_SERIOUS,
                 "runtime %s: answers Exec, Attach or PortForward with a bare path, which callers cannot reach%s%s; set its "
                 "stream_url in the runtime map to the address where it serves streams",
                 runtime, reason ? ", and " : "", reason ? reason : "");
    }
}

const char *stream_address_find(struct stream_address *base, const char *runtime, enum dialect dialect)
{
    struct node_address address;
    struct error error = {0};
    if (ports[dialect] == 0) {
        log_that_none(base, runtime, NULL);
        return NULL;
    }
    if (!node_address_find(&address, &error)) {
        log_that_none(base, runtime, error.message);
        return NULL;
    }
    char url[sizeof base->url];
    snprintf(url, sizeof url, "http://%s:%u", address.text, ports[dialect]);
    if (strcmp(url, base->url) != 0) {
        memcpy(base->url, url, sizeof url);
        base->none_logged = false;
        log_line(LOG_SERIOUS,
                 "runtime %s: answers Exec, Attach or PortForward with a bare path; callers are sent to %s, the address of this "
                 "node's default route; set stream_url in the runtime map to change that",
                 runtime, base->url);
    }
    return base->url;
}
