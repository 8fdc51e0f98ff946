/* One runtime's share of a call: what was asked, what arrived, and what the caller gets of it. */
#pragma once

#include <grpc/grpc.h>

#include "core/knowledge/observation.h"
#include "core/loop/completion.h"
#include "core/transport/exchange.h"
#include "translate/bytes/pieces.h"
#include "translate/convert/convert.h"

struct compose_result;
struct hook_call;
struct hooks;
struct share_callbacks;
struct upstream_call;

/* Callbacks to the call that upstream/ serves. */
struct upstream_callbacks {
    /* The upstream call has ended, well or not. */
    void (*ended)(void *state, struct upstream_call *upstream);
    /* Whether the reply goes out as soon as the next upstream call ends. */
    bool (*is_last)(void *state);
    /* Whether there is memory for another answer. false: RESOURCE_EXHAUSTED. */
    bool (*has_memory)(void *state, struct error *error);
    /* In place of `ended`, if the caller wants a stream of a list and the runtime has one: opens the runtime's stream, see
       upstream_open_stream. Never called if the request has no `stream`. */
    void (*stream)(void *state, struct upstream_call *upstream);
};

/* The call that an upstream call serves. Outlives the upstream call. */
struct upstream_owner {
    const struct request *request;
    struct knowledge *knowledge;
    struct hooks *hooks; /* NULL: none */
    const struct upstream_callbacks *callbacks;
    void *state;
};

/* The place of the answer for the caller. */
enum answer_form {
    ANSWER_RESPONSE,    /* in `response` */
    ANSWER_PARTS,       /* in `parts` */
    ANSWER_AS_RECEIVED, /* the bytes of `message`; in `response` as well if they were put into one piece */
};

/* What is under way for an upstream call. */
enum upstream_state {
    UPSTREAM_IDLE,      /* nothing: it has not begun, or has ended */
    UPSTREAM_IN_HOOKS,  /* plugins are asked */
    UPSTREAM_ASKING,    /* the runtime is */
    UPSTREAM_WAITING,   /* for the answer to an equal call, see share.h */
    UPSTREAM_STREAMING, /* the runtime's stream is open */
    UPSTREAM_COMPOSING, /* the runtime is asked a question of a composition */
};

/* Zero-initialised before upstream_start. */
struct upstream_call {
    const struct upstream_owner *owner; /* NULL: not started */
    struct observation seen;
    enum upstream_state state;

    /* The exchange with the runtime. */
    int64_t began;        /* clock_ns(); hooks before the call do not count */
    int64_t budget;       /* milliseconds; 0: the caller's own deadline alone */
    enum dialect dialect; /* that the request was converted to */
    uint64_t judged_by;   /* the entries of the runtime's struct ability_set that the request was judged by */
    bool watched;         /* going over the runtime's budget makes the runtime hang, but does not end the call */
    struct waiting waiting;
    struct completion ended;
    void (*answered)(struct upstream_call *upstream); /* then */
    struct shared_call shared;
    const struct share_callbacks *sharing;        /* of share.h, once the request is on its way */
    void (*over)(struct upstream_call *upstream); /* of wait.h, while it waits */
    struct turn turn;                             /* the same */
    void (*composed)(struct upstream_call *upstream, const struct compose_result *composed); /* of share_composition.h */
    struct shared_composition *composition; /* the same: of another call, until it is its turn; NULL: none */
    struct exchange exchange;               /* without a call: the runtime was not called */
    uint64_t taken;                         /* channel.taken at that time */
    struct query *question;                 /* UPSTREAM_COMPOSING: it */
    struct upstream_stream *stream;         /* of the runtime, if a stream answers or answered; NULL otherwise */
    struct hook_call *hooks;                /* of this call; NULL: none */
    bool streamed;                          /* a stream of the list was asked for, because the list is too long for one message */

    /* What the caller gets of it. */
    struct error error; /* the gateway's own failure, if any */
    enum answer_form form;
    struct bytes response; /* in the caller's dialect */
    grpc_slice *parts;     /* referenced */
    size_t part_count;
    struct arena *arena;  /* for the answer: its own if other runtimes answer, too, else the call's */
    size_t used;          /* bytes that freed arenas took */
    bool trimmed;         /* the response is in the call's arena: merging changed it */
    bool suspect;         /* the primary's list has a name of another runtime: each name is checked */
    bool omitted;         /* not part of the answer: the runtime lacks the RPC or is unavailable, and the others answer */
    bool stale;           /* the response is what was last seen of the runtime, which cannot be asked */
    bool given_up;        /* there is an answer, or what was last seen, but no memory for it */
    bool learns_late;     /* upstream_after_reply learns from the answer */
    struct report report; /* losses of request and answer */
};

/* Cancels the call to the runtime because the caller has disconnected. */
void upstream_cancel(struct upstream_call *upstream);

/* Whether there is an answer: the runtime's own, or what was last seen of it. */
bool upstream_succeeded(const struct upstream_call *upstream);

/* Whether the caller ended the call, by its deadline or by a cancellation. Then the failure says nothing about the runtime. */
bool upstream_was_cut_short(const struct upstream_call *upstream);

/* What came of the runtime: of its stream if one answered. */
const struct exchange *upstream_exchange(const struct upstream_call *upstream);

/* The message of the runtime's own failure; empty if the runtime was not called. */
struct bytes upstream_details(const struct upstream_call *upstream);

/* Opens the runtime's stream of that row with the upstream call's request. Each message may take the budget of the list.
   `stream` must live as long as the upstream call, which releases it. false: the transport refused. */
struct upstream_stream_callbacks;
bool upstream_open_stream(struct upstream_call *upstream, const struct method *method, struct upstream_stream *stream,
                          const struct upstream_stream_callbacks *callbacks, void *state);

/* Converts an answer of the dialect `from`, or a message of a stream, for the caller. The result is in the arena, or is `answer`
   itself if nothing changed. false, with the reason in upstream->error: the bytes are not such a message. */
bool upstream_convert(struct upstream_call *upstream, struct bytes answer, enum dialect from, struct arena *arena,
                      struct bytes *converted);

/* How the runtime's answer becomes the caller's, in the upstream call's arena. Fills in `names`, too, which must live as long as
   the conversion. */
struct name_map;
void upstream_conversion(const struct upstream_call *upstream, struct name_map *names, struct conversion *conversion);

/* Counts the losses of a conversion of an answer. */
void upstream_note_losses(struct upstream_call *upstream, const struct report *report);

/* The message in the transport's pieces, which are borrowed. false: out of memory. */
bool upstream_message_pieces(const struct upstream_call *upstream, struct pieces *message);

/* Puts the runtime's answer into one piece, seen.received. false: RESOURCE_EXHAUSTED. */
bool upstream_receive(struct upstream_call *upstream, struct error *error);

/* Frees the converted answer. */
void upstream_forget_answer(struct upstream_call *upstream);

/* The same, and makes a new arena for another answer. An upstream call that is one of several has an arena of its own: an answer
   that is too big fails alone, and leaves memory for the others. false, with RESOURCE_EXHAUSTED in upstream->error: no memory. */
bool upstream_renew_arena(struct upstream_call *upstream);

/* Frees what the upstream call holds. Returns how many bytes its answer took. */
size_t upstream_release(struct upstream_call *upstream);
