/**
 * The collaborators of one turn, real ones, over an engine in memory, a scripted web and virtual time. Tests
 * drive one of them and look at the others, and at the calls to the ports.
 */

import { SIZES, type Sizes } from '../../../shared/core/base/sizes.ts';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { type Head, type HostCaution, NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { type Link, linkOf } from '../../../shared/core/frontier/message.ts';
import type { FetchRequest } from '../../../shared/core/outcome/fetch-request.ts';
import { URL_RULES_VERSION } from '../../../shared/core/url/canonical.ts';
import { type Crawl, createCrawls } from '../../../shared/crawler/crawl-state/crawls.ts';
import type { CrawlStatus } from '../../../shared/crawler/ports/crawl-registry.ts';
import type { OptionalPorts } from '../../../shared/crawler/ports/engine.ts';
import { TurnCaution } from '../../../shared/crawler/turn/caution.ts';
import { createDomainHeads } from '../../../shared/crawler/turn/links/domain-heads.ts';
import { createLinkMedians } from '../../../shared/crawler/turn/links/link-medians.ts';
import { openLedger } from '../../../shared/crawler/turn/open-ledger.ts';
import { createCrawlRates } from '../../../shared/crawler/turn/pace/crawl-rates.ts';
import type { PageWork } from '../../../shared/crawler/turn/page/page-work.ts';
import type { PageHooks } from '../../../shared/crawler/turn/page-hooks.ts';
import type { SeedEvent } from '../../../shared/crawler/turn/seed-events.ts';
import type { TurnServices } from '../../../shared/crawler/turn/services.ts';
import { TurnCrawl } from '../../../shared/crawler/turn/turn-crawl.ts';
import { createTurnParts, type TurnParts } from '../../../shared/crawler/turn/turn-parts.ts';
import type { WorkEvent } from '../../../shared/crawler/turn/work-events.ts';
import { newStats } from '../../../shared/crawler/turn/worker-stats.ts';
import { createLanes } from '../../../shared/crawler/worker/lanes.ts';
import { createLedgerCache } from '../../../shared/crawler/worker/ledger-cache.ts';
import { createLock } from '../../../shared/crawler/worker/lock.ts';
import { createFakeClock, type FakeClock, T0 } from '../worker/fake-clock.ts';
import { createMemoryEngine, type MemoryEngine } from '../worker/memory-engine.ts';
import { createScriptedFetcher, type ScriptedFetcher, type Site } from '../worker/scripted-fetcher.ts';
import { HOST, ORIGIN } from './turn-fakes.ts';

export const CRAWL_ID = 'c';

export interface TurnSituation {
  readonly config?: CrawlOptions;
  readonly seeds?: readonly string[];
  readonly status?: CrawlStatus;
  readonly site?: Site;
  readonly tookMs?: number;
  /** The stored head of the host, at version 1. None: the host was never met. */
  readonly head?: Partial<Head>;
  readonly links?: readonly Link[];
  readonly sizes?: Partial<Sizes>;
  readonly optional?: OptionalPorts;
  readonly hooks?: PageHooks;
  readonly caution?: HostCaution;
  readonly askedRobots?: readonly string[];
  /** From the turn's beginning. */
  readonly endMs?: number;
  readonly lastRequestMs?: number;
}

export interface OpenTurn {
  readonly clock: FakeClock;
  readonly engine: MemoryEngine;
  readonly fetcher: ScriptedFetcher;
  readonly services: TurnServices;
  readonly parts: TurnParts;
  /** Calls to the ports that change something, in their order. */
  readonly calls: string[];
  /** The requests as the fetcher was given them. */
  readonly requests: Omit<FetchRequest, 'onHead'>[];
  /** URLs whose bodies were disposed of. */
  readonly disposed: string[];
  readonly locks: number[];
  readonly events: WorkEvent[];
  readonly seedEvents: SeedEvent[];
  readonly stopping: AbortController;
  /** The calls of `PageWork`: step and URL, and `pause` for each pause. */
  readonly work: string[];
}

/** A waiting link to the host. */
export const link = (path: string, fields: Partial<Link> = {}): Link =>
  linkOf({ url: ORIGIN + path, depth: 1, ...fields });

/** Rules of the host that allow everything, and stay fresh. */
export const OPEN_ROBOTS: Pick<Head, 'robots'> = {
  robots: [{ origin: ORIGIN, kind: 'allowAll', expiresAt: T0 + 86_400_000 }],
};

export async function openTurn(situation: TurnSituation = {}): Promise<OpenTurn> {
  const { config, seeds = [`${ORIGIN}/`], status = 'running', site = {}, sizes, optional } = situation;
  const clock = createFakeClock();
  const engine = Object.assign(createMemoryEngine(clock, { optional }), {
    sizes: { ...SIZES, ...sizes },
  });
  await engine.registry.create(CRAWL_ID, {
    config: { adaptive: false, ...config },
    scopeSeeds: seeds,
    urlRulesVersion: URL_RULES_VERSION,
    status,
  });
  if (situation.head)
    await engine.ledgers.commit(CRAWL_ID, HOST, { ...NEW_HEAD, ...situation.head, version: 1 });
  const fetcher = createScriptedFetcher(clock, site, situation.tookMs);
  const opened = {
    calls: [] as string[],
    requests: [] as Omit<FetchRequest, 'onHead'>[],
    disposed: [] as string[],
    locks: [] as number[],
    events: [] as WorkEvent[],
    seedEvents: [] as SeedEvent[],
    work: [] as string[],
    stopping: new AbortController(),
  };
  logCalls(engine, opened.calls);
  const crawls = createCrawls(engine.registry, clock);
  const lanes = createLanes(clock, 10);
  const domains = createDomainHeads(engine);
  const services: TurnServices = {
    engine,
    fetcherOf: () => ({
      async fetch({ onHead, ...request }) {
        opened.requests.push(request);
        const outcome = await fetcher.fetch({ ...request, onHead });
        if (outcome.status !== 'response') return outcome;
        const dispose = async () => void opened.disposed.push(outcome.url);
        return { ...outcome, body: { ...outcome.body, dispose } };
      },
      close: async () => {},
    }),
    crawls,
    ledgers: createLedgerCache(1_000_000),
    lanes,
    rates: createCrawlRates({ domains, clock, lines: lanes.rates }),
    leases: { claim: async () => undefined, enter: () => undefined, exit: async () => undefined },
    domains,
    medians: createLinkMedians(engine),
    intentLock: createLock(clock),
    hooks: situation.hooks,
    onSeed: (event) => void opened.seedEvents.push(event),
    onEvent: (event) => void opened.events.push(event),
    work: loggedWork(opened.work),
    stats: newStats(),
    records: { newId: () => `<urn:uuid:${clock.uuid()}>` },
    stopping: opened.stopping.signal,
  };
  const crawl = new TurnCrawl(services, (await crawls.get(CRAWL_ID)) as Crawl, HOST);
  const head = (await engine.ledgers.loadHead(CRAWL_ID, HOST)) ?? NEW_HEAD;
  const ledger = await openLedger(engine.ledgers, {
    crawl: CRAWL_ID,
    host: HOST,
    index: head.ledger,
    sizes: engine.sizes,
  });
  const { endMs = 60_000, lastRequestMs = 300_000 } = situation;
  const parts = createTurnParts(services, {
    crawl,
    head,
    ledger,
    lease: {
      endsAt: T0 + lastRequestMs,
      receiveUntil: T0 + lastRequestMs,
      async lockFor(ms) {
        opened.locks.push(ms);
      },
    },
    lastRequestAt: T0 + lastRequestMs,
    endBy: () => T0 + endMs,
    caution: new TurnCaution(situation.caution, {
      turnMaxPages: crawl.config.turnMaxPages,
      isApart: false,
      isSuspected: head.intent !== undefined,
    }),
    askedRobots: situation.askedRobots ?? [],
  });
  parts.intake.mergeDelivered(situation.links ?? [], T0);
  return { clock, engine, fetcher, services, parts, ...opened };
}

/** Runs what waits on virtual time. */
export const driven = <T>({ clock }: Pick<OpenTurn, 'clock'>, promise: Promise<T>): Promise<T> =>
  clock.drive(promise) as Promise<T>;

function logCalls(engine: MemoryEngine, calls: string[]): void {
  const { ledgers, queue, exchange } = engine;
  log(ledgers, 'putPart', (_crawl, _host, name) => calls.push(`putPart ${nameOf(name)}`));
  log(ledgers, 'commit', (_crawl, _host, head) => calls.push(`commit ${head.version}`));
  log(ledgers, 'listParts', () => calls.push('listParts'));
  log(ledgers, 'deleteParts', (_crawl, _host, names) => calls.push(`deleteParts ${names.join()}`));
  log(queue, 'send', (messages) =>
    calls.push(...messages.map(({ host, message }) => `send ${message.kind} to ${host}`)),
  );
  log(exchange, 'send', ({ links }) => calls.push(`sendLinks ${links.map(({ url }) => url).join()}`));
  const archive = engine.archiveOf(CRAWL_ID);
  log(archive, 'append', (members) => calls.push(`append ${members.length}`));
  log(archive, 'flush', () => calls.push('flush'));
}

/** The letters of a part's name: the rest is drawn. */
const nameOf = (part: string): string => part.replace(/\d+-[a-z0-9]+/, '');

type ArgumentsOf<M> = M extends (...args: infer A) => unknown ? A : never;

/** Notes each call of a port's method before it is made. */
function log<P extends object, K extends keyof P>(
  port: P,
  name: K,
  note: (...args: ArgumentsOf<P[K]>) => void,
): void {
  const method = port[name] as (...args: ArgumentsOf<P[K]>) => unknown;
  const noted = async (...args: ArgumentsOf<P[K]>) => {
    note(...args);
    // The next call is noted later, unless nobody waits for this one.
    await Promise.resolve();
    return method.apply(port, args);
  };
  port[name] = noted as P[K];
}

const loggedWork = (log: string[]): PageWork => ({
  run(_crawl, url, step, work) {
    log.push(`${step} ${url}`);
    return work();
  },
  beginHook: () => () => {},
  async pause() {
    log.push('pause');
  },
});
