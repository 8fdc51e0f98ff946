/* What `crigate docker-proxy` is started with. */
#pragma once

#define DOCKER_PROXY_LISTEN "/run/crigate-docker-proxy/docker.sock"
#define DOCKER_PROXY_DOCKER "/run/docker.sock"
#define DOCKER_PROXY_SKIP_LABEL "runtimeproxy.koordinator.sh/skip-hookserver"
#define DOCKER_PROXY_HOOKS "/etc/runtime/hookserver.d"

/* The texts belong to its creator, and live as long as the proxy. */
struct docker_proxy_settings {
    const char *listen;      /* the path of the socket for callers */
    const char *docker;      /* the path of Docker Engine's socket */
    const char *hooks;       /* the folder of the files that name plugins; NULL: no hooks */
    unsigned hooks_timeout;  /* milliseconds, for a plugin whose file gives no other */
    const char *skip_label;  /* pods whose label of that name has that value get no hooks */
    const char *skip_value;  /* likewise */
    unsigned shutdown_grace; /* milliseconds for requests under way when it is to end */
    int connections;         /* callers' at a time */
};

/* What options change. */
#define DOCKER_PROXY_SETTINGS                                                                                                    \
    (struct docker_proxy_settings)                                                                                               \
    {                                                                                                                            \
        .listen = DOCKER_PROXY_LISTEN, .docker = DOCKER_PROXY_DOCKER, .hooks = DOCKER_PROXY_HOOKS, .hooks_timeout = 2000,        \
        .skip_label = DOCKER_PROXY_SKIP_LABEL, .skip_value = "true", .shutdown_grace = 30000, .connections = 1024                \
    }
