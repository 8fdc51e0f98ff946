/* The subcommand `docker-proxy`. */
#pragma once

#include "base/options/options.h"

extern const struct command_line docker_proxy_command_line;

int docker_proxy_command(int argc, char **argv);
