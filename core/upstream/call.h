/* One runtime's share of a call: what was asked, what came, and what the caller gets of it. */
#ifndef CRIGATE_UPSTREAM_CALL_H
#define CRIGATE_UPSTREAM_CALL_H

#include <grpc/grpc.h>

#include "core/base/completion.h"
#include "core/memory/observation.h"
#include "translate/convert.h"
#include "translate/pieces.h"

struct upstream_call;

/* What upstream/ asks of the call that it serves. */
struct upstream_callbacks {
    /* The upstream call has ended, well or not. */
    void (*ended)(void *state, struct upstream_call *upstream);
    /* Whether the reply goes out as soon as the next upstream call ends. */
    bool (*is_last)(void *state);
    /* The runtime can stream the list that the caller wants as a stream: is to open the runtime's stream, see
       upstream_open_stream, and to take the place of `ended`. Never called where the request has no `stream`. */
    void (*stream)(void *state, struct upstream_call *upstream);
};

/* Whom an upstream call serves. Lasts longer than the upstream call. */
struct upstream_owner {
    const struct request *request;
    struct knowledge *knowledge;
    const struct upstream_callbacks *callbacks;
    void *state;
};

/* Where the answer is that goes to the caller. */
enum answer_form {
    ANSWER_RESPONSE,    /* in `response` */
    ANSWER_PARTS,       /* in `parts` */
    ANSWER_AS_RECEIVED, /* it is the bytes of `message`; in `response` as well where somebody wanted it in one piece */
};

/* Zero-initialised before upstream_start. */
struct upstream_call {
    const struct upstream_owner *owner; /* NULL: not started */
    struct observation seen;

    /* The exchange with the runtime. */
    int64_t began;  /* worker_now() */
    int64_t budget; /* milliseconds; 0: the caller's own deadline alone */
    bool watched;   /* that it goes over its runtime's budget is noticed, and ends nothing */
    struct waiting waiting;
    struct completion ended;
    grpc_call *grpc_call; /* NULL when it never was called */
    uint64_t taken;       /* channel.taken when it was */
    grpc_metadata_array initial;
    grpc_metadata_array trailing;
    grpc_byte_buffer *message;
    grpc_slice details;
    bool has_ended;
    struct query *question;         /* of a composition, while it is asked */
    struct upstream_stream *stream; /* a stream of the runtime's that answers, or answered; NULL otherwise */
    bool streamed;                  /* a stream of the list was asked for, because the list is too long for one message */

    /* What the caller gets of it. */
    struct error error; /* the gateway's own failure, if any */
    enum answer_form form;
    struct bytes response; /* in the caller's dialect */
    grpc_slice *parts;     /* referenced */
    size_t part_count;
    struct arena *arena;  /* of the answer: its own where others answer too, else the call's */
    size_t used;          /* bytes of such arenas that are gone */
    bool trimmed;         /* the response is in the call's arena: it was changed to go with others */
    bool suspect;         /* a list of the primary's has a name of another runtime: it is looked at closely */
    bool omitted;         /* it has no part in the answer: the runtime lacks the RPC, or cannot be asked, and the others answer */
    bool stale;           /* the response is what was last seen of the runtime, which cannot be asked */
    bool learns_late;     /* what the answer says of the runtime is learned in upstream_learn */
    struct report report; /* of both ways */
};

/* The caller is gone: the runtime need not answer. */
void upstream_cancel(struct upstream_call *upstream);

/* Whether there is an answer: the runtime's own, or what was last seen of it. */
bool upstream_succeeded(const struct upstream_call *upstream);

/* Whether it was the caller that ended the call, by its own deadline or by leaving: that says nothing about the runtime. */
bool upstream_was_cut_short(const struct upstream_call *upstream);

/* What the runtime said of a failure of its own; empty when it was not asked. */
struct bytes upstream_details(const struct upstream_call *upstream);

/* Opens the runtime's stream of that row with the upstream call's request, which the budget of the list bounds from message to
   message. `stream` must stay as long as the upstream call, which releases it. false: the transport refused. */
struct upstream_stream_callbacks;
bool upstream_open_stream(struct upstream_call *upstream, const struct method *method, struct upstream_stream *stream,
                          const struct upstream_stream_callbacks *callbacks, void *state);

/* The dialect that answers of the runtime are read in: the newest of its package. */
enum dialect upstream_answer_dialect(const struct upstream_call *upstream);

/* Converts an answer of that dialect, or a message of a stream, for the caller. What becomes of it is in the arena, or it is
   `answer` itself where nothing had to change. false, with the reason in upstream->error: the bytes are no such message. */
bool upstream_convert(struct upstream_call *upstream, struct bytes answer, enum dialect from, struct arena *arena,
                      struct bytes *converted);

/* How names of the runtime's responses become the caller's. */
struct name_map;
void upstream_names_of_response(const struct upstream_call *upstream, struct name_map *names);

/* How the runtime's answer becomes the caller's, in the upstream call's arena and with names from upstream_names_of_response,
   which must stay as long as the conversion. */
void upstream_conversion(const struct upstream_call *upstream, const struct name_map *names, struct conversion *conversion);

/* Counts what a conversion of an answer has left out. */
void upstream_note_losses(struct upstream_call *upstream, const struct report *report);

/* The message as the transport has it; the pieces are borrowed from it. false: no memory. */
bool upstream_message_pieces(const struct upstream_call *upstream, struct pieces *message);

/* Puts what the runtime answered into one piece, as seen.received. false: RESOURCE_EXHAUSTED. */
bool upstream_receive(struct upstream_call *upstream, struct error *error);

/* Frees what was made of the answer. */
void upstream_forget_answer(struct upstream_call *upstream);

/* The same, and begins with a new arena for another answer. An upstream call that is one of several has an arena of its own, so
   that one that answers with too much fails alone: neither the others nor what becomes of their answers go without memory. false,
   with RESOURCE_EXHAUSTED in upstream->error: no memory. */
bool upstream_renew_arena(struct upstream_call *upstream);

/* Frees what the upstream call holds. Answers how many bytes its answer took. */
size_t upstream_release(struct upstream_call *upstream);

#endif
