/* A failure as a value: a gRPC status code and a message, to which each caller can add context. */
#pragma once

#include <stdbool.h>

/* The status codes of gRPC, with their numbers on the wire. */
enum status_code {
    STATUS_OK = 0,
    STATUS_CANCELLED = 1,
    STATUS_UNKNOWN = 2,
    STATUS_INVALID_ARGUMENT = 3,
    STATUS_DEADLINE_EXCEEDED = 4,
    STATUS_NOT_FOUND = 5,
    STATUS_ALREADY_EXISTS = 6,
    STATUS_PERMISSION_DENIED = 7,
    STATUS_RESOURCE_EXHAUSTED = 8,
    STATUS_FAILED_PRECONDITION = 9,
    STATUS_ABORTED = 10,
    STATUS_OUT_OF_RANGE = 11,
    STATUS_UNIMPLEMENTED = 12,
    STATUS_INTERNAL = 13,
    STATUS_UNAVAILABLE = 14,
    STATUS_DATA_LOSS = 15,
    STATUS_UNAUTHENTICATED = 16,
};

/* Big enough for a field path and a sentence; longer messages are cut and end in "...". */
#define ERROR_MESSAGE_SIZE 768

/* Zero-initialised means "no failure". Plain data: copied by assignment, never freed. */
struct error {
    enum status_code code;
    char message[ERROR_MESSAGE_SIZE];
};

/* Records a failure, replaces an earlier one, and returns false so that a caller can `return error_set(...)`. `error` may be NULL
   if nobody needs the reason. */
bool error_set(struct error *error, enum status_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Records that the call has used up its memory, RESOURCE_EXHAUSTED, and returns false. Where there is neither call nor message:
   error_out_of_memory. */
bool error_no_memory(struct error *error);
bool error_out_of_memory(struct error *error);

/* Adds context before the message ("CONTEXT: MESSAGE"), keeps the code, and returns false. */
bool error_wrap(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "NOT_FOUND" and so on, as in gRPC; "CODE_UNDEFINED" for a number that gRPC does not define. */
const char *status_code_name(enum status_code code);

/* The code of that name, as in gRPC; false if there is none. */
bool status_code_from_name(const char *name, enum status_code *code);
