/** A crawl of a stack as a {@link StackCrawl}. */

import { openRecord } from '../../shared/archive/read-member.ts';
import { readResponse } from '../../shared/archive/read-response.ts';
import { ControlError } from '../../shared/control/control.ts';
import type { CrawlId } from '../../shared/crawl/crawl-id.ts';
import { withoutSecretKeys } from '../../shared/crawl/network-schema.ts';
import { messageOf } from '../../shared/error-message.ts';
import type { CrawlRecord } from '../../shared/ports/crawl-registry.ts';
import { buildReport } from '../../shared/report/report.ts';
import type { CrawlSummary } from '../../shared/report/summary.ts';
import { quoted } from '../../shared/text/printable.ts';
import { parseCdxjLine } from '../cdxj-line.ts';
import { crawlDocuments } from '../crawl-documents.ts';
import { explainIn } from '../explain-in.ts';
import type { StackCrawl } from '../stack-crawl.ts';
import type { DocumentOptions } from '../stored-crawl.ts';
import { readOpened } from '../stored-record.ts';
import { reportedHosts, urlRows } from '../url-rows.ts';
import type { StackConnection } from './connect-stack.ts';
import { addAllSeeds } from './seed-batches.ts';
import { NotOnStack } from './stack-errors.ts';
import { createStackEvents, isOver } from './stack-events.ts';
import { watchStatus } from './watch-status.ts';

const POLL_MS = 4000;
const MIN_POLL_MS = 1000;

/** Opens the crawl of that name. Throws `ControlError` (`notFound`) if there is none. `close` closes the connection. */
export async function openStackCrawl(connection: StackConnection, crawl: CrawlId): Promise<StackCrawl> {
  try {
    const record = await connection.registry.load(crawl);
    if (record !== undefined) return stackCrawl(connection, crawl, record);
  } catch (error) {
    throw connection.explained(error);
  }
  throw new ControlError('notFound', `There is no crawl ${quoted(crawl)}`, 'crawl');
}

function stackCrawl(connection: StackConnection, crawl: CrawlId, record: CrawlRecord): StackCrawl {
  const { stack, control, rows, clock, explained } = connection;
  const archive = connection.archiveOf(crawl);
  const closing = new AbortController();
  let done: Promise<CrawlSummary> | undefined;

  async function* explainedAll<T>(values: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
    try {
      yield* values;
    } catch (error) {
      throw explained(error);
    }
  }
  const explainedOne = <T>(value: Promise<T>): Promise<T> =>
    value.catch((error: unknown) => {
      throw explained(error);
    });

  async function* events({ pollMs = POLL_MS } = {}): ReturnType<StackCrawl['events']> {
    if (!(pollMs >= MIN_POLL_MS))
      throw new RangeError(`Expected pollMs to be at least ${MIN_POLL_MS}, got ${pollMs}`);
    const eventsOf = createStackEvents();
    for await (const look of watchStatus(control, crawl, { clock, signal: closing.signal, pollMs, isOver })) {
      if (look.summary) yield* eventsOf(look.summary);
      else yield { type: 'warning', message: messageOf(look.error) };
    }
  }

  async function untilOver(): Promise<CrawlSummary> {
    const options = { clock, signal: closing.signal, pollMs: POLL_MS, isOver };
    for await (const { summary } of watchStatus(control, crawl, options))
      if (summary && isOver(summary)) return summary;
    throw new Error(`The crawl ${crawl} was closed while it was waited for`);
  }

  /** A crawl that has ended meanwhile needs neither pause nor stop. */
  async function unlessOver(call: Promise<CrawlSummary>): Promise<CrawlSummary> {
    try {
      return await call;
    } catch (error) {
      if (error instanceof ControlError && error.code === 'conflict') return control.status(crawl);
      throw error;
    }
  }

  const pages = crawlDocuments(rows, crawl, async () => ({
    async readResponse(place, maxBytes) {
      const { location, read } = await archive.open(place);
      return readResponse(read, location, maxBytes);
    },
    close: async () => {},
  }));
  const shown = {
    ...pages,
    documents: (options?: DocumentOptions) => explainedAll(pages.documents(options)),
  };

  async function close(): Promise<void> {
    if (closing.signal.aborted) return;
    closing.abort();
    await connection.close();
  }

  return {
    name: crawl,
    stack,
    options: withoutSecretKeys(record.config),
    summary: () => control.status(crawl),
    report: async () => {
      const summary = await control.status(crawl);
      return explainedOne(buildReport(reportedHosts(rows, crawl), summary, clock.now()));
    },
    urls: () => explainedAll(flat(urlRows(rows, crawl))),
    async url(url) {
      try {
        return await control.url(crawl, url);
      } catch (error) {
        if (error instanceof ControlError && error.code === 'notFound') return undefined;
        throw error;
      }
    },
    async explain(url) {
      const state = (await control.status(crawl)).state;
      return explainedOne(explainIn({ ledgers: rows.ledgers, crawl, record, state }, url));
    },
    hosts: (page = {}) => control.hosts(crawl, page),
    host: (host) => control.host(crawl, host),
    cdxj: (warn) => explainedAll(archive.cdxj(warn)),
    async *captures(warn) {
      for await (const line of explainedAll(archive.cdxj(warn))) yield parseCdxjLine(line.trimEnd(), crawl);
    },
    readRecord: ({ file, offset }, { maxBytes } = {}) =>
      explainedOne(
        archive
          .open({ file, offset, length: 1 })
          .then(async ({ location, read }) => readOpened(await openRecord(read, location.offset), maxBytes)),
      ),
    documents: shown.documents,
    exportMarkdown: async (out, options) =>
      (await import('../write-documents.ts')).writeMarkdown(shown, out, options),
    exportLlms: async (out, options) =>
      (await import('../write-documents.ts')).writeLlms(shown, out, options),
    events,
    get done() {
      done ??= untilOver().finally(() => {
        done = undefined;
      });
      return done;
    },
    pause: () => unlessOver(control.pause(crawl)),
    resume: (limits = {}) => control.resume(crawl, limits),
    stop: () => unlessOver(control.stop(crawl)),
    addSeeds: (seeds) => addAllSeeds(control, crawl, seeds),
    ...notThere(stack, crawl),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What only a folder has. */
function notThere(stack: string, crawl: CrawlId) {
  const refuse = (what: string, remedy: string) => (): never => {
    throw new NotOnStack(what, remedy);
  };
  const own = `processCrawl({ stack: '${stack}', crawl: '${crawl}' }, hooks) runs your hooks over its archive`;
  return {
    items: refuse('items', `workers there call no onPage. ${own}`),
    itemsCsv: refuse('itemsCsv', `workers there call no onPage. ${own}`),
    state: refuse('state', `workers there call no hook. ${own}`),
    skipped: refuse('skipped', 'links left out are only counted there: see skipped of summary()'),
    skippedBeyond: refuse('skippedBeyond', 'links left out are only counted there: see skipped of summary()'),
    brokenLinks: refuse(
      'brokenLinks',
      'urls() says which URLs failed, and on which page each was first found',
    ),
    exportMirror: refuse('exportMirror', 'write what captures() and readRecord() yield'),
    exportParquet: refuse('exportParquet', 'write what captures(), urls() and documents() yield'),
    exportDerived: refuse('exportDerived', 'write what captures(), readRecord() and documents() yield'),
    search: refuse('search', 'load what documents() yields into a search engine'),
    wacz: refuse('wacz', 'copy the WARC files from the bucket, warc/CRAWL/, and pack them with py-wacz'),
  };
}

async function* flat<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T, void, undefined> {
  for await (const batch of batches) yield* batch;
}
