/* ReopenContainerLog of Docker, which writes and rotates the logs of containers itself. */
#include "generated/functions.h"
#include "translate/compose/compose.h"

/* cri-dockerd and dockershim refuse the call with this text, whatever the container is. A kubelet's log shows the refusal for
   each log that grows over its limit: it should contain what to do. The code and the text stay the runtime's own. */
bool compose_log_rotation(struct composing *composing, struct error *error)
{
    static const char refusal[] = "does not support reopening container log files";
    struct bytes failure = composing->failure;
    if (failure.len == 0 || !memmem(failure.data, failure.len, refusal, sizeof refusal - 1)) {
        return true;
    }
    return error_set(error, STATUS_UNKNOWN,
                     "runtime %s: %.*s: Docker itself rotates them: set max-size and max-file under log-opts in "
                     "/etc/docker/daemon.json, for containers that are created after that; the kubelet's containerLogMaxSize and "
                     "containerLogMaxFiles have no effect",
                     composing->runtime_name, BYTES_SHOWN(failure, 200));
}
