#!/usr/bin/env python3
"""A stand-in for Docker Engine that answers by path, and writes down each byte that it gets.

usage: fake_docker.py SOCKET FOLDER
FOLDER gets a file N.in for the Nth connection, with all that came in on it. The process ends at SIGTERM.

A request is read strictly: head, and body by Content-Length or chunks. The answer follows from the path:
  /_ping                  200 "OK"
  /echo                   200 with the body of the request
  /count/N                200 with N bytes, by Content-Length
  /chunks/N               200 with N chunks, then a trailer
  /follow/N               200 with N lines, one every 20 ms, chunked
  /until-close            200 without a length, then the end of the connection
  /status/N               status N, for 204 and 304 without a body
  /containers/X/attach    101 or, without Upgrade, 200: from then on an echo, with half-closes; ends with "bye"
  /early                  413 before the body is read, and the end of the connection
  /early-open             413 before the body is read
  /raw/NAME               the bytes of the file FOLDER/NAME, as they are
  /hang                   nothing
  /containers/create      201 with an id, or as FOLDER/create has it; what was asked is in FOLDER/created.NAME
  /containers/json        the containers made, with /containers/ID/json their inspections
  /containers/ID/ACTION   start, stop, update: 204, 204, 200; 404 if it was not made. What was asked is in FOLDER/ACTION.ID
  /cut                    half an answer, and the end of the connection
A version before the path, such as /v1.41, is ignored. Bodies are read before the answer, but for /early, /early-open and /hang. With "Expect: 100-continue" it sends 100 before it reads a body.
"""
import json
import os
import re
import signal
import socket
import sys
import threading
import time
import urllib.parse


class Connection:
    def __init__(self, sock, log):
        self.sock, self.log, self.waiting = sock, log, b""

    def more(self):
        data = self.sock.recv(1 << 18)
        self.log.write(data)
        self.log.flush()
        self.waiting += data
        return bool(data)

    def take(self, count):
        while len(self.waiting) < count:
            if not self.more():
                raise EOFError
        data, self.waiting = self.waiting[:count], self.waiting[count:]
        return data

    def line(self):
        while b"\r\n" not in self.waiting:
            if not self.more():
                raise EOFError
        line, self.waiting = self.waiting.split(b"\r\n", 1)
        return line

    def send(self, data):
        self.sock.sendall(data)

    def request(self):
        method, target, _ = self.line().split(b" ")
        fields = {}
        while line := self.line():
            name, value = line.split(b":", 1)
            fields[name.lower().decode("latin-1")] = value.strip().decode("latin-1")
        return method.decode(), target.decode(), fields

    def body(self, fields):
        if fields.get("expect") == "100-continue":
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        if "content-length" in fields:
            return self.take(int(fields["content-length"]))
        if "transfer-encoding" not in fields:
            return b""
        content = b""
        while size := int(self.line().split(b";")[0], 16):
            content += self.take(size)
            assert self.take(2) == b"\r\n"
        while self.line():
            pass
        return content


def answer(connection, status, body, *fields):
    head = [f"HTTP/1.1 {status} Phrase", f"Content-Length: {len(body)}", *fields]
    connection.send("\r\n".join(head).encode() + b"\r\n\r\n" + body)


def send_chunks(connection, lines, pause):
    connection.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n")
    for number in range(lines):
        text = f"line {number}\n".encode()
        connection.send(b"%x\r\n%s\r\n" % (len(text), text))
        time.sleep(pause)
    connection.send(b"0\r\nX-Sum: 7\r\n\r\n")


CONTAINERS = {}  # by id: what was asked, with the name


def write(folder, name, body):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(body)


def as_json(connection, status, value):
    answer(connection, status, json.dumps(value).encode(), "Content-Type: application/json")


def create(connection, target, body, folder):
    name = urllib.parse.parse_qs(urllib.parse.urlsplit(target).query).get("name", ["none"])[0]
    write(folder, f"created.{name}", body)
    prepared = os.path.join(folder, "create")
    if os.path.exists(prepared):
        with open(prepared, "rb") as file:
            connection.send(file.read())
        return
    container = f"{len(CONTAINERS) + 1:064x}"
    CONTAINERS[container] = {"name": name, **json.loads(body)}
    as_json(connection, 201, {"Id": container, "Warnings": []})


