#!/usr/bin/env python3
"""A socket like journald's: what arrives is appended to a file, one JSON object for each entry, each field a list of its values. Ends with its parent.

usage: fake_journal.py SOCKET FILE
"""
import array
import json
import os
import socket
import struct
import sys


def parse(data):
    fields = {}
    while data:
        line, _, rest = data.partition(b"\n")
        name, equals, value = line.partition(b"=")
        if not equals:
            (size,) = struct.unpack("<Q", rest[:8])
            value, rest = rest[8 : 8 + size], rest[8 + size + 1 :]
        fields.setdefault(name.decode(), []).append(value.decode())
        data = rest
    return fields


def receive(listening):
    data, ancillary, _, _ = listening.recvmsg(1 << 20, socket.CMSG_SPACE(4))
    for level, kind, payload in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            descriptors = array.array("i")
            descriptors.frombytes(payload[:4])
            with os.fdopen(descriptors[0], "rb") as file:
                file.seek(0)
                data = file.read()
    return data


def main():
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listening.bind(sys.argv[1])
    listening.settimeout(0.5)
    parent = os.getppid()
    while os.getppid() == parent:
        try:
            entry = json.dumps(parse(receive(listening)))
        except TimeoutError:
            continue
        with open(sys.argv[2], "a", encoding="utf-8") as file:
            file.write(entry + "\n")


main()
