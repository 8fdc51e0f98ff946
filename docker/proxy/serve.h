/* The process of `crigate docker-proxy`. */
#pragma once

#include "docker/proxy/settings.h"

/* Serves until SIGTERM or SIGINT, which must be blocked in all threads. Returns the exit status. */
int docker_proxy_serve(const struct docker_proxy_settings *settings);
