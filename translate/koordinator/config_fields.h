/* What a message of the protocol has of a configuration: its fields, found by their numbers in one pass over the bytes. */
#pragma once

#include "translate/koordinator/field_links.h"
#include "translate/koordinator/field_move.h"
#include "translate/koordinator/pairs.h"

#define CONFIG_FIELDS_MAX 6
#define CONFIG_NUMBERS 32

/* A field that is moved between a configuration, or a message inside of it, and a message of the protocol. */
struct config_field {
    uint32_t outer; /* the number of the message inside; 0: none */
    const char *outer_name;
    struct field_link link;
};

/* All fields that two such messages share. */
struct config_fields {
    size_t count;
    struct config_field each[CONFIG_FIELDS_MAX];
    struct field_link metadata;     /* of requests; its `inside` is NULL otherwise */
    uint8_t places[CONFIG_NUMBERS]; /* what reads a field of that number; only config_fields.c knows */
};

/* Names of a field, in the order of the message of the protocol. */
struct config_field_names {
    const char *outer; /* the message of the configuration that holds it; NULL: the configuration itself */
    const char *model;
    const char *hook;
};

/* The fields of those names, for requests, which also have the metadata as field `metadata`. As field_link_of,
   it is for one thread at a time, and ends the program if the schemas need more room. */
struct config_fields config_fields_sent(const ProtobufCMessageDescriptor *model, const ProtobufCMessageDescriptor *hook,
                                        const struct config_field_names *names, size_t count, const char *metadata);

/* The same for answers. */
struct config_fields config_fields_answered(const ProtobufCMessageDescriptor *model, const ProtobufCMessageDescriptor *hook,
                                            const struct config_field_names *names, size_t count);

/* More entries of maps take a pass for each map. */
#define CONFIG_PAIRS_MAX 128

/* A configuration that was read; it borrows from it. */
struct config_reading {
    const struct config_fields *fields;
    struct bytes config;
    bool usual; /* else only the metadata is read: it has many entries, or is split or malformed */
    struct bytes metadata;
    struct bytes inner[CONFIG_FIELDS_MAX]; /* the messages inside, by the place of the first field in each */
    size_t count;
    struct pair pairs[CONFIG_PAIRS_MAX]; /* in the order of the configuration */
    uint8_t pair_places[CONFIG_PAIRS_MAX];
};

void config_read(const struct config_fields *fields, struct bytes config, struct config_reading *reading);

/* Appends the fields to a request. false: as field_move. */
bool config_send(const struct config_reading *reading, struct walk_output *request, struct error *error);

/* Appends what an answer has to a configuration. false: as field_move. */
bool config_take(const struct config_fields *fields, struct bytes answer, struct walk_output *config, struct error *error);
