/**
 * A turn: one visit of a worker to one host, for one crawl. Loads what is known of the host, takes in the links
 * delivered, fetches some of the host's best URLs at its pace, and commits the outcome with one conditional write.
 * Whatever fails before that write leaves nothing behind but work to be done again.
 */
import { type Head, NEW_HEAD } from '../frontier/head.ts';
import { isHopeless } from '../frontier/politeness.ts';
import type { UrlRecord } from '../frontier/url-record.ts';
import type { Delivery, HostKey } from '../ports.ts';
import { robotsUrl } from '../robots/policy.ts';
import { isAllowed } from '../robots/rules.ts';
import { origin, pathOf } from '../url/host-key.ts';
import { commitTurn } from './commit.ts';
import type { Crawl } from './crawls.ts';
import { beginHostState, countOne, type HostState } from './host-state.ts';
import { openLedger } from './open-ledger.ts';
import { createRobotsKeeper, type RobotsAccess } from './robots-keeper.ts';
import type { Services } from './services.ts';
import { visit } from './visit.ts';

/** A delivery that came so often has perhaps killed its workers: its turn goes carefully. */
const CAREFUL_RECEIVE_COUNT = 3;
/** So often a URL may be what a worker was about to fetch when it died. */
const MAX_INTENTS = 3;
/** No request is begun that could outlive the lease, with this much to commit in. */
export const COMMIT_MS = 10_000;
/** A turn that has gathered so many links or other changes commits them, to bound what is held in memory. */
const MAX_CHANGES = 20_000;
/** URLs that cost no request (denied by robots.txt or the address guard) settled in one turn at most. */
const MAX_UNASKED = 2000;

/** When the host may next be given to anybody; until then its deliveries are to be held. */
export interface TurnEnd {
  readonly restUntil: number;
}

/** Throws `StaleTurn` if another worker owns the host, and whatever the engine's ports throw. */
export async function runTurn(
  services: Services,
  crawl: Crawl,
  host: HostKey,
  deliveries: readonly Delivery[],
  leaseUntil: number,
): Promise<TurnEnd> {
  const { ledgers, clock } = services.engine;
  let head = (await ledgers.loadHead(crawl.id, host)) ?? NEW_HEAD;
  const links = deliveries.flatMap(({ message }) => (message.kind === 'links' ? message.links : []));
  const isNamed = deliveries.some(({ message }) => message.kind === 'token' && message.token === head.token);
  const isWoken = deliveries.some(({ message }) => message.kind === 'wake');
  const isResumed = deliveries.some(({ message }) => message.kind === 'wake' && message.isResumed);
  if (links.length === 0 && !isNamed && !isWoken) return { restUntil: head.clock.nextFetchAt };

  const ledger =
    services.ledgers.take(crawl.id, host, head.version) ??
    (await openLedger(ledgers, crawl.id, host, head.ledger));
  const state = beginHostState(host, head, ledger);
  const restUntil = services.lanes.restUntil(host);
  if (restUntil > state.clock.nextFetchAt) state.clock = { ...state.clock, nextFetchAt: restUntil };
  if (isResumed && state.setAside) {
    state.setAside = undefined;
    state.clock = { ...state.clock, failures: 0 };
  }

  const now = clock.now();
  let news = 0;
  for (const link of links) {
    if (isFull(crawl, state) && !ledger.has(link.url)) countOne(state.totals.skipped, 'pagesPerHost');
    else if (ledger.merge(link, now)) news++;
  }
  // Links that are all known, to a host that has its next turn already or needs none: nothing to commit.
  const isProvided = head.token !== undefined || head.dueAt !== undefined || ledger.counts.waiting === 0;
  if (news === 0 && !isNamed && !isWoken && ledger.changes === 0 && isProvided) {
    services.ledgers.put(crawl.id, host, head.version, ledger);
    return { restUntil: head.clock.nextFetchAt };
  }

  const isCareful = deliveries.some(({ receiveCount }) => receiveCount >= CAREFUL_RECEIVE_COUNT);
  let trust: (() => void) | undefined;
  /** Makes known which URL comes next, before it is fetched. */
  async function announce(url: string): Promise<void> {
    trust ??= await services.suspicion();
    const tries = head.intent?.url === url ? head.intent.tries + 1 : 1;
    head = { ...head, version: head.version + 1, intent: { url, tries } };
    await ledgers.commit(crawl.id, host, head);
  }

  const { pages, bytes } = state.totals;
  services.stats.open.set(ledger, head.ledger.counts);
  try {
    await fetchPages(services, crawl, state, {
      endBy: Math.min(now + crawl.config.turnMaxMs, leaseUntil - crawl.config.totalTimeoutMs - COMMIT_MS),
      maxPages: isCareful ? 1 : Math.min(crawl.config.turnMaxPages, crawl.budget.turnPages()),
      announce: isCareful ? announce : undefined,
      intent: head.intent,
    });
    const end = await commitTurn(services, crawl, state, head);
    crawl.budget.commit(state.totals.pages - pages, state.totals.bytes - bytes);
    return end;
  } catch (error) {
    // The turn is thrown away, but the host was asked; and nobody knows of its pages.
    services.lanes.rest(host, Math.max(state.clock.nextFetchAt, clock.now() + crawl.config.delayMs));
    if (!state.isCommitted) crawl.budget.giveBack(state.totals.pages - pages);
    throw error;
  } finally {
    trust?.();
    services.stats.open.delete(ledger);
  }
}

