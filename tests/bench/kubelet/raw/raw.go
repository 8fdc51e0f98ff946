// Package raw lets grpc-go carry messages as bytes, so that no stubs of CRI are needed and nothing is decoded.
package raw

import (
	"fmt"

	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // registered first, so that ours replaces it
	"google.golang.org/grpc/mem"
)

// Message is a message that is sent, or one that was received. Received bytes are a copy.
type Message struct {
	Bytes []byte
}

// Size is a message that was received, of which only the length matters.
type Size struct {
	Bytes int
}

type codec struct{}

// Under protobuf's name: another one would show in the header content-type.
func (codec) Name() string {
	return "proto"
}

func (codec) Marshal(value any) (mem.BufferSlice, error) {
	message, ok := value.(*Message)
	if !ok {
		return nil, fmt.Errorf("cannot send a %T", value)
	}
	return mem.BufferSlice{mem.SliceBuffer(message.Bytes)}, nil
}

func (codec) Unmarshal(data mem.BufferSlice, value any) error {
	switch value := value.(type) {
	case *Message:
		value.Bytes = data.Materialize()
	case *Size:
		value.Bytes = data.Len()
	default:
		return fmt.Errorf("cannot receive a %T", value)
	}
	return nil
}

func init() {
	encoding.RegisterCodecV2(codec{})
}
