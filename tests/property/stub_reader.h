/* A second reader of messages: the stubs that protoc-c makes of each dialect's schema. It knows nothing of our tables. */
#pragma once

#include <json-c/json.h>
#include <protobuf-c/protobuf-c.h>

#include "trial.h"

/* The name, in an object of stub_reader_json, of what the schema does not know. */
#define UNKNOWN_FIELDS "(unknown)"

/* The stubs of the trial's message; NULL where they do not have the RPC. */
const ProtobufCMessageDescriptor *stub_reader_of(const struct trial *trial, enum dialect dialect);

/* How many RPCs the stubs of a dialect have. */
unsigned stub_reader_method_count(enum dialect dialect);

/* The message, decoded into the trial's arena; NULL if the bytes are none. */
ProtobufCMessage *stub_reader_decode(const struct trial *trial, enum dialect dialect, struct bytes bytes);

/* Such a message in the form of json_from_message, which the caller puts. With `unknown`, each object, also one that stands for a
   map, has a text for each unknown field. */
struct json_object *stub_reader_json(const ProtobufCMessage *message, bool unknown);
