"""python crawl.py SEEDS CONCURRENCY [FOLDER]: all that links lead to, as fast as it goes; with FOLDER, its queue and
WARC records are kept there."""
import io
import os
import sys

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

SEEDS = open(sys.argv[1]).read().split()
CONCURRENCY = int(sys.argv[2])
FOLDER = sys.argv[3] if len(sys.argv) > 3 else None


class WarcWriting:
    """Writes each exchange, its body decoded, as a response and a request record."""

    def __init__(self):
        from warcio.warcwriter import WARCWriter

        self.writer = WARCWriter(open(os.path.join(FOLDER, "pages.warc.gz"), "wb"), gzip=True)

    def process_response(self, request, response):
        from warcio.statusandheaders import StatusAndHeaders

        def pairs(headers):
            return [(name.decode("latin1"), value.decode("latin1")) for name, values in headers.items() for value in values]

        kept = self.writer.create_warc_record(
            response.url,
            "response",
            payload=io.BytesIO(response.body),
            http_headers=StatusAndHeaders(f"{response.status} OK", pairs(response.headers), protocol="HTTP/1.1"),
        )
        asked = self.writer.create_warc_record(
            request.url,
            "request",
            http_headers=StatusAndHeaders("GET / HTTP/1.1", pairs(request.headers), is_http_request=True),
        )
        self.writer.write_request_response_pair(asked, kept)
        return response


class Everything(scrapy.Spider):
    name = "everything"
    links = LinkExtractor(tags=("a", "area"), attrs=("href",), deny_extensions=[])

    async def start(self):
        for url in SEEDS:
            yield scrapy.Request(url)

    def parse(self, response):
        if not isinstance(response, scrapy.http.TextResponse):
            return
        for link in self.links.extract_links(response):
            yield scrapy.Request(link.url)


settings = {
    "ROBOTSTXT_OBEY": False,
    "CONCURRENT_REQUESTS": CONCURRENCY,
    "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
    "DOWNLOAD_DELAY": 0,
    "RETRY_ENABLED": False,
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "WARNING",
    "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
}
if FOLDER:
    settings["JOBDIR"] = os.path.join(FOLDER, "job")
    # Between Scrapy's decompression (590) and the engine: it sees decoded bodies.
    settings["DOWNLOADER_MIDDLEWARES"] = {WarcWriting: 585}

process = CrawlerProcess(settings)
process.crawl(Everything)
process.start()
