/** A crawl of a stack as a {@link StackCrawl}. */

import { parseCdxjLine } from '../../shared/core/archive/parse-cdxj-line.ts';
import { openRecord } from '../../shared/core/archive/read-member.ts';
import { type ExportWarning, withCodingWarnings } from '../../shared/core/archive/replay-codings.ts';
import { surt } from '../../shared/core/archive/surt.ts';
import { historyOf } from '../../shared/core/archive/url-history.ts';
import { messageOf } from '../../shared/core/base/error-message.ts';
import { parseConfig } from '../../shared/core/crawl/config.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import { withoutSecretKeys } from '../../shared/core/crawl/network-schema.ts';
import { quoted } from '../../shared/core/text/printable.ts';
import { sitesOf } from '../../shared/crawler/crawl-state/crawls.ts';
import type { CrawlRecord } from '../../shared/crawler/ports/crawl-registry.ts';
import type { StackArchive } from '../../shared/engines/aws/archive/stack-archive.ts';
import { payloadsOf } from '../../shared/engines/aws/archive/stack-payloads.ts';
import { ControlError } from '../../shared/services/control/control.ts';
import { itemsCsv } from '../../shared/services/outputs/items-csv.ts';
import type { Item } from '../../shared/services/project/project.ts';
import { buildReport } from '../../shared/services/report/report.ts';
import { skippedUrls } from '../../shared/services/report/skipped-urls.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import { changesOf } from '../../shared/services/report/url-change.ts';
import { flat, reportedHosts, urlRows } from '../../shared/services/report/url-rows.ts';
import { explainIn } from '../explain-in.ts';
import { detailWithClusters, reportWithClusters } from '../exports/known-clusters.ts';
import type { StackCrawl } from '../stack-crawl.ts';
import type { OpenCrawlOptions } from '../stored-crawl.ts';
import { readOpened } from '../stored-record.ts';
import { cacheFiles } from './cache-folder.ts';
import type { StackConnection } from './connect-stack.ts';
import { explainedAll, explainedOne } from './explained.ts';
import { addAllSeeds } from './seed-batches.ts';
import { createStackEvents, isOver } from './stack-events.ts';
import { stackExports, stackSending } from './stack-exports.ts';
import { stackWacz } from './stack-wacz.ts';
import { watchStatus } from './watch-status.ts';

const POLL_MS = 4000;
const MIN_POLL_MS = 1000;

/** Opens the crawl of that name. Throws `ControlError` (`notFound`) if there is none. `close` closes the connection. */
export async function openStackCrawl(
  connection: StackConnection,
  crawl: CrawlId,
  options: OpenCrawlOptions = {},
): Promise<StackCrawl> {
  try {
    const record = await connection.registry.load(crawl);
    if (record !== undefined) return stackCrawl(connection, crawl, record, options);
  } catch (error) {
    throw connection.explained(error);
  }
  throw new ControlError('notFound', `There is no crawl ${quoted(crawl)}`, 'crawl');
}

function stackCrawl(
  connection: StackConnection,
  crawl: CrawlId,
  record: CrawlRecord,
  { modules }: OpenCrawlOptions,
): StackCrawl {
  const { stack, control } = connection;
  const watch = new CrawlWatch(connection, crawl);
  const archive = connection.archiveOf(crawl);
  const queries = urlQueries(connection, crawl, record);
  const exports = stackExports(connection, { crawl, record }, archive, modules);

  async function close(): Promise<void> {
    if (watch.isClosed) return;
    watch.close();
    await connection.close();
  }

  return {
    name: crawl,
    stack,
    options: withoutSecretKeys(record.config),
    summary: () => control.status(crawl),
    hosts: (page = {}) => control.hosts(crawl, page),
    host: (host) => control.host(crawl, host),
    domains: (page = {}) => control.domains(crawl, page),
    sites: (page = {}) => control.sites(crawl, page),
    ...queries,
    ...archiveQueries(connection, crawl, archive),
    wacz: (warn) =>
      explainedAll(connection, stackWacz({ rows: connection.rows, archive, crawl, record, warn })),
    ...exports,
    ...stackSending(connection, crawl, { documents: exports.documents, url: queries.url }),
    ...skippedQueries(connection, crawl),
    items: <T = Item>() => explainedAll(connection, connection.itemsOf<T>(crawl)),
    itemsCsv: () =>
      explainedAll(
        connection,
        itemsCsv(() => connection.itemsOf(crawl)),
      ),
    events: (options) => watch.events(options),
    get done() {
      return watch.done;
    },
    pause: () => unlessOver(control, crawl, control.pause(crawl)),
    resume: ({ newUrlRules, ...limits } = {}) => control.resume(crawl, limits, { newUrlRules }),
    stop: () => unlessOver(control, crawl, control.stop(crawl)),
    addSeeds: (seeds) => addAllSeeds(control, crawl, seeds),
    state: () => explainedOne(connection, connection.stateOf(crawl)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Polls the crawl's state until it is closed. */
class CrawlWatch {
  readonly #connection: StackConnection;
  readonly #crawl: CrawlId;
  readonly #closing = new AbortController();
  #done: Promise<CrawlSummary> | undefined;

  constructor(connection: StackConnection, crawl: CrawlId) {
    this.#connection = connection;
    this.#crawl = crawl;
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  close(): void {
    this.#closing.abort();
  }

  async *events({ pollMs = POLL_MS } = {}): ReturnType<StackCrawl['events']> {
    if (!(pollMs >= MIN_POLL_MS))
      throw new RangeError(`Expected pollMs to be at least ${MIN_POLL_MS}, got ${pollMs}`);
    const eventsOf = createStackEvents();
    for await (const look of this.#look(pollMs)) {
      if (look.summary) yield* eventsOf(look.summary);
      else yield { type: 'warning', message: messageOf(look.error) };
    }
  }

  /** Shared by those who wait at the same time. */
  get done(): Promise<CrawlSummary> {
    this.#done ??= this.#untilOver().finally(() => {
      this.#done = undefined;
    });
    return this.#done;
  }

  async #untilOver(): Promise<CrawlSummary> {
    for await (const { summary } of this.#look(POLL_MS)) if (summary && isOver(summary)) return summary;
    throw new Error(`The crawl ${this.#crawl} was closed while it was waited for`);
  }

  #look(pollMs: number): ReturnType<typeof watchStatus> {
    const { control, clock } = this.#connection;
    return watchStatus(control, this.#crawl, { clock, signal: this.#closing.signal, pollMs, isOver });
  }
}

/** A crawl that has ended meanwhile needs neither pause nor stop. */
async function unlessOver(
  control: StackConnection['control'],
  crawl: CrawlId,
  call: Promise<CrawlSummary>,
): Promise<CrawlSummary> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ControlError && error.code === 'conflict') return control.status(crawl);
    throw error;
  }
}

