/** A crawl of single pages that goes on as long as its session: each page is a seed, and links are not followed. */
import { SIZES } from '../../../core/base/sizes.ts';
import { causeText } from '../../../core/causes/cause-text.ts';
import type { CrawlConfig } from '../../../core/crawl/config.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Head } from '../../../core/frontier/head.ts';
import type { UrlState } from '../../../core/frontier/url-record.ts';
import { type HostKey, hostKey } from '../../../core/url/host-key.ts';
import type { CrawlRecord } from '../../../crawler/ports/crawl-registry.ts';
import type { Fetcher } from '../../../crawler/ports/fetcher.ts';
import type { Delivery, TurnQueue } from '../../../crawler/ports/turn-queue.ts';
import { type PageWork, UNWATCHED } from '../../../crawler/turn/page/page-work.ts';
import type { PageHooks } from '../../../crawler/turn/page-hooks.ts';
import type { SeedEvent } from '../../../crawler/turn/seed-events.ts';
import type { WorkEvent } from '../../../crawler/turn/work-events.ts';
import { createLanes } from '../../../crawler/worker/lanes.ts';
import { startWorker, type Worker } from '../../../crawler/worker/worker.ts';
import { sendSeeds } from '../../../services/begin/send-seeds.ts';
import { sortSeeds } from '../../../services/begin/sort-seeds.ts';
import { createHooks } from '../../../services/hooks/create-hooks.ts';
import { createDocumentReading, type OpenDocumentReading } from '../../../services/hooks/document-reading.ts';
import { createLanguageReader } from '../../../services/hooks/read-language.ts';
import type { Project } from '../../../services/project/project-file.ts';
import { outcomeInWords } from '../../../services/report/outcome-words.ts';
import { closeAll } from '../close-all.ts';
import { openFetcher } from '../session/open-fetcher.ts';
import { sessionConfig } from '../session/session-config.ts';
import { type CapturedPage, capturePage } from './captured-page.ts';
import { KeptVisits, type Visit } from './kept-visits.ts';
import { type MemoryEngine, openMemoryEngine } from './memory-engine.ts';
import { runPageLoops } from './page-loops.ts';
import { parseResponse } from './parse-response.ts';

export interface PageCrawlOptions {
  readonly crawl: CrawlId;
  readonly config: CrawlConfig;
  readonly record: CrawlRecord;
  /** Where bodies too large for memory go, in a file without a name. */
  readonly tempFolder: string;
  readonly project?: Pick<Project, 'middleware' | 'extraction'> | undefined;
  /** For a watchdog. Absent: the thread is not watched. */
  readonly work?: PageWork;
  /** Hosts that are not to be requested before a time. */
  readonly rests?: Iterable<readonly [host: HostKey, until: number]>;
  /** Called when a page that was asked for redirects. */
  readonly onMoved?: (from: string, to: string) => void;
  /** Called when a host is next to be requested at that time. */
  readonly onRest?: (host: HostKey, until: number) => void;
  /** Called once, if the crawl cannot go on. */
  readonly onFailure: (error: unknown) => void;
}

export interface PageCrawl {
  /** Visits the canonical URL at its host's pace, or gives what is kept of it. Rejects only when the crawl is closed. */
  visit(url: string): Promise<Visit>;
  close(): Promise<void>;
}

/** Hosts that are served at once, and sockets. */
const MAX_HOSTS = 64;
const MAX_SOCKETS = 128;
/** A URL that was sent to its host so often and was not settled never will be. */
const MAX_SENT = 5;

interface Waiting {
  readonly answers: ((visit: Visit) => void)[];
  /** The redirects that led here. */
  readonly chain: readonly string[];
  sent: number;
  /** A turn of its host has taken it in. */
  isTaken: boolean;
}

export async function openPageCrawl(options: PageCrawlOptions): Promise<PageCrawl> {
  const crawl = new RunningPages(options);
  await crawl.begin();
  return { visit: (url) => crawl.visit(url), close: () => crawl.close() };
}

