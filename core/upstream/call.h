/* A call's way to one runtime and back: request converted, called, response converted. */
#ifndef CRIGATE_UPSTREAM_CALL_H
#define CRIGATE_UPSTREAM_CALL_H

#include <grpc/grpc.h>

#include "core/base/completion.h"
#include "core/memory/observation.h"
#include "translate/compose.h"
#include "translate/convert.h"
#include "translate/pieces.h"

struct call;

struct upstream_call {
    struct call *call;
    struct observation seen;
    int64_t began;  /* worker_now() */
    int64_t budget; /* milliseconds; 0: the caller's own deadline alone */
    bool watched;   /* that it goes over its runtime's budget is noticed, and ends nothing */
    struct waiting waiting;
    struct completion ended;
    grpc_call *grpc_call; /* NULL when it never was called */
    uint64_t taken;       /* upstream.taken when it was */
    grpc_metadata_array initial;
    grpc_metadata_array trailing;
    grpc_byte_buffer *message;
    grpc_slice details;

    struct query *question;         /* of a composition, while it is asked */
    struct upstream_stream *stream; /* a stream of the runtime's that answers, or answered; NULL otherwise */

    struct arena *arena;   /* of the answer: its own where others answer too, else the call's */
    struct error error;    /* the gateway's own failure, if any */
    struct bytes response; /* in the caller's dialect, when all went well */
    grpc_slice *parts;     /* or here, in several parts that are the upstream call's own; NULL: it is not */
    size_t part_count;
    bool trimmed;     /* the response is the call's: it was changed to go with others */
    bool as_received; /* or it is the very bytes of `message` */
    bool has_ended;
    bool streamed;        /* a stream of the list was asked for, because the list is too long for one message */
    bool suspect;         /* a list of the primary's has a name of another runtime: it is looked at closely */
    bool omitted;         /* it has no part in the answer: the runtime lacks the RPC, or cannot be asked, and the others answer */
    bool stale;           /* the response is what was last seen of the runtime, which cannot be asked */
    struct report report; /* of both ways */
};

/* Converts the request and calls the runtime in that place of the call's generation. Always leads to one call_upstream_ended,
   perhaps before it returns. What the runtime lacks, or what it means that it cannot be asked, is as the behaviour table and the
   runtime map say. */
void upstream_start(struct upstream_call *upstream, struct call *call, size_t position);

/* How a composition has ended, see compose.h. */
struct compose_result {
    enum compose_occasion occasion;
    enum compose_outcome outcome; /* COMPOSED_NOTHING or COMPOSED_ANSWER */
    struct error error;           /* the call fails with it */
    struct bytes answer;          /* in the model's dialect */
};

/* For compose.c: goes on with an upstream call whose answer was being composed. */
void compose_result(struct upstream_call *upstream, const struct compose_result *composed);

/* Sends the request, which is converted already, to the runtime: as upstream_start does where no stream answers. */
void upstream_ask(struct upstream_call *upstream);

/* For long_list.c: goes on with an upstream call as if its call had ended only now, with the status and message that it has. */
void upstream_resume(struct upstream_call *upstream);

/* The caller is gone: the runtime need not answer. */
void upstream_cancel(struct upstream_call *upstream);

/* The runtime could not be asked or did not answer, as upstream->error tells: what was last seen of it may be the response then
   (`stale`), or the answer may go without it (`omitted`); else the failure stands. */
void upstream_stand_in(struct upstream_call *upstream);

/* Whether there is an answer: the runtime's own, or what was last seen of it. */
bool upstream_succeeded(const struct upstream_call *upstream);

/* Whether it was the caller that ended the call, by its own deadline or by leaving: that says nothing about the runtime. */
bool upstream_was_cut_short(const struct upstream_call *upstream);

/* What the runtime said of a failure of its own; empty when it was not asked. */
struct bytes upstream_details(const struct upstream_call *upstream);

/* Opens the runtime's stream of that row with the upstream call's request, which the budget of the list bounds from message to
   message. `upstream stream` must stay as long as the upstream call, which releases it. false: the transport refused. */
struct upstream_stream_callbacks;
bool upstream_open_stream(struct upstream_call *upstream, const struct method *method, struct upstream_stream *stream,
                          const struct upstream_stream_callbacks *listener, void *state);

/* Converts an answer of that dialect, or a message of a stream, for the caller. What becomes of it is in the arena, or it is
   `answer` itself where nothing had to change. false, with the reason in upstream->error: the bytes are no such message. */
bool upstream_convert(struct upstream_call *upstream, struct bytes answer, enum dialect from, struct arena *arena,
                      struct bytes *converted);

/* How names of the runtime's responses become the caller's. */
struct name_map;
void upstream_names_of_response(const struct upstream_call *upstream, struct name_map *names);

/* How the runtime's answer becomes the caller's, in the call's arena and with names from upstream_names_of_response, which must
   stay as long as the conversion. */
void upstream_conversion(const struct upstream_call *upstream, const struct name_map *names, struct conversion *conversion);

/* Counts what a conversion of an answer has left out. */
void upstream_note_losses(struct upstream_call *upstream, const struct report *report);

/* Puts what the runtime answered into one piece, as upstream->seen.received. false: RESOURCE_EXHAUSTED. */
bool upstream_receive(struct upstream_call *upstream, struct error *error);

/* Frees what the upstream call holds. */
void upstream_release(struct upstream_call *upstream);

#endif
