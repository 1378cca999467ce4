/** What a turn asks of its host: which URLs, when, and when it has had enough. */
import { maxWaitMs } from '../frontier/far-times.ts';
import { isHopeless } from '../frontier/politeness.ts';
import { trapWords } from '../frontier/trap-watch.ts';
import type { UrlRecord } from '../frontier/url-record.ts';
import { robotsUrl } from '../robots/policy.ts';
import { isAllowed } from '../robots/rules.ts';
import { sizesOf } from '../sizes.ts';
import { origin, pathOf } from '../url/host-key.ts';
import { type Caution, causeOfDeath } from './careful.ts';
import type { Crawl } from './crawls.ts';
import { isDraining } from './drain.ts';
import { giveUpIfHopeless } from './give-up.ts';
import { countOne, type HostState, settleUrl } from './host-state.ts';
import { createRobotsKeeper, type RobotsAccess } from './robots-keeper.ts';
import { seedEventOf } from './seed-events.ts';
import type { Services } from './services.ts';
import { countTowardsSitemap, isSitemapNext } from './sitemap-pace.ts';
import { visit } from './visit.ts';
import { backoffReporter, pageEventOf } from './work-events.ts';

/** A turn whose pages gave so many items commits them, to bound what is held in memory. */
const MAX_ITEM_CHARS = 16_000_000;

/** How far a turn may go. */
export interface Course {
  /** No URL is begun after this time. */
  readonly endBy: number;
  /** Fetched at most: all URLs, and those that are no requisites. */
  readonly maxUrls: number;
  readonly maxPages: number;
  /** Where robots.txt files of other hosts lead to: fetched before all else. */
  readonly askedRobots: readonly string[];
  readonly caution?: Caution;
}

/**
 * Fetches some of the host's best URLs, robots.txt first where it is not known, at the host's pace. True: the turn has
 * asked for nothing, and is to be put off.
 */
