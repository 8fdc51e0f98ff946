#!/usr/bin/env python3
"""A stand-in for Docker Engine that keeps containers, as far as its API for them goes.

usage: docker_engine.py SOCKET JOURNAL
JOURNAL gets a line of JSON for each request: method, target, body (null: none), status. Nothing is run, no image is looked at. A container
is found by its id, its name, or the beginning of its id, in this order. While the file `JOURNAL.hang` is there, requests for a container's
state are not answered; while `JOURNAL.refuse` is there, they get 500. SIGTERM ends it.
"""
import copy
import hashlib
import json
import os
import re
import signal
import socketserver
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler

lock = threading.Lock()
containers = {}  # by id
journal = None


class Failure(Exception):
    pass


def find(reference):
    if reference in containers:
        return containers[reference]
    for container in containers.values():
        if container["Name"] == "/" + reference.lstrip("/"):
            return container
    found = [container for key, container in containers.items() if key.startswith(reference)]
    if len(found) != 1:
        raise Failure(404 if not found else 400, f"No such container: {reference}")
    return found[0]


def create(query, body):
    name = "/" + query.get("name", f"unnamed{len(containers)}").lstrip("/")
    for container in containers.values():
        if container["Name"] == name:
            raise Failure(409, f"Conflict. The container name {name} is already in use")
    identity = hashlib.sha256(f"{name}{time.time_ns()}".encode()).hexdigest()
    containers[identity] = {
        "Id": identity,
        "Name": name,
        "State": {"Status": "created", "Running": False},
        "Config": {"Labels": body.get("Labels"), "Env": (body.get("Env") or []) + ["PATH=/bin"], "Image": body.get("Image")},
        "HostConfig": copy.deepcopy(body.get("HostConfig") or {}),
    }
    return 201, {"Id": identity, "Warnings": []}


def start(container, _body):
    if container["State"]["Running"]:
        return 304, None
    container["State"] = {"Status": "running", "Running": True}
    return 204, None


def stop(container, _body):
    if not container["State"]["Running"]:
        return 304, None
    container["State"] = {"Status": "exited", "Running": False}
    return 204, None


def update(container, body):
    for key, value in body.items():
        if value:
            container["HostConfig"][key] = value
    return 200, {"Warnings": []}


def listed(query):
    wanted = json.loads(query.get("filters", "{}")).get("label", [])
    wanted = list(wanted) if isinstance(wanted, (list, dict)) else [wanted]
    return 200, [
        {"Id": container["Id"], "Names": [container["Name"]], "Labels": container["Config"]["Labels"] or {}}
        for container in containers.values()
        if all(label in (container["Config"]["Labels"] or {}) for label in wanted)
        and (query.get("all") == "1" or container["State"]["Running"])
    ]


def serve(method, target, body):
    parts = urllib.parse.urlsplit(target)
    query = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
    path = re.sub(r"^/v[0-9.]+(?=/)", "", urllib.parse.unquote(parts.path))
    if path == "/_ping":
        return 200, None
    if (method, path) == ("POST", "/containers/create"):
        return create(query, body)
    if (method, path) == ("GET", "/containers/json"):
        return listed(query)
    action = re.fullmatch(r"/containers/(.*)/(start|stop|update)", path)
    if method == "POST" and action:
        return {"start": start, "stop": stop, "update": update}[action[2]](find(action[1]), body)
    inspection = re.fullmatch(r"/containers/(.*)/json", path)
    if method == "GET" and inspection:
        return 200, copy.deepcopy(find(inspection[1]))
    if method == "DELETE" and path.startswith("/containers/"):
        del containers[find(path[len("/containers/"):])["Id"]]
        return 204, None
    raise Failure(404, "page not found")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def read_body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            content = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                content += self.rfile.read(size)
                self.rfile.readline()
            while self.rfile.readline().strip():
                pass
            return content
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def serve(self):
        content = self.read_body()
        inspects = self.command == "GET" and self.path.endswith("/json") and "/containers/json" not in self.path
        while inspects and os.path.exists(journal + ".hang"):
            time.sleep(0.05)
        try:
            body = json.loads(content) if content.strip() else None
            if inspects and os.path.exists(journal + ".refuse"):
                raise Failure(500, "told to refuse")
            with lock:
                status, answer = serve(self.command, self.path, body)
        except Failure as failure:
            status, answer = failure.args[0], {"message": failure.args[1]}
        except ValueError as error:
            status, answer, body = 400, {"message": str(error)}, content.decode("latin-1")
        text = b"" if answer is None else json.dumps(answer).encode()
        with lock, open(journal, "a", encoding="utf-8") as file:
            line = {"method": self.command, "target": self.path, "body": body, "raw": content.decode("latin-1"), "status": status}
            file.write(json.dumps(line) + "\n")
        self.send_response(status)
        if status not in (204, 304):
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if status not in (204, 304):
            self.wfile.write(text)

    do_GET = do_POST = do_DELETE = do_HEAD = serve


class Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    request_queue_size = 128

    def get_request(self):
        request, _ = super().get_request()
        return request, ("docker", 0)


def main(path, file):
    global journal
    journal = file
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    if os.path.exists(path):
        os.unlink(path)
    with Server(path, Handler) as server:
        print("listening", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
