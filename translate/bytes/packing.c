#include "translate/bytes/packing.h"

static void *allocate(void *state, size_t size)
{
    return arena_alloc(state, size);
}

/* The arena frees all at once. */
static void keep(void *state, void *memory)
{
    (void)state;
    (void)memory;
}

bool arena_pack(struct arena *arena, const ProtobufCMessage *message, struct bytes *packed)
{
    uint8_t *data = arena_alloc(arena, protobuf_c_message_get_packed_size(message));
    *packed = bytes_of(data, data ? protobuf_c_message_pack(message, data) : 0);
    return data != NULL;
}

void *arena_unpack(struct arena *arena, const ProtobufCMessageDescriptor *kind, struct bytes bytes)
{
    ProtobufCAllocator allocator = {.alloc = allocate, .free = keep, .allocator_data = arena};
    return protobuf_c_message_unpack(kind, &allocator, bytes.len, bytes.data);
}
