/* What plugins see of a pod or container (its facts), and what becomes of their answers.

   Facts are messages of the model's dialect that hold only the fields that hooks.yaml shows. All ids are the runtime's own.

   A plugin's answer has the same form, with what the plugin may say. It is compared with the facts that were sent, so that
   only differences count: an answer that repeats the facts changes nothing. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/error.h"
#include "translate/hooks/changes.h"
#include "translate/schema/hook_stage.h"
#include "translate/walk/table.h"

/* The facts of a pod, and of one of its containers. Borrowed. Empty: nothing is known, or there is none. */
struct hook_facts {
    struct bytes pod_id;       /* empty before the pod exists */
    struct bytes container_id; /* empty before the container exists */
    struct bytes handler;      /* the pod's RuntimeClass handler, in the runtime's name */
    struct bytes pod;          /* a PodSandboxConfig */
    struct bytes container;    /* a ContainerConfig; empty if the stage is about a pod */
};

/* The fields of a complete configuration that hooks.yaml shows. `kind` is MODEL_POD, MODEL_CONTAINER, or MODEL_RESOURCES: then
   `config` is a LinuxContainerResources, and the facts are a ContainerConfig with these as `linux.resources`. `facts` is in the
   arena or borrows from `config`. false: INVALID_ARGUMENT for malformed bytes, RESOURCE_EXHAUSTED at the arena's cap. */
bool hook_facts_of(enum model_kind kind, struct bytes config, struct arena *arena, struct bytes *facts, struct error *error);

/* What the facts of a container are after an update by these resources (a LinuxContainerResources): a number that is not 0, a
   text that is not empty and an entry of a map replace what was there, and huge pages, if there are any, all of them. false: as
   hook_facts_of, and INTERNAL if the facts are malformed. */
bool hook_facts_update(struct bytes container, struct bytes resources, struct arena *arena, struct bytes *updated,
                       struct error *error);

/* Takes out of an answer what the call at that point has no place for: RunPodSandbox has only a pod; CreateContainer of the pod
   only the cgroup parent; UpdateContainerResources only resources; the others have nothing that could change. In the arena;
   false: RESOURCE_EXHAUSTED, or INVALID_ARGUMENT for malformed bytes. */
bool hook_facts_limit(enum hook_point point, struct hook_facts *answer, struct arena *arena, struct error *error);

/* Merges a plugin's answer into the facts, as hooks.yaml specifies for each field. `original` are the facts before the first
   plugin. The merged facts are in the arena, or what they were. false: INVALID_ARGUMENT if the
   answer is malformed or a difference is not allowed, with the field; RESOURCE_EXHAUSTED at the arena's cap; INTERNAL if the
   facts are malformed. Nothing is merged then.
   - A message that the answer lacks, an empty map, a number that is 0 and an empty text mean no change; but an empty cpuset in
     resources that the answer has clears the one that was sent: plugins answer the whole state there.
   - A memory limit of -1, by which plugins mean "none", removes the limit: CRI has 0 for that, and CRI-O refuses -1.
   - Entries of labels, annotations and `unified` are added and changed, never removed. `io.kubernetes.*` labels cannot change.
   - Variables of the environment keep their order. Those that were sent and are missing in an answer that has some are removed;
     new ones are appended in the order of their names. Those that could not be sent stay: a name or value that is
     not UTF-8 without NUL, and of several with one name all but the last.
   - A cgroup parent must be an absolute path without "..", a number in the range of its field, a cpuset a list of ranges. */
bool hook_facts_merge(const struct hook_facts *original, struct hook_facts *facts, const struct hook_facts *answer,
                      struct arena *arena, struct hook_changes *changes, struct error *error);

/* Writes into a complete configuration of that kind what differs between two versions of its facts. All other bytes stay. `out`
   is `config` itself if nothing differs. For MODEL_POD and MODEL_CONTAINER, `before` and `after` are facts of the same kind; for
   MODEL_RESOURCES, `config` is a LinuxContainerResources and they are facts of a container. false: RESOURCE_EXHAUSTED at the
   arena's cap, INVALID_ARGUMENT if the configuration is malformed, INTERNAL if the facts are. */
bool hook_facts_apply(enum model_kind kind, struct bytes config, struct bytes before, struct bytes after, struct arena *arena,
                      struct bytes *out, struct error *error);

/* Splits the facts of a container into all but the environment, and the environment; joined one behind the other they are
   the facts again. */
bool hook_facts_split(struct bytes container, struct arena *arena, struct bytes *rest, struct bytes *environment);

/* The value of a label of the pod; empty, with NULL data, if it has none. */
struct bytes hook_facts_label(struct bytes pod, struct bytes key);

/* The pod's cgroup parent; empty if it has none. And the facts with a different one, in the arena; false: out of memory. */
struct bytes hook_facts_cgroup_parent(struct bytes pod);
bool hook_facts_set_cgroup_parent(struct bytes pod, struct bytes parent, struct arena *arena, struct bytes *changed);
