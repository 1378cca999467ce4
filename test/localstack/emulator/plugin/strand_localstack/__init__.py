"""What LocalStack 4.13.1 needs to run Strand's stack as plain processes: no Docker, no download, loopback only."""
