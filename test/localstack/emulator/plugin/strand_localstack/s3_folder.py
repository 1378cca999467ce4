"""All instances of LocalStack keep their objects in one fixed folder: use one of this instance."""

import os

from localstack.services.s3 import provider


def apply() -> None:
    provider.DEFAULT_S3_TMP_DIR = os.path.join(os.environ["STRAND_EMULATOR_DATA"], "s3")