class RunningPages {
  readonly #options: PageCrawlOptions;
  readonly #engine: MemoryEngine;
  readonly #fetcher: Fetcher;
  readonly #documents: OpenDocumentReading;
  readonly #worker: Worker;
  readonly #stopping = new AbortController();
  readonly #kept = new KeptVisits();
  /** By the URL that is to be fetched next for them. */
  readonly #waiting = new Map<string, Waiting>();
  /** Pages whose turn has not reported them yet. */
  readonly #captured = new Map<string, CapturedPage>();
  #loops: Promise<unknown> = Promise.resolve();

  constructor(options: PageCrawlOptions) {
    this.#options = { ...options, config: sessionConfig(options.config, {}) };
    const { config, tempFolder, project, work } = this.#options;
    this.#engine = this.#noting(openMemoryEngine((host, head) => this.#onCommit(host, head)));
    const { clock } = this.#engine;
    this.#fetcher = this.#capturing(
      openFetcher({ tempFolder, config, clock, maxSockets: MAX_SOCKETS, project }),
    );
    this.#documents = createDocumentReading();
    const lanes = createLanes(clock, SIZES.maxIdleLanes);
    for (const [host, until] of options.rests ?? []) lanes.rest(host, until);
    this.#worker = startWorker(this.#engine, () => this.#fetcher, {
      maxHosts: MAX_HOSTS,
      // The memory engine changes what a turn has stored.
      maxCacheBytes: 0,
      lanes,
      signal: this.#stopping.signal,
      hooks: this.#hooks(),
      languageOf: createLanguageReader(),
      documents: this.#documents,
      onSeed: (event) => this.#onSeed(event),
      onEvent: (event) => this.#onEvent(event),
      onError: options.onFailure,
      ...(work && { work }),
    });
  }

  async begin(): Promise<void> {
    const { crawl, record } = this.#options;
    await this.#engine.registry.create(crawl, record);
    const { done, crawls } = this.#worker;
    const loops = runPageLoops(this.#engine, crawls, crawl, this.#stopping.signal);
    this.#loops = Promise.all([done, loops]);
    this.#loops.catch(this.#options.onFailure);
  }

  visit(url: string): Promise<Visit> {
    return new Promise((resolve) => {
      const at = this.#await(url, [resolve], { chain: [], isTaken: false });
      if (at !== undefined) this.#send(at);
    });
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await closeAll([
      () => this.#loops.catch(() => {}),
      ...[this.#fetcher.close, this.#documents.close, this.#engine.close],
    ]);
  }

  /** Answers with what is kept. Otherwise waits, and returns the URL if nobody waited for it yet. */
  #await(
    url: string,
    answers: Waiting['answers'],
    { chain, isTaken }: Pick<Waiting, 'chain' | 'isTaken'>,
  ): string | undefined {
    const found = this.#kept.find(url);
    if (typeof found !== 'string') {
      for (const answer of answers) answer(found);
      return undefined;
    }
    const waiting = this.#waiting.get(found);
    if (waiting) {
      waiting.answers.push(...answers);
      return undefined;
    }
    this.#waiting.set(found, { answers: [...answers], chain, sent: 0, isTaken });
    return found;
  }

  #send(url: string): void {
    const waiting = this.#waiting.get(url);
    if (waiting === undefined) return;
    waiting.isTaken = false;
    if (++waiting.sent > MAX_SENT) this.#settle(url, { url, state: 'failed', reason: 'it was not fetched' });
    else sendSeeds(this.#engine, this.#options.crawl, [url]).catch(this.#options.onFailure);
  }

  #settle(url: string, visit: Visit): void {
    this.#captured.delete(url);
    this.#kept.set(url, visit);
    const waiting = this.#waiting.get(url);
    this.#waiting.delete(url);
    for (const answer of waiting?.answers ?? []) answer(visit);
  }

  #onSeed({ url, state, httpStatus, cause, isGivenUp }: SeedEvent): void {
    if (state === 'waiting' && !isGivenUp) return;
    if (state === 'redirect' && cause?.code === 'redirect' && cause.notFollowed === undefined)
      this.#follow(url, cause.to);
    else this.#settle(url, this.#visitOf(url, state, outcomeInWords({ state, httpStatus, cause })));
  }

  /** A seed that was fetched, or a URL that is none. */
  #onEvent(event: WorkEvent): void {
    if (event.type !== 'page' || !this.#waiting.has(event.url)) return;
    const { url, status, cause } = event;
    this.#settle(url, this.#visitOf(url, status, status === 'redirect' ? `redirects ${cause}` : cause));
  }

  #visitOf(url: string, state: UrlState, reason: string | undefined): Visit {
    const page = this.#captured.get(url);
    return { url, state, ...(page && { page }), ...(reason !== undefined && { reason }) };
  }

  #follow(from: string, target: string): void {
    const { config, onMoved } = this.#options;
    const { accepted, refused } = sortSeeds([target], config);
    const waiting = this.#waiting.get(from);
    const chain = [...(waiting?.chain ?? []), from];
    const [to] = accepted;
    const isLong = to !== undefined && (chain.includes(to) || chain.length > config.maxRedirects);
    if (to === undefined || isLong) {
      const tooMany = {
        code: 'redirect',
        to: target,
        notFollowed: 'redirects',
        redirects: chain.length,
      } as const;
      const reason = isLong
        ? outcomeInWords({ state: 'redirect', cause: tooMany })
        : `redirects to ${target}: ${refused[0]?.reason}`;
      this.#settle(from, { url: from, state: 'redirect', reason });
      return;
    }
    this.#waiting.delete(from);
    this.#captured.delete(from);
    this.#kept.set(from, { to });
    onMoved?.(from, to);
    if (waiting === undefined) return;
    const isTaken = hostKey(from) === hostKey(to);
    const at = this.#await(to, waiting.answers, { chain, isTaken });
    // The turn knows the target alone, and that has led on before.
    if (at !== undefined && at !== to) this.#send(at);
  }

  #onCommit(host: HostKey, { clock, ledger, setAside }: Head): void {
    this.#options.onRest?.(host, clock.nextFetchAt);
    if (ledger.counts.waiting > 0 && setAside === undefined) return;
    this.#kept.forgetFailures(host, hostKey);
    const urls = [...this.#waiting.keys()].filter((url) => hostKey(url) === host);
    for (const url of urls) {
      if (setAside) this.#settle(url, { url, state: 'failed', reason: causeText(setAside.cause) });
      // The host knew it already, and has forgotten it now.
      else if (this.#waiting.get(url)?.isTaken) this.#send(url);
    }
  }

  #hooks(): PageHooks {
    const { config, project } = this.#options;
    const { clock } = this.#engine;
    const extraction = project?.extraction;
    const own = extraction && createHooks({ extraction }, { config, clock });
    return {
      extract: (page) => (own ? own.extract(page) : Promise.resolve({ facts: page.facts })),
      onPage: async (page) => {
        this.#captured.set(page.url, await capturePage(page));
        return { items: [] };
      },
      onError: async () => {},
    };
  }

  /** Notes which URLs the turns take in. */
  #noting(engine: MemoryEngine): MemoryEngine {
    const { queue } = engine;
    const note = ({ message }: Delivery) => {
      if (message.kind !== 'links') return;
      for (const { url } of message.links) {
        const waiting = this.#waiting.get(url);
        if (waiting) waiting.isTaken = true;
      }
    };
    const receive: TurnQueue['receive'] = async (...args) => {
      const received = await queue.receive(...args);
      for (const { deliveries } of received) deliveries.forEach(note);
      return received;
    };
    return { ...engine, queue: { ...queue, receive } };
  }

  /** Hooks are not called for responses with an error status: their pages are kept here. */
  #capturing(fetcher: Fetcher): Fetcher {
    return {
      ...fetcher,
      fetch: async (request) => {
        const outcome = await fetcher.fetch(request);
        const { url } = request;
        if (outcome.status !== 'response' || outcome.httpStatus < 400 || !this.#waiting.has(url))
          return outcome;
        const { crawl, config, work = UNWATCHED } = this.#options;
        const around = <T>(parse: () => T) => work.run(crawl, url, 'parse', parse);
        const facts = await parseResponse(url, outcome, config, around);
        this.#captured.set(url, await capturePage({ url, depth: 0, response: outcome, facts }));
        return outcome;
      },
    };
  }
}
