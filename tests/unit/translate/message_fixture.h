/* Conversions in tests: messages are said and read as JSON, with ' in place of " so that C can hold them. */
#pragma once

#include "translate/walk/leniency.h"
#include "translate/walk/node.h"
#include "translate/walk/report.h"

/* The bytes of a hand-written message. */
#define BYTES(...) bytes_of((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

struct ability_set;

/* What conversions of a test share, and how the last one ended. */
struct exchange {
    struct arena *arena;
    const struct names *names;
    const struct node *node;
    const struct ability_set *abilities;
    bool caller_lacks_masked_paths;
    struct leniency leniency;
    struct report report;
    struct error error;
};

/* For cmocka's setup and teardown: *state becomes a struct exchange with a roomy arena. */
int exchange_begin(void **state);
int exchange_end(void **state);

/* An arena of that cap in place of the roomy one. */
void exchange_cap(struct exchange *exchange, size_t cap);

/* The encoded message; the test fails when the JSON is not the message. */
struct bytes exchange_bytes(struct exchange *exchange, const struct schema_message *message, const char *json);
struct bytes exchange_request_bytes(struct exchange *exchange, const char *method, enum dialect dialect, const char *json);
struct bytes exchange_response_bytes(struct exchange *exchange, const char *method, enum dialect dialect, const char *json);

/* Several pieces in a row. */
struct bytes exchange_join(struct exchange *exchange, struct bytes first, struct bytes second);

/* A length-delimited field with that number. */
struct bytes exchange_field(struct exchange *exchange, uint32_t number, struct bytes payload);

/* Converts; error and report are those of this conversion. */
bool exchange_request(struct exchange *exchange, const char *method, enum dialect from, enum dialect to, struct bytes in,
                      struct bytes *out);
bool exchange_response(struct exchange *exchange, const char *method, enum dialect from, enum dialect to, struct bytes in,
                       struct bytes *out);

/* The bytes must be the message that the JSON says, in whatever order. */
void exchange_expect_message(const struct schema_message *message, struct bytes bytes, const char *json);

/* Convert from JSON, and expect what the JSON says. */
void exchange_expect_request(struct exchange *exchange, const char *method, enum dialect from, enum dialect to, const char *in,
                             const char *out);
void exchange_expect_response(struct exchange *exchange, const char *method, enum dialect from, enum dialect to, const char *in,
                              const char *out);

/* The request must be refused with that code, and a message that starts so. From JSON: where the message says what would let it
   through, that must do so, and so must the path. */
void exchange_expect_refused_bytes(struct exchange *exchange, const char *method, enum dialect from, enum dialect to,
                                   struct bytes in, enum status_code code, const char *start);
void exchange_expect_refused(struct exchange *exchange, const char *method, enum dialect from, enum dialect to, const char *in,
                             enum status_code code, const char *start);

/* How often the last conversion counted that field. */
uint32_t exchange_losses(const struct exchange *exchange, const char *field);