def inspection(container):
    made = CONTAINERS[container]
    config = {key: value for key, value in made.items() if key not in ("name", "HostConfig")}
    return {"Id": container, "Name": "/" + made["name"], "State": {"Running": True, "Status": "running"}, "Config": config,
            "HostConfig": made.get("HostConfig", {})}


def about_containers(connection, method, target, parts, body, folder):
    """Returns whether it is a request about containers that it knows."""
    if parts[:2] == ["containers", "create"]:
        create(connection, target, body, folder)
    elif parts[:2] == ["containers", "json"]:
        as_json(connection, 200, [{"Id": container} for container in CONTAINERS])
    elif parts[0] == "containers" and len(parts) == 3 and parts[2] == "json":
        known = parts[1] in CONTAINERS
        as_json(connection, 200 if known else 404, inspection(parts[1]) if known else {"message": "No such container"})
    elif parts[0] == "containers" and len(parts) == 3 and parts[2] in ("start", "stop", "update"):
        write(folder, f"{parts[2]}.{parts[1]}", body)
        if parts[1] not in CONTAINERS:
            as_json(connection, 404, {"message": "No such container"})
        elif parts[2] == "update":
            as_json(connection, 200, {"Warnings": None})
        else:
            connection.send(b"HTTP/1.1 204 No Content\r\n\r\n")
    else:
        return False
    return True


def hijack(connection, fields):
    if "upgrade" in fields:
        connection.send(b"HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\n"
                        b"Connection: Upgrade\r\nUpgrade: tcp\r\n\r\nhello\n")
    else:
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/vnd.docker.raw-stream\r\n\r\nhello\n")
    while True:
        if connection.waiting:
            connection.send(connection.waiting)
            connection.waiting = b""
        if not connection.more():
            break
    connection.send(b"bye\n")


def serve_one(connection, folder):
    """Returns whether another request may follow."""
    method, target, fields = connection.request()
    parts = re.sub(r"^/v\d[^/]*", "", target.split("?")[0]).split("/")[1:]
    if parts[0] == "hang":
        while connection.more():
            pass
        return False
    if parts[0] == "early":
        answer(connection, 413, b"too big\n", "Connection: close")
        return False
    if parts[0] == "early-open":
        answer(connection, 413, b"too big\n")
        connection.body(fields)
        return True
    body = connection.body(fields)
    if about_containers(connection, method, target, parts, body, folder):
        pass
    elif parts[0] == "echo":
        answer(connection, 200, body)
    elif parts[0] == "count":
        length = int(parts[1])
        connection.send(f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n".encode())
        block = bytes(range(256)) * 256
        while length > 0 and method != "HEAD":
            connection.send(block[:length])
            length -= len(block)
    elif parts[0] == "chunks":
        send_chunks(connection, int(parts[1]), 0)
    elif parts[0] == "follow":
        send_chunks(connection, int(parts[1]), 0.02)
    elif parts[0] == "until-close":
        connection.send(b"HTTP/1.1 200 OK\r\n\r\nthe rest")
        return False
    elif parts[0] == "status" and parts[1] in ("204", "304"):
        connection.send(f"HTTP/1.1 {parts[1]} Phrase\r\n\r\n".encode())
    elif parts[0] == "status":
        answer(connection, int(parts[1]), b"status\n")
    elif parts[-1] == "attach":
        hijack(connection, fields)
        return False
    elif parts[0] == "raw":
        with open(os.path.join(folder, parts[1]), "rb") as file:
            connection.send(file.read())
    elif parts[0] == "cut":
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        return False
    else:
        answer(connection, 200, b"OK")
    return fields.get("connection", "").lower() != "close"


def serve(sock, number, folder):
    with open(os.path.join(folder, f"{number}.in"), "wb") as log:
        connection = Connection(sock, log)
        try:
            while serve_one(connection, folder):
                pass
        except (EOFError, OSError):
            pass
        sock.close()


def main(path, folder):
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    if os.path.exists(path):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(128)
    number = 0
    while True:
        sock, _ = listener.accept()
        number += 1
        threading.Thread(target=serve, args=(sock, number, folder), daemon=True).start()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
