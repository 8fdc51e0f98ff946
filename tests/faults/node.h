/* The node that is put to the test: a folder that holds a gateway, three runtimes of different ages, an image service of its own
   and two plugins for hooks, each a process. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#define RUNTIME_COUNT 3
#define IMAGES RUNTIME_COUNT /* after the runtimes: the image service of IMAGES_OF, a process of its own */
#define IMAGES_OF 1
#define PEER_COUNT (RUNTIME_COUNT + 1)
#define PLUGIN_COUNT 2
#define NODE_PLUGIN_FOLDER "plugins"
#define NODE_PLUGIN_TIMEOUT 300U /* milliseconds for a hook */
#define NODE_SKIP_LABEL "example.com/no-hooks"
#define NODE_SKIP_VALUE "yes"
#define NODE_PATH_SIZE 96 /* a socket's address holds not much more */

struct node_runtime {
    const char *name;
    const char *id_prefix;       /* of its ids as callers see them, "" for plain ones */
    const char *roles;           /* its lines of the runtime map */
    const char *verbose_info;    /* what its verbose statuses contain; "plain": nothing that tells the cgroup parent of a pod */
    const char *const *dialects; /* it is replaced from one to the next, NULL at the end */
    unsigned dialect;            /* which of them it speaks now */
    pid_t pid;                   /* 0: not running */
    int *strangers;              /* connections that nobody accepts, which fill its socket */
    size_t stranger_count;
    pid_t crowd; /* callers whose requests fill its connection from the gateway; 0: none */
};

/* See plugins.h. */
struct node_plugin {
    unsigned stages;  /* in its file: bits, see enum stage; 0: there is no good file */
    unsigned place;   /* number of its socket, and of the journal beside it: a different one after each replacement */
    pid_t pid;        /* 0: not running */
    pid_t superseded; /* the process of the place before; 0: none */
};

struct node {
    char folder[NODE_PATH_SIZE - 32];
    char programs[256];            /* where crigate and crisim are */
    char endpoint[NODE_PATH_SIZE]; /* of the gateway */
    const char *metrics;           /* where the gateway serves them: "127.0.0.1:9464"; NULL: nowhere */
    unsigned budget;               /* milliseconds, of each runtime */
    struct node_runtime runtimes[PEER_COUNT];
    struct node_plugin plugins[PLUGIN_COUNT];
    unsigned gateway_starts; /* so far */
    pid_t gateway;           /* 0: not running */
    pid_t successor;         /* a gateway that is taking over; 0: none */
    pid_t stalled;           /* a caller that reads nothing; 0: none */
};

/* Makes the folder and the runtime map; nothing runs yet. `metrics` as in the struct, and lent for as long. false, said on
   stderr, when it cannot. */
bool node_make(struct node *node, const char *metrics, unsigned budget);

/* "FOLDER/NAME.SUFFIX" */
void node_path(const struct node *node, const char *name, const char *suffix, char path[NODE_PATH_SIZE]);

/* Starts a program of the build with its output at the end of FOLDER/LOG_NAME.log. Ends with the test. */
pid_t node_start_program(const struct node *node, const char *program, const char *log_name, const char *const *arguments);

void node_start_runtime(struct node *node, unsigned runtime);

/* Whether somebody listens on that socket. */
bool node_listens(const char *path);

/* Whether somebody listens on its socket. */
bool node_runtime_listens(const struct node *node, unsigned runtime);

/* Connects to a runtime that is stopped until its socket takes no more connections: nobody else can connect then, until the
   runtime goes on and the strangers have left. false when there are not enough descriptors for it. */
bool node_fill_runtime(struct node *node, unsigned runtime);
void node_drain_runtime(struct node *node, unsigned runtime);

/* Has a crowd of callers ask the gateway for more than the connection to a runtime takes while that is stopped. To be ended. */
void node_crowd_runtime(struct node *node, unsigned runtime);
void node_disperse_crowd(struct node *node, unsigned runtime);

/* Starts a caller that asks the gateway for more than its connection takes, and reads nothing; one that is there goes. */
void node_start_stalled_caller(struct node *node);

/* Starts a gateway, to serve or to take over. */
pid_t node_start_gateway(struct node *node, bool take_over);

/* Whether somebody listens on the gateway's socket. */
bool node_gateway_listens(const struct node *node);

/* Kills a process and waits for its end; 0: nothing to do. */
void node_kill(pid_t *pid);

/* Kills what is still running. */
void node_end(struct node *node);

/* What sanitizers reported in the programs' logs. */
void node_print_reports(const struct node *node, FILE *out);

/* Removes the folder and all in it. */
void node_remove(const struct node *node);
