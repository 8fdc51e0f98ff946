/* What HostConfig of Docker's API has of a container's resources. A request that updates a container has the same keys, except
   for the last two, which an update cannot change. Docker has no place for `unified` and huge pages. */
#pragma once

#include "model/api.pb-c.h"
#include "translate/docker/edits.h"

enum docker_setting {
    DOCKER_CPU_PERIOD,
    DOCKER_CPU_QUOTA,
    DOCKER_CPU_SHARES,
    DOCKER_MEMORY,
    DOCKER_MEMORY_SWAP,
    DOCKER_CPUSET_CPUS,
    DOCKER_CPUSET_MEMS,
    DOCKER_OOM_SCORE_ADJ,
    DOCKER_CGROUP_PARENT,
    DOCKER_SETTING_COUNT,
};

/* How many of them an update has. */
#define DOCKER_UPDATE_SETTINGS DOCKER_OOM_SCORE_ADJ

/* An object that has settings. */
struct docker_settings {
    struct bytes object; /* its text, from bracket to bracket */
    enum docker_setting count;
    struct bytes values[DOCKER_SETTING_COUNT]; /* as texts; empty: it lacks the key */
};

/* Reads the first `count` of them into `resources`, which is initialised; the cgroup parent is not among these. Texts are in the
   arena. false: as docker_object_read, with the key. */
bool docker_settings_read(struct bytes object, enum docker_setting count, struct arena *arena, struct docker_settings *settings,
                          Model__LinuxContainerResources *resources, struct error *error);

/* Adds the edits by which what the object has becomes what differs between two versions. Either may be NULL: all is 0 and empty.
   false: INVALID_ARGUMENT, with the field, if the object has no place for it; RESOURCE_EXHAUSTED. */
bool docker_settings_write(const struct docker_settings *settings, const Model__LinuxContainerResources *before,
                           const Model__LinuxContainerResources *after, struct docker_edits *edits, struct error *error);

/* Sets one setting to a JSON text. false: out of memory. */
bool docker_settings_set(const struct docker_settings *settings, enum docker_setting setting, struct bytes text,
                         struct docker_edits *edits);
