#include "core/map/socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/unix_socket.h"
#include "core/map/shim.h"
#include "core/transport/upstream_connection.h"

#define ENGINE_PATH "/run/docker.sock"

const struct docker_candidate docker_candidates[DOCKER_CANDIDATES] = {
    {SOCKET_SCHEME "/run/cri-dockerd.sock", "cri-dockerd"},
    {SOCKET_SCHEME "/run/dockershim.sock", "dockershim"},
    {DOCKER_SHIM_ENDPOINT, DOCKER_SHIM_UNIT},
};

/* ---- addresses ---- */

/* /var/run is /run, also for a socket that is not there. */
static bool is_same(const char *endpoint, const char *path)
{
    static const char var_run[] = "/var/run/";
    const char *own = unix_socket_path(endpoint);
    own += strncmp(own, var_run, strlen(var_run)) == 0 ? strlen("/var") : 0;
    return strcmp(own, path) == 0;
}

bool docker_is_meant(const char *endpoint)
{
    return strcmp(endpoint, DOCKER_ENDPOINT) == 0;
}

const struct docker_candidate *docker_candidate_at(const char *endpoint)
{
    for (size_t i = 0; i < DOCKER_CANDIDATES; i++) {
        if (is_same(endpoint, unix_socket_path(docker_candidates[i].endpoint))) {
            return &docker_candidates[i];
        }
    }
    return NULL;
}

bool docker_is_engine(const char *endpoint)
{
    return is_same(endpoint, ENGINE_PATH);
}

/* ---- looking ---- */

int docker_connect_to(const struct docker_candidate *candidate)
{
    return upstream_connect(unix_socket_path(candidate->endpoint));
}

static bool is_absent(int error)
{
    return error == ENOENT || error == ENOTDIR;
}

int docker_connect(const struct docker_candidate **found)
{
    *found = NULL;
    int reason = ENOENT;
    for (size_t i = 0; i < DOCKER_CANDIDATES; i++) {
        int fd = docker_connect_to(&docker_candidates[i]);
        int error = fd < 0 ? errno : 0;
        bool alive = fd >= 0 || (error != ECONNREFUSED && !is_absent(error));
        if (alive || (!*found && !is_absent(error))) {
            *found = &docker_candidates[i];
            reason = error;
        }
        if (alive) {
            errno = error;
            return fd;
        }
    }
    errno = reason;
    return -1;
}

const char *docker_endpoint_now(const char *endpoint)
{
    const struct docker_candidate *found;
    if (!docker_is_meant(endpoint)) {
        return endpoint;
    }
    int fd = docker_connect(&found);
    if (fd >= 0) {
        close(fd);
    }
    return found ? found->endpoint : NULL;
}

const char *docker_endpoint_to_ask(const char *endpoint)
{
    const char *now = docker_endpoint_now(endpoint);
    return now ? now : docker_candidates[0].endpoint;
}

/* ---- in words ---- */

static void explain_none(char text[DOCKER_TEXT_SIZE])
{
    struct stat status;
    bool engine = stat(ENGINE_PATH, &status) == 0;
    snprintf(text, DOCKER_TEXT_SIZE, "no program that speaks CRI for Docker was found (%s, %s, %s); %s",
             unix_socket_path(docker_candidates[0].endpoint), unix_socket_path(docker_candidates[1].endpoint),
             unix_socket_path(docker_candidates[2].endpoint),
             engine ? "Docker Engine itself was found: install cri-dockerd and enable its service, or " DOCKER_SHIM_UNIT
                    : "nor was Docker Engine (" ENGINE_PATH ")");
}

void docker_explain(const struct docker_candidate *found, int error, char text[DOCKER_TEXT_SIZE])
{
    if (!found) {
        explain_none(text);
    } else if (is_absent(error)) {
        snprintf(text, DOCKER_TEXT_SIZE, "%s is gone; start %s", unix_socket_path(found->endpoint), found->program);
    } else if (error == ECONNREFUSED) {
        /* A kubelet that had Docker built in leaves such a file behind. */
        const struct docker_candidate *own = &docker_candidates[DOCKER_CANDIDATES - 1];
        snprintf(text, DOCKER_TEXT_SIZE, "no program is listening on %s; start %s%s%s", unix_socket_path(found->endpoint),
                 found->program, found == own ? "" : ", or ", found == own ? "" : own->program);
    } else {
        snprintf(text, DOCKER_TEXT_SIZE, "cannot connect to %s: %s", unix_socket_path(found->endpoint), strerror(error));
    }
}
