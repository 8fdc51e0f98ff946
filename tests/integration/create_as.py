#!/usr/bin/env python3
"""Creates a container through runtime.v1alpha2 as kubelets of 1.10 and 1.11 do, without a security context.

usage: create_as.py SOCKET USER_AGENT POD

USER_AGENT is what the caller's gRPC calls itself; libraries do not let a caller choose that. Succeeds when an answer has come.
"""
import socket
import struct
import sys


def field(number, data):
    return bytes([number << 3 | 2, len(data)]) + data


def header(name, value):
    """A literal that is not indexed, without Huffman's code."""
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


def frame(kind, flags, stream, data):
    return struct.pack(">I", len(data))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + data


path, agent, pod = sys.argv[1], sys.argv[2].encode(), sys.argv[3].encode()
message = field(1, pod) + field(2, field(1, field(1, b"old")) + field(2, field(1, b"busybox")))
headers = [(b":method", b"POST"), (b":scheme", b"http"), (b":path", b"/runtime.v1alpha2.RuntimeService/CreateContainer"), (b":authority", b"localhost"),
           (b"content-type", b"application/grpc"), (b"te", b"trailers"), (b"user-agent", agent)]
HEADERS, DATA, SETTINGS, ACK, END_HEADERS, END_STREAM = 1, 0, 4, 1, 4, 1
with socket.socket(socket.AF_UNIX) as to:
    to.settimeout(20)
    to.connect(path)
    to.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0, b"") + frame(HEADERS, END_HEADERS, 1, b"".join(header(*one) for one in headers)) +
               frame(DATA, END_STREAM, 1, b"\0" + struct.pack(">I", len(message)) + message))
    read = to.makefile("rb")
    while True:
        head = read.read(9)
        if len(head) < 9:
            sys.exit("the connection ended without an answer")
        size, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
        read.read(size)
        if kind == SETTINGS and not flags & ACK:
            to.sendall(frame(SETTINGS, ACK, 0, b""))
        if kind == HEADERS and flags & END_STREAM:
            break
