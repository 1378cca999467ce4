"""
DynamoDB Local, in memory: `python -m strand_localstack.dynamodb_local PORT`. Its own main class listens on all
addresses and takes no other wish, so the Java machine runs in this process, which sets the address before the start.
"""

import glob
import os
import sys

import jpype


def main(port: str) -> None:
    jars = os.environ["STRAND_DYNAMODB_LOCAL"]
    jpype.startJVM(
        "-Xmx512m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        f"-Dsqlite4java.library.path={jars}",
        classpath=sorted(glob.glob(os.path.join(jars, "*.jar"))),
    )
    runner = jpype.JClass("com.amazonaws.services.dynamodbv2.local.main.ServerRunner")
    # Shared: one database for all accounts and regions. A caller without LocalStack in between finds the same tables.
    arguments = ["-inMemory", "-sharedDb", "-disableTelemetry", "-port", port]
    server = runner.createServerFromCommandLineArgs(arguments)
    jetty = server.getClass().getDeclaredField("server")
    jetty.setAccessible(True)
    for connector in jetty.get(server).getConnectors():
        connector.setHost("127.0.0.1")
    server.start()
    server.join()


if __name__ == "__main__":
    main(sys.argv[1])
