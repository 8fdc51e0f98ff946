/*
 * What a CRI dialect consists of, as a flat list of facts, so that two sources of it can be held against each other: a list kept
 * by hand in NAME.facts, and the descriptors that protoc made of the dialect's api.proto.
 *
 * Each line of a facts file is one of
 *
 *     # comment
 *     package PACKAGE
 *     rpc SERVICE/METHOD: [stream] REQUEST [stream] RESPONSE
 *     message MESSAGE: NUMBER NAME [repeated] TYPE, NUMBER NAME ...
 *     enum ENUM: NUMBER VALUE, NUMBER VALUE ...
 *
 * TYPE is a scalar, map<KEY,VALUE>, or a message or enum of the package; nested ones are written Outer.Inner.
 * This is for tests: running out of memory aborts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <google/protobuf/descriptor.pb-c.h>

/* "message Mount field 3" and "readonly bool": the key says what is spoken of, the value what is said of it. Both are owned. */
struct fact {
    char *key;
    char *value;
};

/* Zero-initialised means empty. */
struct facts {
    struct fact *items;
    size_t count;
};

/* Adds the facts of a facts file's text. False, with a line about it on `report`, when a line has a form other than those above.
 */
bool facts_parse(struct facts *facts, const char *text, FILE *report);

/* Adds the facts of all files of a set. What a dialect never has (oneofs, optional fields, unpacked numbers, extensions, another
   syntax than proto3) becomes a part of the fact, so that it shows as a difference. */
void facts_describe(struct facts *facts, const Google__Protobuf__FileDescriptorSet *set);

/* The number of differences between the two, each told in one line on `report`. Sorts both. */
size_t facts_compare(struct facts *expected, struct facts *actual, FILE *report);

void facts_free(struct facts *facts);
