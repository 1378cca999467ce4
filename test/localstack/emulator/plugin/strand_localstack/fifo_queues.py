"""
What SQS promises of FIFO queues and LocalStack does not keep:
- A visibility timeout ends when it ends: LocalStack looks once a second, here ten times.
- A message in flight holds back its own group only: LocalStack makes expired messages visible in order of receipt,
  so the first that is still in flight holds back those of all other groups.
- A group stays locked while any of its messages is in flight: LocalStack unlocks it with the first that comes back.
- With DeduplicationScope=messageGroup an id counts within its group: LocalStack forgets A's when B sends the same.
"""

from localstack.services.sqs import models, provider
from localstack.utils.scheduler import Scheduler
from localstack.utils.threads import start_thread

REQUEUE_EVERY_S = 0.1


def apply() -> None:
    provider.QueueUpdateWorker.start = start_updates
    queue = models.FifoQueue
    queue.requeue_inflight_messages = requeue_inflight_messages
    queue._put_message = put_visible
    queue.put = deduplicated_by_group(queue.put)
    queue.clear = forgetting_groups(queue.clear)


def start_updates(self) -> None:
    with self.mutex:
        if self.thread:
            return
        scheduler = self.scheduler = Scheduler()
        scheduler.schedule(self.do_update_all_queues, period=REQUEUE_EVERY_S)
        self.thread = start_thread(lambda *_: scheduler.run(), name="sqs-queue-update-worker")


def requeue_inflight_messages(self) -> None:
    if not self.inflight:
        return
    with self.mutex:
        for message in [message for message in self.inflight if message.is_visible]:
            del self.inflight[message]
            self._put_message(message)


def put_visible(self, message) -> None:
    """Puts a message that has just become visible into its group, which it unlocks only as the last one in flight."""
    with self.mutex:
        group = self.get_message_group(message.message_group_id)
        was_empty = group.empty()
        group.push(message)
        if group in self.inflight_groups:
            if message.receive_count > 0:
                self.update_message_group_visibility(group)
        elif was_empty:
            self.message_group_queue.put_nowait(group)


def deduplicated_by_group(put):
    def put_in_scope(self, *args, message_group_id=None, **kwargs):
        if self.deduplication_scope != "messageGroup" or not message_group_id:
            return put(self, *args, message_group_id=message_group_id, **kwargs)
        with self.mutex:
            of_queue = self.deduplication
            of_groups = self.__dict__.setdefault("deduplication_of_groups", {})
            self.deduplication = of_groups.setdefault(message_group_id, {})
            try:
                return put(self, *args, message_group_id=message_group_id, **kwargs)
            finally:
                self.deduplication = of_queue

    return put_in_scope


def forgetting_groups(clear):
    def clear_all(self) -> None:
        with self.mutex:
            self.__dict__.pop("deduplication_of_groups", None)
            clear(self)

    return clear_all
