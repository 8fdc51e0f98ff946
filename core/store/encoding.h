/* How the files of the state folder encode what they hold: numbers with their lowest byte first, bytes behind their length. What
   is read is hostile. */
#pragma once

#include "core/store/own_file.h"

/* Bytes that are written one after another. */
struct encoder {
    uint8_t *data; /* big enough; NULL: only the size is counted */
    size_t len;
};

/* `size` is at most 8 bytes. */
void encoder_put_number(struct encoder *encoder, uint64_t number, size_t size);
void encoder_put_raw(struct encoder *encoder, struct bytes bytes);

/* Bytes behind their length, which takes ENCODED_LENGTH. */
#define ENCODED_LENGTH ((size_t)8)
void encoder_put_bytes(struct encoder *encoder, struct bytes bytes);

/* Whose the file is: runtime, endpoint and boot of the node. */
void encoder_put_owner(struct encoder *encoder, const struct state_file *place, struct bytes boot);

/* Take what was put from the front of `rest`. false: it is truncated. */
bool decode_number(struct bytes *rest, size_t size, uint64_t *number);
bool decode_bytes(struct bytes *rest, struct bytes *bytes);

/* Takes the magic word and the version, which has 4 bytes. `what` is the kind of file. false: FAILED_PRECONDITION for another
   kind of file or version, DATA_LOSS. */
bool decode_start(struct bytes *rest, struct bytes magic, uint32_t version, const char *what, struct error *error);

/* Takes the owner. false: FAILED_PRECONDITION for another owner, DATA_LOSS. */
bool decode_owner(struct bytes *rest, const struct state_file *place, struct bytes boot, struct error *error);

/* DATA_LOSS; `what` completes the sentence. Returns false. */
bool decode_damaged(struct error *error, const char *what);

/* A checksum: everybody knows its key, which is the version of the format. */
uint64_t encoded_checksum(uint32_t version, struct bytes bytes);
