/* A configuration to normalise, built up to a level, and what its normalisation did. */
#pragma once

#include "translate/model/model.h"
#include "translate/model/normalisations.h"

/* Which messages are present; each level has those before it. */
enum level {
    LEVEL_EMPTY,
    LEVEL_LINUX,
    LEVEL_SECURITY,
    LEVEL_NAMESPACES,
    LEVEL_COUNT,
};

struct fixture {
    struct model model;
    struct error error;
    struct report report;

    Model__PodSandboxConfig pod;
    Model__LinuxPodSandboxConfig pod_linux;
    Model__LinuxSandboxSecurityContext pod_security;
    Model__ContainerConfig container;
    Model__LinuxContainerConfig container_linux;
    Model__LinuxContainerSecurityContext container_security;
    Model__NamespaceOption namespaces;
};

/* The one of this program. */
extern struct fixture fixture;

/* Begin it anew. The path of the configuration is "config". */
void fixture_begin_pod(enum level level);
void fixture_begin_container(enum level level);

/* cmocka's teardown for a group of tests. */
int fixture_end(void **state);

/* Runs one normalisation and holds what all of them promise: `changed` tells the truth about the encoded configuration; a
   refusal is INVALID_ARGUMENT and starts with the configuration's path. */
bool fixture_run(normalisation *run);

/* Runs it, expecting a refusal of that field (below "config."). */
void fixture_expect_refusal(normalisation *run, const char *field);

/* Runs it, expecting that it is content and leaves everything as it was. */
void fixture_expect_untouched(normalisation *run);

/* Runs it with no memory left, expecting RESOURCE_EXHAUSTED. */
void fixture_expect_exhausted(normalisation *run);

/* How often the rule of that field was counted. */
uint32_t fixture_losses(const char *field);
