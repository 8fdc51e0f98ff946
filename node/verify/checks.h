/* The checks of `crigate verify`. Each adds a line, or several, to the findings. */
#pragma once

#include "node/verify/findings.h"
#include "node/verify/look.h"

/* Whether a bypass is on. */
void check_bypass(const struct look *look, struct findings *findings);

/* crigate.service: active, enabled. */
void check_unit(const struct look *look, struct findings *findings);

/* crigate-docker.service, if it creates the socket of a runtime of the map: active, enabled. */
void check_docker_unit(const struct look *look, struct findings *findings);

/* The process that answers: it is the service's, and runs the program that is installed. */
void check_process(const struct look *look, struct findings *findings);

/* Whether it refuses new calls because of a limit, or cannot be reached for them. */
void check_refusals(const struct look *look, struct findings *findings);

/* The runtime map: without mistakes, and the one in force. */
void check_map(const struct look *look, struct findings *findings);

/* Each runtime: ready, its version and dialect. */
void check_runtimes(const struct look *look, struct findings *findings);

/* Plugins: that no calls are refused because of one. */
void check_plugins(const struct look *look, struct findings *findings);

/* Lists of the runtime, direct and through crigate. */
void check_lists_equal(const struct look *look, struct findings *findings);

/* The kubelet: it is running and healthy. */
void check_kubelet(const struct look *look, struct findings *findings);

/* Its endpoints, and where they come from. */
void check_endpoint(const struct look *look, struct findings *findings);

/* Its files: nothing in them bypasses crigate at the next restart or upgrade. */
void check_files(const struct look *look, struct findings *findings);

/* Its calls: they reach crigate. */
void check_calls(const struct look *look, struct findings *findings);

/* Whether the map is what the running process says of itself: its address, and its runtimes by name and endpoint. */
bool check_is_in_force(const struct runtime_map *map, struct json_object *status);
