"""One Node process that serves one function, as an execution environment of AWS Lambda does."""

import os
import shutil
import signal
import subprocess
import threading

from strand_localstack.runtime_api import Event, Request, RuntimeApi

START_TIMEOUT_S = 60
"""AWS gives 10 s; here many may start at once on few cores."""

RUNTIME = os.path.join(os.path.dirname(__file__), "runtime.ts")


class FunctionProcess:
    def __init__(self, *, code: str, environment: dict[str, str], memory_mb: int, folder: str, log):
        """Starts it. What it prints goes to `log`, its temporary files to `folder`."""
        self.folder = folder
        self.api = RuntimeApi()
        threading.Thread(target=self.api.serve_forever, daemon=True).start()
        self.process = subprocess.Popen(
            # Lambda ends a function that needs more memory; here only the heap of V8 has an end.
            [os.environ["STRAND_NODE"], f"--max-old-space-size={max(64, memory_mb * 9 // 10)}", RUNTIME],
            cwd=code,
            env={
                "PATH": os.environ["PATH"],
                "LANG": "en_US.UTF-8",
                "HOME": folder,
                "TMPDIR": folder,
                # The SDK that AWS's runtime carries, for functions that do not bundle it.
                "NODE_PATH": os.environ["STRAND_NODE_MODULES"],
                # Without LocalStack in between.
                "AWS_ENDPOINT_URL_DYNAMODB": os.environ["STRAND_DYNAMODB"],
                **({"NODE_COMPILE_CACHE": cache} if (cache := os.environ.get("STRAND_COMPILE_CACHE")) else {}),
                **environment,
                "TZ": "UTC",
                "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{self.api.server_port}",
                "LAMBDA_TASK_ROOT": code,
            },
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        threading.Thread(target=self._report_exit, daemon=True).start()

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def wait_ready(self) -> Event:
        """The event `next`, or what came instead of it. A start that takes too long ends as an exit."""
        deadline = threading.Timer(START_TIMEOUT_S, self.process.kill)
        deadline.daemon = True
        deadline.start()
        try:
            return self.api.events.get()
        finally:
            deadline.cancel()

    def invoke(self, request: Request, timeout_s: float) -> Event | None:
        """The event that ended the invocation; none if nothing did in time."""
        self.api.requests.put(request)
        deadline = threading.Timer(timeout_s, lambda: self.api.events.put(Event("timeout", request.request_id)))
        deadline.daemon = True
        deadline.start()
        try:
            while True:
                event = self.api.events.get()
                if event.kind == "exit" or event.request_id == request.request_id:
                    return None if event.kind == "timeout" else event
        finally:
            deadline.cancel()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def _report_exit(self) -> None:
        code = self.process.wait()
        self.api.events.put(Event("exit", exit_code=code))
        self.api.requests.put(None)
        self.api.shutdown()
        self.api.server_close()
        shutil.rmtree(self.folder, ignore_errors=True)


def exit_message(code: int) -> str:
    how = f"signal: {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
    return f"Runtime exited with error: {how}"
