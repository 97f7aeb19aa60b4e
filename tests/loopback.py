"""A small OpenAI-compatible server on this machine: counts calls, may be slow, may fail."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[[dict[str, Any]], tuple[int, Any]]


@dataclass
class Server:
    """What the server has seen."""

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @property
    def environment(self) -> dict[str, str]:
        return {"LOOP_BASE_URL": self.url, "LOOP_API_KEY": "none"}


def completion(text: str) -> dict[str, Any]:
    return {
        "id": "x", "object": "chat.completion", "created": 0, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
    }  # fmt: skip


def says(text: str) -> Reply:
    return lambda request: (200, completion(text))


@contextmanager
def serving(reply: Reply, delay: float = 0.0) -> Iterator[Server]:
    """Serve chat completions until the block ends."""
    state = Server("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.requests.append(request)
            time.sleep(delay)
            status, body = reply(request)
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            """A client that was killed in mid-call."""

    server = Quiet(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
