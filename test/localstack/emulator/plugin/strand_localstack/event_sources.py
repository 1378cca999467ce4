"""
LocalStack serves each SQS event source with one thread: batches one after the other, FIFO groups one after the other;
MaximumConcurrency and batching windows of up to 20 s are not heeded. Here, as on AWS, so many invocations go at once,
and a batch of a FIFO queue may hold several groups. SQS itself keeps a group locked while it is in flight.
"""

import logging
import math
import threading
import time

from localstack.services.lambda_.event_source_mapping import esm_worker_factory
from localstack.services.lambda_.event_source_mapping.pollers.sqs_poller import SqsPoller

LOG = logging.getLogger(__name__)

DEFAULT_CONCURRENCY = 5
"""AWS begins with five, and then scales: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html."""

MAX_CONCURRENCY = 20
"""Each invocation is a Node process of 70 MB and more on this machine."""

LONG_POLL_S = 5


class ConcurrentSqsPoller(SqsPoller):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.free = threading.Semaphore(DEFAULT_CONCURRENCY)

    def limit(self, concurrency: int) -> None:
        """To be called before the first poll."""
        self.free = threading.Semaphore(min(concurrency, MAX_CONCURRENCY))

    def poll_events(self) -> None:
        """One batch, which is received when there is a free slot, and handled aside. Its worker calls this in a loop."""
        if not self.free.acquire(timeout=LONG_POLL_S):
            return
        messages = []
        try:
            messages = self._receive()
        finally:
            if not messages:
                self.free.release()
        if messages:
            threading.Thread(target=self._handle, args=(messages,), daemon=True).start()

    def _receive(self) -> list[dict]:
        """A batch, gathered until it is full or its window over."""
        messages = self._poll(self.batch_size, LONG_POLL_S)
        end = time.monotonic() + self.maximum_batching_window
        while messages and len(messages) < self.batch_size and (left := end - time.monotonic()) > 0:
            messages += self._poll(self.batch_size - len(messages), math.ceil(left))
        return messages

    def _poll(self, most: int, wait_s: int) -> list[dict]:
        response = self.source_client.receive_message(
            QueueUrl=self.queue_url,
            MaxNumberOfMessages=min(most, 10),
            WaitTimeSeconds=min(wait_s, 20),
            MessageAttributeNames=["All"],
            MessageSystemAttributeNames=["All"],
            # LocalStack's own header, for what AWS's pollers do in several calls.
            sqs_override_max_message_count=most,
        )
        return response.get("Messages", [])

    def _handle(self, messages: list[dict]) -> None:
        try:
            self.handle_messages(messages)
        except Exception as error:
            # They come back after their visibility timeout.
            LOG.info("A batch of %s failed: %s", self.source_arn, error)
        finally:
            self.free.release()


def apply() -> None:
    factory = esm_worker_factory.EsmWorkerFactory
    make = factory.get_esm_worker

    def get_esm_worker(self):
        worker = make(self)
        wanted = (self.esm_config.get("ScalingConfig") or {}).get("MaximumConcurrency")
        if wanted and isinstance(worker.poller, ConcurrentSqsPoller):
            worker.poller.limit(int(wanted))
        return worker

    esm_worker_factory.SqsPoller = ConcurrentSqsPoller
    factory.get_esm_worker = get_esm_worker
