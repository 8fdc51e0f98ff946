/* The node's plugins for hooks, processes that a file makes known to the gateway: the first one's failures are ignored, those of
   the second fail the call. Both change something harmless at each stage. */
#pragma once

#include "tests/faults/node.h"

enum stage {
    STAGE_PRE_RUN_POD,
    STAGE_PRE_CREATE,
    STAGE_PRE_START,
    STAGE_POST_START,
    STAGE_PRE_UPDATE,
    STAGE_POST_STOP,
    STAGE_POST_STOP_POD,
    STAGE_COUNT,
};

#define ALL_STAGES ((1U << STAGE_COUNT) - 1)

/* The one whose failures fail the call. */
#define PLUGIN_THAT_FAILS 1U

/* "PreRunPodSandbox" */
extern const char *const stage_names[STAGE_COUNT];

/* "10-ignore": its file is that with ".json" in the folder of plugins. */
extern const char *const plugin_names[PLUGIN_COUNT];

/* What the plugins set: PLUGIN_LABEL with the plugin's name behind it, as a label of each pod and an annotation of each
   container; the second one also the cgroup parent of pods and the quota of updates. */
#define PLUGIN_LABEL "example.com/"
#define PLUGIN_CGROUP_PARENT "/changed"
#define PLUGIN_QUOTA 30000

/* "FOLDER/10-ignore-PLACE.SUFFIX" */
void plugin_path(const struct node *node, unsigned plugin, unsigned place, const char *suffix, char path[NODE_PATH_SIZE]);

/* Starts it in its place. */
void plugin_start(struct node *node, unsigned plugin);

/* Whether somebody listens in its place. */
bool plugin_listens(const struct node *node, unsigned plugin);

/* Writes its file, at once for its readers: its place, and these stages. */
void plugin_write_file(struct node *node, unsigned plugin, unsigned stages);

/* Puts that text in place of its file; NULL removes the file. */
void plugin_spoil_file(struct node *node, unsigned plugin, const char *text);

/* The stages for which the gateway in force calls it, from its control socket. false: it does not answer. */
bool plugin_stages_in_force(const struct node *node, unsigned stages[PLUGIN_COUNT]);
