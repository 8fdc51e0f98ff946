/* A call's way to one runtime and back: request converted, called, response converted. */
#ifndef CRIGATE_UPSTREAM_CALL_H
#define CRIGATE_UPSTREAM_CALL_H

#include <grpc/grpc.h>

#include "core/base/completion.h"
#include "core/runtimes/runtime.h"
#include "translate/compose.h"
#include "translate/convert.h"
#include "translate/pieces.h"

struct call;

struct branch {
    struct call *call;
    size_t position; /* of the runtime in the call's generation */
    struct runtime *runtime;
    int64_t began;  /* worker_now() */
    int64_t budget; /* milliseconds; 0: the caller's own deadline alone */
    bool watched;   /* that it goes over its runtime's budget is noticed, and ends nothing */
    struct waiting waiting;
    struct event ended;
    grpc_call *upstream; /* NULL when it never was called */
    uint64_t taken;      /* upstream.taken when it was */
    grpc_metadata_array initial;
    grpc_metadata_array trailing;
    grpc_byte_buffer *message;
    grpc_status_code status; /* of the runtime; OK also when the gateway itself failed */
    grpc_slice details;

    struct inquiry *question; /* of a composition, while it is asked */
    struct inflow *inflow;    /* a stream of the runtime's that answers, or answered; NULL otherwise */

    struct arena *arena; /* of the answer: its own where others answer too, else the call's */
    struct remember_marks marks;
    struct bytes request;  /* as it went to the runtime */
    struct error error;    /* the gateway's own failure, if any */
    struct bytes received; /* the runtime's answer in one piece, once somebody wanted it like that */
    bool is_whole;         /* so it is there */
    struct pieces runs;    /* the runtime's answer to a list, aligned, in case it is remembered */
    bool repeats;          /* that list says what is known already: what remember_repetition told */
    struct bytes response; /* in the caller's dialect, when all went well */
    grpc_slice *parts;     /* or here, in several parts that are the branch's own; NULL: it is not */
    size_t part_count;
    bool trimmed;     /* the response is the call's: it was changed to go with others */
    bool as_received; /* or it is the very bytes of `message` */
    bool has_ended;
    bool streamed;        /* a stream of the list was asked for, because the list is too long for one message */
    bool suspect;         /* a list of the primary's has a name of another runtime: it is looked at closely */
    bool making;          /* the call makes something that is to be remembered */
    bool omitted;         /* it has no part in the answer: the runtime lacks the RPC, or cannot be asked, and the others answer */
    bool recalled;        /* the response is what was last seen of the runtime, which cannot be asked */
    struct report report; /* of both ways */
};

/* Converts the request and calls the runtime in that place of the call's generation. Always leads to one call_branch_ended,
   perhaps before it returns. What the runtime lacks, or what it means that it cannot be asked, is as the behaviour table and the
   runtime map say. */
void branch_start(struct branch *branch, struct call *call, size_t position);

/* How a composition has ended, see compose.h. */
struct branch_composed {
    enum compose_occasion occasion;
    enum compose_outcome outcome; /* COMPOSED_NOTHING or COMPOSED_ANSWER */
    struct error error;           /* the call fails with it */
    struct bytes answer;          /* in the model's dialect */
};

/* For compose.c: goes on with a branch whose answer was being composed. */
void branch_composed(struct branch *branch, const struct branch_composed *composed);

/* Sends the request, which is converted already, to the runtime: as branch_start does where no stream answers. */
void branch_ask(struct branch *branch);

/* For long_list.c: goes on with a branch as if its call had ended only now, with the status and message that it has. */
void branch_resume(struct branch *branch);

/* The caller is gone: the runtime need not answer. */
void branch_cancel(struct branch *branch);

/* Whether there is an answer: the runtime's own, or what was last seen of it. */
bool branch_succeeded(const struct branch *branch);

/* Whether there are others that answer the call too, so that the runtime's failure need not fail it: it is not the primary. */
bool branch_is_one_of_several(const struct branch *branch);

/* Whether it was the caller that ended the call, by its own deadline or by leaving: that says nothing about the runtime. */
bool branch_was_cut_short(const struct branch *branch);

/* What the runtime said of a failure of its own; empty when it was not asked. */
struct bytes branch_details(const struct branch *branch);

/* Opens the runtime's stream of that row with the branch's request, which the budget of the list bounds from message to message.
   `inflow` must stay as long as the branch, which releases it. false: the transport refused. */
struct inflow_listener;
bool branch_open_stream(struct branch *branch, const struct method *method, struct inflow *inflow,
                        const struct inflow_listener *listener, void *state);

/* Converts an answer of that dialect, or a message of a stream, for the caller. What becomes of it is in the arena, or it is
   `answer` itself where nothing had to change. false, with the reason in branch->error: the bytes are no such message. */
bool branch_convert(struct branch *branch, struct bytes answer, enum dialect from, struct arena *arena, struct bytes *converted);

/* How names of the runtime's responses become the caller's. */
struct name_map;
void branch_names_of_response(const struct branch *branch, struct name_map *names);

/* How the runtime's answer becomes the caller's, in the call's arena and with names from branch_names_of_response, which must
   stay as long as the conversion. */
void branch_conversion(const struct branch *branch, const struct name_map *names, struct conversion *conversion);

/* Counts what a conversion of an answer has left out. */
void branch_note_losses(struct branch *branch, const struct report *report);

/* Puts what the runtime answered into one piece, as branch->received. false: RESOURCE_EXHAUSTED. */
bool branch_receive(struct branch *branch, struct error *error);

/* Frees what the branch holds. */
void branch_release(struct branch *branch);

#endif
