#!/usr/bin/env python3
"""Speaks to a Unix socket step by step, and prints what comes back.

usage: http_talk.py SOCKET STEP...
  send:TEXT    sends TEXT, in which \\r, \\n, \\t and \\xNN mean what they mean in C
  slow:TEXT    the same byte by byte
  file:FILE    sends the bytes of a file
  fill:N       sends N bytes 'a'
  pump:N       the same, while it reads
  more:N       makes that many more connections, over which nothing is sent
  expect:TEXT  reads until TEXT has come, since the last expect
  shut         says that nothing more is sent, and goes on reading
  pause:N      waits N milliseconds
  patience:N   lets each of the steps that follow last N seconds
  rest         reads until the other side ends
  close        closes without reading
A step that lasts longer than 20 s fails. A reset by the other side counts as its end.
"""
import re
import select
import socket
import sys
import threading
import time


def unescape(text):
    return re.sub(rb"\\(x[0-9a-f]{2}|.)", lambda m: bytes([int(m[1][1:], 16)]) if m[1][:1] == b"x" and len(m[1]) == 3
                  else {b"r": b"\r", b"n": b"\n", b"t": b"\t"}.get(m[1], m[1]), text.encode())


class Talk:
    def __init__(self, path):
        self.path = path
        self.more = []
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(20)
        self.sock.connect(path)
        self.seen = b""

    def read(self):
        try:
            data = self.sock.recv(1 << 16)
        except ConnectionResetError:
            data = b""
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return data

    def sees_more(self):
        return not select.select([self.sock], [], [], 0.05)[0] or self.read()

    def send(self, data):
        try:
            self.sock.sendall(data)
        except BrokenPipeError:
            print("(it takes no more)")

    def expect(self, text):
        while text not in self.seen:
            data = self.read()
            if not data:
                sys.exit(f"the end came before {text!r}")
            self.seen += data
        self.seen = self.seen.split(text, 1)[1]

    def step(self, name, argument):
        if name == "send":
            self.send(unescape(argument))
        elif name == "slow":
            for byte in unescape(argument):
                self.send(bytes([byte]))
                time.sleep(0.001)
        elif name == "file":
            with open(argument, "rb") as file:
                self.send(file.read())
        elif name == "fill":
            self.send(b"a" * int(argument))
        elif name == "pump":
            sender = threading.Thread(target=self.send, args=(b"a" * int(argument),))
            sender.start()
            while sender.is_alive() and self.sees_more():
                pass
            sender.join()
        elif name == "expect":
            self.expect(unescape(argument))
        elif name == "more":
            self.more = [Talk(self.path) for _ in range(int(argument))]
            print("more are connected", flush=True)
        elif name == "shut":
            self.sock.shutdown(socket.SHUT_WR)
        elif name == "pause":
            time.sleep(int(argument) / 1000)
        elif name == "patience":
            self.sock.settimeout(int(argument))
        elif name == "rest":
            while self.read():
                pass
        elif name == "close":
            self.sock.close()
        else:
            sys.exit(f"no step {name}")


def main(path, *steps):
    talk = Talk(path)
    for step in steps:
        name, _, argument = step.partition(":")
        talk.step(name, argument)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
