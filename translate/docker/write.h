/* What plugins changed in facts, as edits of a request's body. For request.c. */
#pragma once

#include "translate/docker/settings.h"

/* A body, and where in it things are; JSON texts, empty for what is missing. */
struct docker_body {
    struct bytes text; /* from bracket to bracket */
    struct bytes labels;
    struct bytes environment;
    const struct docker_settings *settings;
    struct docker_edits *edits;
};

/* Each adds edits for what differs between two versions of facts, of which the first are those of the body: labels and
   annotations of a pod; annotations, environment and resources of a container; its resources only. false: INVALID_ARGUMENT for
   what Docker has no place for; INTERNAL for facts that are not of the body; RESOURCE_EXHAUSTED. */
bool docker_write_pod(const struct docker_body *body, struct bytes before, struct bytes after, struct error *error);
bool docker_write_container(const struct docker_body *body, struct bytes before, struct bytes after, struct error *error);
bool docker_write_resources(const struct docker_body *body, struct bytes before, struct bytes after, struct error *error);
