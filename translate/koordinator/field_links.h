/* Which field of one message is which field of another, by the descriptors of their stubs: fields of the same name. Found once,
   because to compare names takes longer than to move the fields. */
#pragma once

#include <protobuf-c/protobuf-c.h>

/* How a field is moved. */
enum field_kind {
    FIELD_LINK_NUMBER,
    FIELD_LINK_TEXT,
    FIELD_LINK_MESSAGE,
    FIELD_LINK_MESSAGES, /* repeated */
    FIELD_LINK_PAIRS,    /* a map of strings, or a list of KeyValue */
};

struct message_link;

struct field_link {
    const char *name; /* of the field in the message that it comes from */
    uint32_t from;
    uint32_t to;
    enum field_kind kind;
    const struct message_link *inside; /* of a message: how its own fields are moved */
};

/* More than any message has that is moved. */
#define FIELD_LINKS_MAX 12

/* The fields that two messages share, in the order of the numbers that they get. */
struct message_link {
    const ProtobufCMessageDescriptor *from;
    const ProtobufCMessageDescriptor *to;
    unsigned count;
    struct field_link fields[FIELD_LINKS_MAX];
};

/* The link from a field to another, which both exist. It lives forever. For one thread at a time; ends the program if there are
   more messages or fields than it has room for, which depends on nothing but the schemas. */
struct field_link field_link_of(const ProtobufCMessageDescriptor *from, const char *from_name,
                                const ProtobufCMessageDescriptor *to, const char *to_name);
