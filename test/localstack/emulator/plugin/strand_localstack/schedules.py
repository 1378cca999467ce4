"""LocalStack keeps the schedules of EventBridge Scheduler and never runs them: invoke functions at their rate()."""

import functools
import logging
import math
import re
import sys
import threading
import time

from localstack.aws.connect import connect_to

LOG = logging.getLogger(__name__)

RATE = re.compile(r"rate\((\d+) (minute|hour|day)s?\)")
SECONDS = {"minute": 60, "hour": 3600, "day": 86400}


def apply() -> None:
    threading.Thread(target=tick, name="schedules", daemon=True).start()


def tick() -> None:
    last: dict[tuple[str, float], float] = {}
    while True:
        time.sleep(1)
        for account, region, schedule in enabled_schedules():
            key = (schedule.arn, schedule.creation_date)
            now = time.time()
            if now - last.get(key, schedule.creation_date) < period_of(schedule.schedule_expression):
                continue
            last[key] = now
            try:
                invoke(account, region, schedule)
            except Exception as error:
                LOG.warning("Schedule %s: %s", schedule.arn, error)


def enabled_schedules():
    # Loaded by the first call of the service.
    models = sys.modules.get("moto.scheduler.models")
    for account, regions in list(models.scheduler_backends.items()) if models else []:
        for region, backend in list(regions.items()):
            for group in list(backend.schedule_groups.values()):
                for schedule in list(group.schedules.values()):
                    if schedule.state == "ENABLED":
                        yield account, region, schedule


@functools.cache
def period_of(expression: str) -> float:
    """Seconds; without end, with one warning, where it is no rate()."""
    rate = RATE.fullmatch(expression)
    if rate is None:
        LOG.warning("Schedules never run but rate(N minutes|hours|days): got %s", expression)
        return math.inf
    return int(rate[1]) * SECONDS[rate[2]]


def invoke(account: str, region: str, schedule) -> None:
    arn = schedule.target["Arn"]
    if ":lambda:" not in arn:
        raise ValueError(f"expected a function as target, got {arn}")
    clients = connect_to(aws_access_key_id=account, region_name=region)
    payload = schedule.target.get("Input") or "{}"
    clients.lambda_.invoke(FunctionName=arn, InvocationType="Event", Payload=payload)
