/* `endpoint: docker` of the runtime map. Docker Engine speaks no CRI. So this endpoint means the socket of a program that speaks
   CRI for it: of the sockets where such programs listen, the first one that is there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* As in the map. */
#define DOCKER_ENDPOINT "docker"

struct docker_candidate {
    const char *endpoint; /* "unix:///run/cri-dockerd.sock" */
    const char *program;  /* what listens there: "cri-dockerd", "dockershim", or a unit of crigate's, "crigate-docker.service" */
};

#define DOCKER_CANDIDATES 3

/* The first one that is there counts. The sockets are those that cri-dockerd (from 0.2 on) and kubelets (1.9 to 1.23, for
   dockershim) make unless their options say otherwise, and that of deploy/crigate-docker.service. */
extern const struct docker_candidate docker_candidates[DOCKER_CANDIDATES];

bool docker_is_meant(const char *endpoint);

/* The candidate with that address, which may begin with /var/run for /run; NULL: none has it. */
const struct docker_candidate *docker_candidate_at(const char *endpoint);

/* Whether the address is that of Docker Engine's own socket, by which no CRI is spoken. */
bool docker_is_engine(const char *endpoint);

/* Connects to the first candidate at which a program listens. A file that no program is listening on does not hide those behind
   it; one that may not be used does, because whether a program listens cannot be known. Returns the connected socket, which does
   not block; or -1 with the reason in errno, as upstream_connect. `found` is the one that it leads or would lead to: if no
   program listens anywhere, the first whose file exists, or NULL with ENOENT. */
int docker_connect(const struct docker_candidate **found);

/* Connects to that one, likewise. */
int docker_connect_to(const struct docker_candidate *candidate);

#define DOCKER_TEXT_SIZE 384

/* Why there is no connection, and how to get one: for `found` and the errno of docker_connect. "no program is listening on
   /run/cri-dockerd.sock; start cri-dockerd, or crigate-docker.service". Looks whether Docker Engine's socket is there. */
void docker_explain(const struct docker_candidate *found, int error, char text[DOCKER_TEXT_SIZE]);

/* For programs that look once: the endpoint as it is, or, for `docker`, the address that it leads to now; NULL: none of the
   candidates is there. */
const char *docker_endpoint_now(const char *endpoint);

/* The same; where none of the candidates is there, the first one's address, at which no program listens then. Never NULL. */
const char *docker_endpoint_to_ask(const char *endpoint);
