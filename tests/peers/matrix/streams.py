"""exec, attach and port-forward through the kubelet's API: a small client of WebSockets (RFC 6455) with the channels of v4.channel.k8s.io, and kubectl's
own library, which speaks SPDY and v5.channel.k8s.io. A kubelet from 1.36 on passes only the first of the three on as it is.
"""
import base64
import json
import os
import socket
import struct
import subprocess
import time
import urllib.parse

import kubelet
import machine

STDIN, STDOUT, STDERR, ERROR = range(4)
BINARY, CLOSE, PING, PONG = 2, 8, 9, 10


class Refused(Exception):
    """The other side answered with something else than a WebSocket."""


class WebSocket:
    def __init__(self, url, seconds=15):
        place = urllib.parse.urlsplit(url)
        self.socket = socket.create_connection((place.hostname, place.port), seconds)
        if place.scheme == "https":
            self.socket = kubelet.WITHOUT_CHECKS.wrap_socket(self.socket)
        self.rest = b""
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {place.path}?{place.query} HTTP/1.1\r\nHost: {place.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n").encode())
        self.accept()

    def accept(self):
        while b"\r\n\r\n" not in self.rest:
            more = self.socket.recv(4096)
            if not more:
                raise Refused(self.rest.decode(errors="replace")[:400] or "the connection ended")
            self.rest += more
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        lines = head.decode(errors="replace").split("\r\n")
        status = lines[0].split()[1]
        # Kubelets up to 1.17 may lead their callers to the runtime's own server.
        self.location = next((line.partition(": ")[2] for line in lines if line.lower().startswith("location:")), None) if status == "302" else None
        if status != "101" and not self.location:
            raise Refused(f"{lines[0]}: {self.rest.decode(errors='replace')[:400]}")

    def exactly(self, size):
        while len(self.rest) < size:
            more = self.socket.recv(65536)
            if not more:
                raise EOFError
            self.rest += more
        taken, self.rest = self.rest[:size], self.rest[size:]
        return taken

    def receive(self):
        """The next message as channel and bytes. EOFError at the end."""
        while True:
            first, second = self.exactly(2)
            size = second & 127
            if size == 126:
                size = struct.unpack(">H", self.exactly(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.exactly(8))[0]
            message = self.exactly(size)
            kind = first & 15
            if kind == CLOSE:
                raise EOFError
            if kind == PING:
                self.frame(PONG, message)
            elif message:
                return message[0], message[1:]

    def frame(self, kind, message):
        mask = os.urandom(4)
        size = bytes([128 | len(message)]) if len(message) < 126 else bytes([128 | 126]) + struct.pack(">H", len(message))
        self.socket.sendall(bytes([128 | kind]) + size + mask + bytes(byte ^ mask[place % 4] for place, byte in enumerate(message)))

    def send(self, channel, data):
        self.frame(BINARY, bytes([channel]) + data)

    def close(self):
        self.socket.close()


def url_of(verb, pod, container, query):
    """A container of a static pod, whose name ends in that of the node; or the pod."""
    path = f"/{verb}/default/{pod}-{machine.HOSTNAME}" + (f"/{container}" if container else "")
    return f"https://127.0.0.1:10250{path}?{urllib.parse.urlencode(query)}"


def connect(verb, pod, container, query):
    url = url_of(verb, pod, container, query)
    for _ in range(3):
        one = WebSocket(url)
        if not one.location:
            return one
        one.close()
        url = one.location
    raise Refused("led from one place to another")


def talk(place, query, given=b"", until=None, seconds=15):
    """Sends, and reads to the end or until this text has come: {"out", "err", "error"}."""
    said = {STDOUT: b"", STDERR: b"", ERROR: b""}
    try:
        one = connect(*place, query)
    except (Refused, OSError) as error:
        return {"refused": str(error)}
    end = time.monotonic() + seconds
    try:
        if given:
            one.send(STDIN, given)
        while time.monotonic() < end and not (until and until in said[STDOUT]):
            channel, data = one.receive()
            said[channel] = said.get(channel, b"") + data
    except EOFError:
        pass
    except OSError as error:
        return {"broken": str(error), "out": said[STDOUT].decode(errors="replace")}
    finally:
        one.close()
    return {"out": said[STDOUT].decode(errors="replace"), "err": said[STDERR].decode(errors="replace"), "error": verdict(said[ERROR])}


def verdict(message):
    """What the channel of errors says in the end: a Status."""
    try:
        status = json.loads(message)
    except ValueError:
        return message.decode(errors="replace")
    causes = [f"{one.get('reason')} {one.get('message')}" for one in (status.get("details") or {}).get("causes") or []]
    return {"status": status.get("status"), "reason": status.get("reason"), "message": status.get("message"), "causes": causes}


def exec_query(words, given, tty):
    return [("command", word) for word in words] + [("output", 1)] + ([("tty", 1)] if tty else [("error", 1)]) + ([("input", 1)] if given else [])


def execute(pod, container, words, given=b"", until=None, tty=False, seconds=15):
    return talk(("exec", pod, container), exec_query(words, given, tty), given, until, seconds)


def attach_query(tty):
    return [("output", 1), ("input", 1)] + ([("tty", 1)] if tty else [("error", 1)])


def attach(pod, container, given, until, tty=True):
    return talk(("attach", pod, container), attach_query(tty), given, until)


def forward(pod, port, given):
    """What a port of a pod answers. The first message of each channel repeats the port."""
    try:
        one = connect("portForward", pod, None, [("port", port)])
        one.send(0, given)
        said, first = {0: b"", 1: b""}, {0: True, 1: True}
        try:
            while not said[1]:
                channel, data = one.receive()
                said[channel] += b"" if first[channel] else data
                first[channel] = False
                if b"\n\n" in said[0] or said[0].endswith(b"pod\n"):
                    break
        except EOFError:
            pass
        one.close()
    except (Refused, OSError) as error:
        return {"refused": str(error)}
    return {"out": said[0].decode(errors="replace"), "error": said[1].decode(errors="replace")}


class Kubectl:
    """What kubectl does, by its library: `protocol` is spdy, or websocket, from which it falls back to SPDY as kubectl does."""

    def __init__(self, peers, protocol):
        self.command = [peers / "stream-client/stream-client", protocol]

    def talk(self, does, place, query, given, *options):
        done = subprocess.run([*self.command, does, *options, url_of(*place, query)], input=given, capture_output=True, timeout=60, check=False)
        return json.loads(done.stdout) if done.returncode == 0 else {"refused": done.stderr.decode(errors="replace")[-400:]}

    def execute(self, pod, container, words, given=b""):
        return self.talk("exec", ("exec", pod, container), exec_query(words, given, False), given)

    def attach(self, pod, container, given, until):
        return self.talk("exec", ("attach", pod, container), attach_query(True), given, "-tty", "-until", until)

    def forward(self, pod, port, given, until):
        return self.talk("forward", ("portForward", pod, None), [("port", port)], given, "-port", str(port), "-until", until)
