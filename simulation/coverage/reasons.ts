/**
 * Why a range of code may stay unreached by all worlds: a closed list. Each range in `unreached.json` has one
 * of them.
 */
export const REASONS = {
  wiring:
    'It joins a deployed function to its environment, sockets and log. In a world simulation/worlds/deployment.ts stands in its place; test/localstack deploys and calls it. Exports wait for files and threads, which virtual time does not: test/api/stack makes them over the same models. The sinks of events and the small worker’s limits of documents are of this kind, too: test/functions and test/services/webhook reach them.',
  oneMachine:
    'It exists on one machine only (the cache, totals of one process, revisits, messages about seeds, threads and their watchdog), or for plain GETs that a project makes itself. test/local-crawl and test/services/hooks reach it.',
  defaults: 'A default for callers that say less than a world does: other tools, or tests.',
  types:
    'The types of the SDK or of the language let a value be absent that the service, its model and all callers always give.',
  bytes:
    'It refuses bytes that no version of the program wrote. A world’s queues and tables keep bytes as they are. test/fuzz and the tests of each format reach it.',
  input:
    'It refuses what an operator mistyped or a stranger sent. The operator of a world makes no mistakes; test/functions and test/engines reach it.',
  misuse: 'It refuses a call that no caller in the program makes. A unit test reaches it.',
  settings:
    'A setting that no crawl or stack of a world has: other overrides for hosts than those of hours and rates, ascending paths, a sitemap of `sitemapUrls` that is no URL, other ports, a proxy, a limit of cost for a day, fewer turn queues than before, documents at the end, a project with code of its own; recrawl at the times of a schedule that has a last one, with a limit of pages or without a budget, or that begins or ends while the crawl runs. A unit test reaches it.',
  operator:
    'Tools of an operator call it: reports, exports, the API. The operator of a world does not. test/services/control, test/cli and test/localstack reach it.',
  polling:
    'It receives from a queue, or from all turn queues, as no deployed function does: links come with the event, and a worker receives from one turn queue. Only tests and tools use it.',
  changedStack:
    'It meets settings or messages of a stack that was deployed otherwise: without a start queue, with more turn queues, or by an earlier version, whose crawls have no directory of hosts. A unit test reaches it.',
  web: 'The web of the worlds has nothing of the kind: compressed sitemaps, dates in feeds, canonical URLs with another query, refreshes, nofollow, noindex, listings in several orders, cookies, frames, combinations of parameters and folders that close as traps, log-in pages, blocked addresses, a robots.txt that is moved from host to host more than once, documents that are read as a whole, texts that are nearly the same, redirects of all missing pages, several of these that are fetched before the host is asked for one, slides behind #, routes of one shell in a row. test/crawler/worker, test/crawler/turn and test/local-crawl reach it.',
  damage:
    'Rows and objects that are lost, changed or put there by somebody else are not modelled. The tests of the compactor and of the stores reach it.',
  size: 'It needs thousands of URLs, parts, hosts, domains or errors, or weeks: more than small sizes bring about in a world. A unit test reaches it.',
  chance:
    'Worlds can reach it, and one in some thousands does: two rare faults must meet in one moment. A unit test reaches it, or systematic faults (`--systematic`).',
  tools: 'Benchmarks, or tests as a measure, call it; the program does not.',
  untested:
    'No world and no unit test reaches it yet. It needs a test, and is listed so that the next one who changes it knows.',
  uncounted:
    'It runs, and V8 does not count it: after an arm of a condition that waits and never ran, what follows has the count of that arm.',
  ignored: 'The empty handler of a failure that is reported elsewhere, or whose work is tried again later.',
} as const;

export type ReasonName = keyof typeof REASONS;
