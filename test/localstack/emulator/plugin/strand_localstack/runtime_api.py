"""The Lambda Runtime API (version 2018-06-01) of one function process, on a port of its own."""

import dataclasses
import queue
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PREFIX = "/2018-06-01/runtime"


@dataclasses.dataclass(frozen=True)
class Event:
    """What a function process did: `next` (it is ready), `init-error`, `response`, `error` or `exit`."""

    kind: str
    request_id: str | None = None
    body: bytes = b""
    exit_code: int | None = None


@dataclasses.dataclass(frozen=True)
class Request:
    request_id: str
    function_arn: str
    payload: str
    trace_id: str
    deadline_ms: int


class RuntimeApi(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        self.requests: queue.Queue[Request | None] = queue.Queue()
        self.events: queue.Queue[Event] = queue.Queue()
        super().__init__(("127.0.0.1", 0), Handler)


class Handler(BaseHTTPRequestHandler):
    server: RuntimeApi
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    def do_GET(self):
        if self.path != f"{PREFIX}/invocation/next":
            return self._answer(404)
        self.server.events.put(Event("next"))
        request = self.server.requests.get()
        if request is None:
            # The process has ended.
            self.close_connection = True
            return
        headers = {
            "Content-Type": "application/json",
            "Lambda-Runtime-Aws-Request-Id": request.request_id,
            "Lambda-Runtime-Invoked-Function-Arn": request.function_arn,
            "Lambda-Runtime-Trace-Id": request.trace_id,
            "Lambda-Runtime-Deadline-Ms": str(request.deadline_ms),
        }
        self._answer(200, request.payload.encode(), headers)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        match self.path.removeprefix(PREFIX).strip("/").split("/"):
            case ["init", "error"]:
                event = Event("init-error", body=body)
            case ["invocation", request_id, ("response" | "error") as kind]:
                event = Event(kind, request_id, body)
            case _:
                return self._answer(404)
        # Before the answer: the process may exit as soon as it has it.
        self.server.events.put(event)
        self._answer(202)

    def _answer(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