export async function fetchPages(
  services: Services,
  crawl: Crawl,
  state: HostState,
  { endBy, maxUrls, maxPages, askedRobots, caution }: Course,
): Promise<boolean> {
  const { clock } = services.engine;
  const { config, budget } = crawl;
  const { maxTurnChanges, maxUnasked } = sizesOf(services.engine);
  const { ledger } = state;
  const robots = createRobotsKeeper(services, crawl, state);
  /** By origin: lanes that need the same robots.txt ask for it once. */
  const asking = new Map<string, Promise<RobotsAccess>>();
  /** Lanes that handle a URL; those that found none wait for what it brings. */
  let busy = 0;
  const idle: (() => void)[] = [];
  /** URLs that are asked for now; of them, those that are no requisites. */
  let inFlight = 0;
  let pagesInFlight = 0;
  let begun = 0;
  let pagesBegun = 0;
  let unasked = 0;
  let isOver = state.setAside !== undefined || crawl.status !== 'running';
  let isPutOff = false;
  let taking: Promise<UrlRecord | undefined> = Promise.resolve(undefined);

  /** One at a time, since lanes go side by side and a ledger's `next` calls must not overlap. */
  const take = () => {
    taking = taking.then(async () => {
      const now = clock.now();
      const only = wantsRequisitesOnly();
      return (await ledger.next(now, isSitemapNext(state), only)) ?? takeFarAhead(now, only);
    });
    return taking;
  };

  /** A URL that is due at a time that no clock that runs right could have given. */
  function takeFarAhead(now: number, only: boolean): Promise<UrlRecord | undefined> | undefined {
    const dueAt = ledger.nextDueAt(now, only);
    return dueAt !== undefined && dueAt - now > maxWaitMs(config)
      ? ledger.next(dueAt, true, only)
      : undefined;
  }

  /** Whether no page may be begun, by one of the limits of pages: requisites make those whole that were fetched. */
  function wantsRequisitesOnly(): boolean {
    return pagesBegun >= maxPages || isFull(crawl, state, pagesInFlight) || isDraining(crawl);
  }

  /** Nothing that the turn may fetch waits, and nothing is in flight that could bring it. */
  const hasNothing = () =>
    busy === 0 && wantsRequisitesOnly() && ledger.nextDueAt(clock.now(), true) === undefined;

  /** Waits for the host's moment; false if it comes too late for this turn. */
  async function waitForHost(): Promise<boolean> {
    for (;;) {
      if (isOver || services.stopping.aborted) return false;
      // Paused or stopped since the turn began?
      if ((await services.crawls.get(crawl.id))?.status !== 'running') return false;
      const now = clock.now();
      const restMs = state.clock.nextFetchAt - now;
      if (now > endBy || restMs > config.turnMaxWaitMs || now + restMs > endBy) return false;
      if (restMs <= 0) return true;
      await clock.sleep(restMs, services.stopping);
    }
  }

  /** Whether there may be more to do in this turn. */
  async function step(): Promise<boolean> {
    if (begun >= maxUrls || unasked >= maxUnasked || hasNothing()) return false;
    if (ledger.changes >= maxTurnChanges || state.outLinks.size >= maxTurnChanges) return false;
    if (state.itemChars >= MAX_ITEM_CHARS) return false;
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

  /** Whether the URL may be fetched now, as far as deaths of workers go. */
  async function announce(url: string): Promise<'yes' | 'guilty' | 'busy'> {
    const answer = await caution?.announce(url);
    if (answer === 'busy') isPutOff = true;
    return answer === undefined || answer === 'announced' ? 'yes' : answer;
  }

  /** What an earlier turn suspected is done with. */
  function acquit(url: string): void {
    if (state.suspect?.url === url) state.suspect = undefined;
  }

  function settle(record: UrlRecord): void {
    if (record.state !== 'waiting') acquit(record.url);
    if (record.state === 'failed') void services.hooks?.onError(record.url, record.result?.cause ?? '');
    settleUrl(state, record);
    if (record.state !== 'waiting') tellSettled(record);
  }

  function tellSettled(record: UrlRecord): void {
    tellSeed(record);
    const event = services.onEvent && pageEventOf(state.host, record);
    if (event) services.onEvent?.(event);
  }

  function tellSeed(record: UrlRecord, cause?: string): void {
    const event = services.onSeed && seedEventOf(state, record, cause);
    if (event) services.onSeed?.(event);
  }

  const tellBackoff = backoffReporter(state, services.onEvent);

  function askForRobots(from: string): Promise<RobotsAccess> {
    const access = asking.get(from) ?? robots.fetch(from).finally(() => asking.delete(from));
    asking.set(from, access);
    return access;
  }

  /** What there is no time for is asked for again: nothing is lost. */
  async function fetchAskedRobots(): Promise<void> {
    for (const url of new Set(askedRobots)) {
      if (robots.isKnown(url)) continue;
      if (!(await waitForHost()) || (await announce(url)) !== 'yes') return;
      await robots.fetchFor(url);
      acquit(url);
      await giveUpIfHopeless(services, crawl, state);
    }
  }

  async function handle(record: UrlRecord): Promise<boolean> {
    const from = origin(record.url);
    const blocked = state.quarantine.find(({ url }) => url === record.url);
    if (blocked) {
      unasked++;
      countOne(state.totals.errors, 'blocked');
      settle({ ...record, state: 'failed', result: { fetchedAt: clock.now(), cause: blocked.cause } });
      return true;
    }
    const trap = record.depth > 0 && record.kind === undefined ? state.traps.closedBy(record.url) : undefined;
    if (trap) {
      unasked++;
      const cause = `a trap: ${trapWords(trap)}`;
      settle({ ...record, state: 'skipped', result: { fetchedAt: clock.now(), cause } });
      return true;
    }
    let rules = await robots.known(from);
    if (!rules) {
      const url = robotsUrl(from) as string;
      const may = await announce(url);
      if (may !== 'yes') {
        if (may === 'guilty') state.setAside = { cause: causeOfDeath('its robots.txt'), at: clock.now() };
        acquit(url);
        settle(record);
        return false;
      }
      const access = await askForRobots(from);
      acquit(url);
      if (access.kind === 'blocked') {
        unasked++;
        settle({
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
      if (access.kind === 'awaited') {
        settle({ ...record, dueAt: state.clock.nextFetchAt });
        return true;
      }
      if (access.kind === 'unreachable') {
        // Another URL first next time: perhaps it belongs to the host's other origin, which answers.
        const dueAt = services.stopping.aborted ? record.dueAt : state.clock.nextFetchAt + 1;
        settle({ ...record, dueAt });
        if (services.stopping.aborted) return false;
        await giveUpIfHopeless(services, crawl, state);
        tellBackoff(state);
        tellSeed({ ...record, dueAt }, access.cause);
        return false;
      }
      rules = access.rules;
      // Its robots.txt may have failed once more, and old rules hold on.
      await giveUpIfHopeless(services, crawl, state);
      if (state.setAside) {
        settle(record);
        return false;
      }
    }
    const { url } = record;
    const known = rules;
    const answer = services.work.run(crawl.id, url, 'robots', () => isAllowed(known, pathOf(url)));
    if (!answer.allowed) {
      unasked++;
      const { rule } = answer;
      const cause = rule ? `robots.txt, line ${rule.line}: Disallow: ${rule.pattern}` : 'robots.txt';
      settle({ ...record, state: 'deniedByRobots', result: { fetchedAt: clock.now(), cause } });
      return true;
    }
    // robots.txt may have taken the host's moment.
    if (!(await waitForHost())) {
      settle(record);
      return false;
    }
    const may = await announce(record.url);
    if (may === 'guilty') {
      const result = { fetchedAt: clock.now(), cause: causeOfDeath('this') };
      settle({ ...record, state: 'failed', result });
      // To be committed before another URL is announced in its place, and perhaps kills, too.
      return false;
    }
    const isPage = record.kind !== 'requisite';
    if (may === 'busy' || !(await (isPage ? budget.reserve() : mayFetchRequisite()))) {
      settle(record);
      return caution === undefined && isDraining(crawl);
    }
    // The announcements and the pages of others may have been waited for.
    const isTooLate = !(await waitForHost());
    if (isTooLate || (isPage && isFull(crawl, state, pagesInFlight))) {
      if (isPage) budget.settle(false);
      settle(record);
      return !isTooLate && caution === undefined;
    }
    begun++;
    inFlight++;
    let pages = 0;
    const beginPage = () => {
      pages++;
      pagesBegun++;
      pagesInFlight++;
    };
    if (isPage) beginPage();
    const reserve = () => {
      const isReserved = !isFull(crawl, state, pagesInFlight) && budget.tryReserve();
      if (isReserved) beginPage();
      return isReserved;
    };
    countTowardsSitemap(state, record);
    let settled: UrlRecord;
    try {
      settled = await visit(services, crawl, state, record, robots.crawlDelayMs(from), reserve);
    } finally {
      inFlight--;
      pagesInFlight -= pages;
    }
    acquit(record.url);
    // The answer of a request in flight forgives failures: the last one decides.
    if (inFlight === 0) await giveUpIfHopeless(services, crawl, state);
    tellBackoff(state);
    tellSettled(settled);
    return state.setAside === undefined && !isHopeless(state.clock, config);
  }

  function mayFetchRequisite(): boolean {
    const met = budget.metLimit();
    return met === undefined || met.allowsRequisites === true;
  }

  /** Puts off a URL whose origin's robots.txt cannot be had, or gives it up after as many tries as any. */
  function settleClosed(record: UrlRecord, { cause, until }: { cause: string; until: number }): void {
    const attempts = record.attempts + 1;
    const isLast = attempts >= config.maxAttempts;
    settle({
      ...record,
      state: isLast ? 'failed' : 'waiting',
      attempts,
      dueAt: isLast ? 0 : until,
      result: { fetchedAt: clock.now(), cause },
    });
  }

  await fetchAskedRobots();
  // Carefully means one by one.
  const lanes = Array.from({ length: caution ? 1 : config.perHost }, async () => {
    while (await step());
  });
  // All of them, so that nothing is in flight when the turn is thrown away.
  for (const lane of await Promise.allSettled(lanes)) if (lane.status === 'rejected') throw lane.reason;
  return isPutOff;
}

/** Whether the host has had its share of pages, if those `inFlight` become some. */
export function isFull({ config }: Crawl, { totals }: HostState, inFlight = 0): boolean {
  return config.maxPagesPerHost !== undefined && totals.pages + inFlight >= config.maxPagesPerHost;
}
