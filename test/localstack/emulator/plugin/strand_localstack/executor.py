"""Runs the functions' execution environments as processes of this machine, where LocalStack would start containers."""

import json
import os
import tempfile
import time

from localstack import config
from localstack.services.lambda_.invocation.executor_endpoint import StatusErrorException
from localstack.services.lambda_.invocation.lambda_models import InvocationResult
from localstack.services.lambda_.invocation.runtime_executor import RuntimeExecutor

from strand_localstack.function_process import FunctionProcess, exit_message
from strand_localstack.runtime_api import Event, Request


class ProcessExecutor(RuntimeExecutor):
    """
    One execution environment. Its process is replaced after an exit or a time-out, as AWS resets the sandbox. All that
    it prints, and a line for the start and the end of each invocation, stands in LOGS/FUNCTION/ENVIRONMENT.log.
    """

    def __init__(self, id, function_version):
        super().__init__(id, function_version)
        self.process: FunctionProcess | None = None
        self.environment: dict[str, str] = {}
        folder = os.path.join(os.environ["STRAND_FUNCTION_LOGS"], function_version.id.function_name)
        os.makedirs(folder, exist_ok=True)
        self.log = open(os.path.join(folder, f"{id}.log"), "ab+", buffering=0)
        self.is_stopped = False

    @classmethod
    def prepare_version(cls, function_version):
        if function_version.config.code:
            function_version.config.code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version):
        pass

    def get_address(self):
        return "127.0.0.1"

    def get_endpoint_from_executor(self):
        return "127.0.0.1"

    def get_runtime_endpoint(self):
        return f"http://127.0.0.1:{config.GATEWAY_LISTEN[0].port}/_localstack_lambda/{self.id}"

    def get_logs(self):
        return self._log_since(0)

    def start(self, env_vars):
        self.environment = {name: str(value) for name, value in env_vars.items()}
        self._start_process()

    def stop(self):
        self.is_stopped = True
        if self.process:
            self.process.kill()

    def invoke(self, payload):
        if self.process is None or not self.process.is_alive:
            self._start_process()
        settings = self.function_version.config
        begun = time.time()
        request = Request(
            request_id=payload["invoke-id"],
            function_arn=payload["invoked-function-arn"],
            payload=payload["payload"],
            trace_id=payload["trace-id"],
            deadline_ms=int((begun + settings.timeout) * 1000),
        )
        log_start = os.fstat(self.log.fileno()).st_size
        self._write(f"START RequestId: {request.request_id} Version: {self.function_version.id.qualifier}")
        event = self.process.invoke(request, settings.timeout)
        if event is None:
            # AWS resets the whole sandbox.
            self.process.kill()
        body = ended_by(event, request.request_id, settings.timeout)
        ms = (time.time() - begun) * 1000
        if event is None or event.kind == "exit":
            self._write(json.loads(body)["errorMessage"])
        self._write(f"END RequestId: {request.request_id}")
        self._write(
            f"REPORT RequestId: {request.request_id}\tDuration: {ms:.2f} ms\t"
            f"Billed Duration: {int(ms) + 1} ms\tMemory Size: {settings.memory_size} MB"
        )
        is_error = event is None or event.kind != "response"
        return InvocationResult(request.request_id, body, is_error=is_error, logs=self._log_since(log_start))

    def _start_process(self) -> None:
        """Throws what AWS answers to the invocation that needed the process. LocalStack stops one that takes too long."""
        settings = self.function_version.config
        if not (settings.runtime or "").startswith("nodejs"):
            raise StatusErrorException(
                "No such runtime", error("Runtime.Unknown", f"Expected a Node runtime, got {settings.runtime}")
            )
        self.process = FunctionProcess(
            code=str(settings.code.get_unzipped_code_location()),
            environment=self.environment,
            memory_mb=settings.memory_size,
            folder=tempfile.mkdtemp(prefix="function-"),
            log=self.log,
        )
        if self.is_stopped:
            self.process.kill()
        event = self.process.wait_ready()
        if event.kind == "next":
            return
        self.process.kill()
        if event.kind == "exit":
            raise StatusErrorException("It exited", error("Runtime.ExitError", exit_message(event.exit_code)))
        raise StatusErrorException("It did not start", event.body)

    def _write(self, line: str) -> None:
        self.log.write(f"{line}\n".encode())

    def _log_since(self, offset: int) -> str:
        size = os.fstat(self.log.fileno()).st_size
        return os.pread(self.log.fileno(), size - offset, offset).decode(errors="replace")


def ended_by(event: Event | None, request_id: str, timeout_s: int) -> bytes:
    """What AWS answers to an invocation that ended so."""
    if event is None:
        return error("Sandbox.Timedout", f"RequestId: {request_id} Error: Task timed out after {timeout_s:.2f} seconds")
    if event.kind == "exit":
        return error("Runtime.ExitError", f"RequestId: {request_id} Error: {exit_message(event.exit_code)}")
    return event.body


def error(kind: str, message: str) -> bytes:
    return json.dumps({"errorType": kind, "errorMessage": message}).encode()
