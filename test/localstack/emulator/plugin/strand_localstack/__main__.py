"""Runs LocalStack for as long as the process that started it holds the other end of standard input."""

import os
import shutil
import signal
import sys
import threading


def end_with_parent() -> None:
    """However the parent ends, its end of the pipe closes: nothing of this process group, and no data, stays behind."""
    sys.stdin.buffer.read()
    shutil.rmtree(os.environ["STRAND_EMULATOR_DATA"], ignore_errors=True)
    os.killpg(os.getpgrp(), signal.SIGKILL)


if __name__ == "__main__":
    threading.Thread(target=end_with_parent, daemon=True).start()
    from localstack.runtime.main import main

    main()
