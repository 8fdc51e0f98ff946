/* A caller's connection and the one to Docker that belongs to it alone: nothing of one caller reaches another. Requests are
   served one after another; of a message, nothing is passed on before its head was checked. */
#pragma once

#include <sys/queue.h>

#include "base/http/body.h"
#include "docker/hooks/hooked.h"
#include "docker/proxy/flow.h"
#include "docker/proxy/settings.h"

struct relay;

/* What all connections share. On the thread that runs the events. */
struct proxy {
    const struct docker_proxy_settings *settings;
    struct event_base *base;
    struct hook_thread *hooks; /* NULL: no hooks */
    size_t held;               /* bytes of bodies that are held for hooks */
    struct relay *relays;      /* all of them, the newest first */
    size_t connection_count;
    TAILQ_HEAD(, relay) idle;   /* those with nothing under way, the one that was idle for longest first */
    bool draining;              /* no further requests are served */
    void (*freed)(void *state); /* a connection has ended */
    void *state;
};

enum request_state {
    REQUEST_NONE,      /* before a request, or within its head */
    REQUEST_CONNECT,   /* its head is good, and Docker's socket takes no connection yet */
    REQUEST_HOOK_BODY, /* hooks are called for it, once its body is there */
    REQUEST_HOOKS,     /* plugins have it */
    REQUEST_FRAMED,    /* what they made of it is to be sent */
    REQUEST_BODY,      /* its head was passed on */
    REQUEST_SENT,      /* all of it */
};

enum answer_state {
    ANSWER_NONE,  /* Docker was asked nothing */
    ANSWER_HEAD,  /* before the answer, or within its head */
    ANSWER_BODY,  /* its head was passed on */
    ANSWER_WHOLE, /* all of it */
};

/* How the connection will end, once all that was passed on has been sent. */
enum ending {
    ENDING_NOT,
    ENDING_CUT,    /* at once, because the rest of an answer is lost */
    ENDING_FINISH, /* after the caller, who gets no more, has had the time to read and close */
    ENDING_LINGER, /* the caller was shown that nothing comes any more */
};

enum timer_purpose {
    TIMER_NONE,
    TIMER_HEAD,    /* a head must be whole, the first one from the connection's beginning on */
    TIMER_BODY,    /* a body that plugins must see must be whole */
    TIMER_CONNECT, /* Docker's socket is tried again */
    TIMER_LINGER,  /* the caller has had time enough */
};

struct relay {
    struct proxy *proxy;
    struct relay *next;
    struct relay *previous;
    struct flow_end caller;
    struct flow_end docker;
    struct flow up;                    /* from the caller to Docker */
    struct flow down;                  /* from Docker to the caller */
    event_callback_fn docker_happened; /* what runs when something is to be done with its end to Docker */
    struct event timer;
    enum timer_purpose timer_purpose;
    int64_t idle_since; /* clock_ns(), while it is one of the proxy's idle ones; 0: something is under way */
    TAILQ_ENTRY(relay) idle;
    bool tunnel; /* no messages any more: bytes in both directions until both have ended */
    bool over;   /* is freed before connection's turn returns */
    enum ending ending;

    /* The request that is served, or comes next. */
    enum request_state request_state;
    struct http_head_scan request_scan;
    struct http_head request; /* its texts are not valid any more once the state is REQUEST_BODY */
    struct http_body request_body;
    bool to_head;    /* its method is HEAD */
    bool may_tunnel; /* Docker may answer it with 200 and bytes in both directions */

    /* The hooks for it; see hook_run.h. */
    struct hooked *hooked; /* NULL: none are called */
    struct buffer head;    /* as received */
    struct buffer framed;  /* of REQUEST_FRAMED: what is sent first, or all of it */
    size_t held;           /* this connection's share of the proxy's */
    bool unseen;           /* its body is too long for plugins */

    /* The answer to it. */
    enum answer_state answer_state;
    struct http_head_scan answer_scan;
    struct http_body answer_body;
    bool last;        /* no other message follows it */
    unsigned interim; /* answers 1xx before it */
    unsigned answer_status;
    struct buffer answer_content; /* the begin of it, for hooks */
};

#define RELAY_HEAD_PATIENCE 60000 /* milliseconds, for a head */

/* Runs connection's turn after this many milliseconds, unless relay_disarm comes first. Another purpose takes the place of the
   one before. */
void relay_arm(struct relay *relay, enum timer_purpose purpose, unsigned milliseconds);
void relay_disarm(struct relay *relay, enum timer_purpose purpose);

/* Gives the connection a turn soon. */
void relay_wake(struct relay *relay);

/* The request is over: what hooks have of it is freed. */
void relay_end_hooks(struct relay *relay);

/* The caller gets that answer of ours, {"message": TEXT} as Docker's own errors, in place of Docker's, and then the end of
   the connection. If a part of Docker's answer was passed on already, only the end. Nothing more is sent to Docker. */
void relay_refuse(struct relay *relay, unsigned status, const char *format, ...) __attribute__((format(printf, 3, 4)));