function urlQueries(
  connection: StackConnection,
  crawl: CrawlId,
  record: CrawlRecord,
): Pick<StackCrawl, 'report' | 'urls' | 'changes' | 'url' | 'explain'> {
  const { control, rows, clock } = connection;
  const { registry } = connection.copies.engine;
  const { sketches } = cacheFiles(connection.stack, crawl);
  return {
    report: async () => {
      const summary = await control.status(crawl);
      const config = parseConfig(record.config);
      const sites = await explainedOne(connection, sitesOf(registry, crawl, record));
      const report = buildReport(reportedHosts(rows, crawl), summary, clock.now(), { config, sites });
      return reportWithClusters(sketches, await explainedOne(connection, report));
    },
    urls: () => explainedAll(connection, flat(urlRows(rows, crawl))),
    changes: (since = new Date(0)) =>
      explainedAll(connection, changesOf(flat(urlRows(rows, crawl)), since.getTime())),
    async url(url) {
      try {
        return detailWithClusters(sketches, await control.url(crawl, url));
      } catch (error) {
        if (error instanceof ControlError && error.code === 'notFound') return undefined;
        throw error;
      }
    },
    async explain(url) {
      const { state } = await control.status(crawl);
      const medianLinkers = async () => (await control.domains(crawl, { limit: 1 })).medianLinkers;
      const explained = { ledgers: rows.ledgers, registry, crawl, record, state, medianLinkers };
      return explainedOne(connection, explainIn(explained, url));
    },
  };
}

function archiveQueries(
  connection: StackConnection,
  crawl: CrawlId,
  archive: StackArchive,
): Pick<StackCrawl, 'cdxj' | 'captures' | 'history' | 'diff' | 'readRecord'> {
  const lines = (warn?: ExportWarning) => explainedAll(connection, archive.cdxj(warn));
  const history: StackCrawl['history'] = (url) =>
    explainedOne(
      connection,
      archive.capturesOf(surt(url)).then((found) => historyOf(url, found)),
    );
  return {
    cdxj: (warn) => withCodingWarnings(lines(warn), warn),
    history,
    async diff(url, times) {
      const { differenceBetween } = await import('../url-difference.ts');
      const source = payloadsOf(archive, crawl);
      return explainedOne(
        connection,
        history(url).then((visits) => differenceBetween(url, visits, source, times)),
      );
    },
    async *captures(warn) {
      for await (const line of lines(warn)) yield parseCdxjLine(line.trimEnd(), crawl);
    },
    readRecord: ({ file, offset }, { maxBytes } = {}) =>
      explainedOne(
        connection,
        archive
          .open({ file, offset, length: 1 })
          .then(async ({ location, read }) => readOpened(await openRecord(read, location.offset), maxBytes)),
      ),
  };
}

function skippedQueries(
  connection: StackConnection,
  crawl: CrawlId,
): Pick<StackCrawl, 'skipped' | 'skippedBeyond'> {
  let beyond = 0;
  return {
    skipped() {
      beyond = 0;
      const log = connection.skipsOf(crawl, (links) => {
        beyond += links;
      });
      return explainedAll(connection, skippedUrls(log, connection.rows, crawl));
    },
    skippedBeyond: () => beyond,
  };
}