interface Course {
  /** No request is begun after this time. */
  readonly endBy: number;
  readonly maxPages: number;
  readonly announce?: (url: string) => Promise<void>;
  readonly intent: Head['intent'];
}

async function fetchPages(services: Services, crawl: Crawl, state: HostState, course: Course): Promise<void> {
  const { clock } = services.engine;
  const { config, budget } = crawl;
  const { ledger } = state;
  const robots = createRobotsKeeper(services, crawl, state);
  /** By origin: lanes that need the same robots.txt ask for it once. */
  const asking = new Map<string, Promise<RobotsAccess>>();
  /** Lanes that handle a URL; those that found none wait for what it brings. */
  let busy = 0;
  const idle: (() => void)[] = [];
  let inFlight = 0;
  let begun = 0;
  let unasked = 0;
  let isOver = state.setAside !== undefined || crawl.status !== 'running';
  let taking: Promise<UrlRecord | undefined> = Promise.resolve(undefined);

  /** One at a time, since lanes go side by side and a ledger's `next` calls must not overlap. */
  const take = () => {
    taking = taking.then(() => ledger.next(clock.now()));
    return taking;
  };

  /** Waits for the host's moment; false if it comes too late for this turn. */
  async function waitForHost(): Promise<boolean> {
    for (;;) {
      if (isOver || services.stopping.aborted) return false;
      // Paused or stopped since the turn began?
      if ((await services.crawls.get(crawl.id))?.status !== 'running') return false;
      const now = clock.now();
      const restMs = state.clock.nextFetchAt - now;
      if (now > course.endBy || restMs > config.turnMaxWaitMs || now + restMs > course.endBy) return false;
      if (restMs <= 0) return true;
      await clock.sleep(restMs, services.stopping);
    }
  }

  /** Whether there may be more to do in this turn. */
  async function step(): Promise<boolean> {
    if (begun >= course.maxPages || unasked >= MAX_UNASKED || isFull(crawl, state)) return false;
    if (ledger.changes >= MAX_CHANGES || state.outLinks.size >= MAX_CHANGES) return false;
    if (!(await waitForHost())) return false;
    const record = await take();
    if (!record) {
      if (busy === 0) return false;
      await new Promise<void>((wake) => idle.push(wake));
      return true;
    }
    busy++;
    try {
      return await handle(record);
    } catch (error) {
      isOver = true;
      throw error;
    } finally {
      busy--;
      for (const wake of idle.splice(0)) wake();
    }
  }

  function askForRobots(from: string): Promise<RobotsAccess> {
    const access = asking.get(from) ?? robots.fetch(from).finally(() => asking.delete(from));
    asking.set(from, access);
    return access;
  }

  async function handle(record: UrlRecord): Promise<boolean> {
    const from = origin(record.url);
    let rules = await robots.known(from);
    if (!rules) {
      if (course.announce && !(await isTrusted(robotsUrl(from) as string, course.announce))) {
        state.setAside = { cause: causeOfDeath('its robots.txt'), at: clock.now() };
        ledger.settle(record);
        return false;
      }
      const access = await askForRobots(from);
      if (access.kind === 'blocked') {
        unasked++;
        ledger.settle({
          ...record,
          state: 'skipped',
          result: { fetchedAt: clock.now(), cause: access.cause },
        });
        return true;
      }
      if (access.kind === 'closed') {
        unasked++;
        settleClosed(record, access);
        return true;
      }
      if (access.kind === 'unreachable') {
        // Another URL first next time: perhaps it belongs to the host's other origin, which answers.
        const dueAt = services.stopping.aborted ? record.dueAt : state.clock.nextFetchAt + 1;
        ledger.settle({ ...record, dueAt });
        setAsideIfHopeless(crawl, state, clock.now());
        return false;
      }
      rules = access.rules;
    }
    const answer = isAllowed(rules, pathOf(record.url));
    if (!answer.allowed) {
      unasked++;
      const { rule } = answer;
      const cause = rule ? `robots.txt, line ${rule.line}: Disallow: ${rule.pattern}` : 'robots.txt';
      ledger.settle({ ...record, state: 'deniedByRobots', result: { fetchedAt: clock.now(), cause } });
      return true;
    }
    // robots.txt may have taken the host's moment.
    if (!(await waitForHost())) {
      ledger.settle(record);
      return false;
    }
    if (course.announce && !(await isTrusted(record.url, course.announce))) {
      const result = { fetchedAt: clock.now(), cause: causeOfDeath('this') };
      ledger.settle({ ...record, state: 'failed', result });
      return true;
    }
    // The lock of careful turns may have been waited for.
    if (clock.now() > course.endBy || !(await budget.reserve())) {
      ledger.settle(record);
      return false;
    }
    if (isFull(crawl, state, inFlight)) {
      budget.settle(false, 0);
      ledger.settle(record);
      return false;
    }
    begun++;
    inFlight++;
    try {
      await visit(services, crawl, state, record, robots.crawlDelayMs(from));
    } finally {
      inFlight--;
    }
    setAsideIfHopeless(crawl, state, clock.now());
    return state.setAside === undefined;
  }

  /** Puts off a URL whose origin's robots.txt cannot be had, or gives it up after as many tries as any. */
  function settleClosed(record: UrlRecord, { cause, until }: { cause: string; until: number }): void {
    const attempts = record.attempts + 1;
    const isLast = attempts >= config.maxAttempts;
    ledger.settle({
      ...record,
      state: isLast ? 'failed' : 'waiting',
      attempts,
      dueAt: isLast ? 0 : until,
      result: { fetchedAt: clock.now(), cause },
    });
  }

  /** Announces the URL, unless its fetch has been a worker's last deed too often. */
  async function isTrusted(url: string, announce: (url: string) => Promise<void>): Promise<boolean> {
    if (course.intent?.url === url && course.intent.tries >= MAX_INTENTS) return false;
    await announce(url);
    return true;
  }

  // Carefully means one by one.
  const lanes = Array.from({ length: course.announce ? 1 : config.perHost }, async () => {
    while (await step());
  });
  // All of them, so that nothing is in flight when the turn is thrown away.
  for (const lane of await Promise.allSettled(lanes)) if (lane.status === 'rejected') throw lane.reason;
}

const causeOfDeath = (what: string): string => `the worker died ${MAX_INTENTS} times when it fetched ${what}`;

/** Whether the host has had its share of pages, if those `inFlight` become some. */
export function isFull({ config }: Crawl, { totals }: HostState, inFlight = 0): boolean {
  return config.maxPagesPerHost !== undefined && totals.pages + inFlight >= config.maxPagesPerHost;
}

function setAsideIfHopeless({ config }: Crawl, state: HostState, now: number): void {
  if (isHopeless(state.clock, config))
    state.setAside = { cause: state.clock.cause ?? 'it failed again and again', at: now };
}
