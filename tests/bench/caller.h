/* A program that makes the calls in place of load.h's client, when these shall come from another library, such as grpc-go
   (tests/bench/kubelet/caller has the commands that it takes). It has one connection to each address. */
#pragma once

#include "tests/bench/load.h"

struct caller;

/* Starts it. NULL after a message on stderr. */
struct caller *caller_start(const char *program);

/* Lets it make a request that load_prepare has prepared, at the address, and sets its number. False after a message on stderr if
   the answer is not as long as before. */
bool caller_prepare(struct caller *caller, const char *address, struct request *request);

/* As load_block. */
bool caller_block(struct caller *caller, const struct request *requests, size_t request_count, size_t callers,
                  struct block_end end, struct block *block);

/* Ends it, and waits for its end. NULL is fine. */
void caller_end(struct caller *caller);
