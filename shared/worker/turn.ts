/**
 * A turn: one visit of a worker to one host, for one crawl. Loads what is known of the host, takes in the links
 * delivered, fetches some of the host's best URLs at its pace, and commits the outcome with one conditional write.
 * Whatever fails before that write leaves nothing behind but work to be done again.
 */
import { withoutFarTimes } from '../frontier/far-times.ts';
import { type Head, NEW_HEAD } from '../frontier/head.ts';
import type { Delivery } from '../ports/turn-queue.ts';
import type { HostKey } from '../url/host-key.ts';
import { atHost } from './at-host.ts';
import { createCaution } from './careful.ts';
import { commitTurn } from './commit.ts';
import type { Crawl } from './crawls.ts';
import { fetchPages, isFull } from './fetch-pages.ts';
import { beginHostState, countOne } from './host-state.ts';
import type { Lease } from './lease.ts';
import { openLedger } from './open-ledger.ts';
import type { Services } from './services.ts';
import { mergeLink } from './take-link.ts';

/** A delivery that came so often has perhaps killed its workers: its turn goes carefully. */
const CAREFUL_RECEIVE_COUNT = 3;
/** No request is begun that could outlive the lease, with this much to commit in. */
const COMMIT_MS = 10_000;
/**
 * A turn is no longer than the crawl's age (`Budget.ageMs`), and this at least: its links to other hosts leave it at its
 * end, the hosts of a crawl that has just begun wait for each other's, and a process that is killed soon loses what it has not
 * committed.
 */
const YOUNG_TURN_MS = 1000;
/** ... and at least so many of the host's delays: for robots.txt and two pages. */
const YOUNG_TURN_DELAYS = 2.5;

/** When the host may next be given to anybody; until then its deliveries are to be held. */
export interface TurnEnd {
  readonly restUntil: number;
  /** Whether the turn has asked the host for something. */
  readonly hasAsked?: boolean;
  /** The turn has asked for nothing and changed nothing: its deliveries are to come again. */
  readonly isPutOff?: boolean;
}

/**
 * A lease must last longer, or its turn could ask for nothing: an exchange, what the project's hooks may take after it
 * (for extraction, for the page, and for an error), and the commit.
 */
export function leastLeaseMs({ hooks }: Pick<Services, 'hooks'>, { config }: Pick<Crawl, 'config'>): number {
  return config.totalTimeoutMs + (hooks ? 3 * config.hookTimeoutMs : 0) + COMMIT_MS;
}

/** Nobody waits for a host that was given up. */
const restOf = ({ setAside, clock }: Head): number => (setAside === undefined ? clock.nextFetchAt : 0);

/** Throws `StaleTurn` if another worker owns the host, and whatever the engine's ports throw. */
export async function runTurn(
  services: Services,
  given: Crawl,
  host: HostKey,
  deliveries: readonly Delivery[],
  lease: Lease,
): Promise<TurnEnd> {
  const { ledgers, clock } = services.engine;
  const crawl = atHost(given, host);
  const stored = (await ledgers.loadHead(crawl.id, host)) ?? NEW_HEAD;
  const head = withoutFarTimes(stored, clock.now(), crawl.config);
  const links = deliveries.flatMap(({ message }) => (message.kind === 'links' ? message.links : []));
  const isNamed = deliveries.some(({ message }) => message.kind === 'token' && message.token === head.token);
  const isWoken = deliveries.some(({ message }) => message.kind === 'wake');
  const resumedBy = deliveries.findLast(({ message }) => message.kind === 'wake' && message.isResumed)?.id;
  // One that has come back was served, or is asked for again by who needs it: a host that rests is not asked by it for ever.
  const askedRobots = deliveries.flatMap(({ message, receiveCount }) =>
    message.kind === 'robots' && receiveCount === 1 ? [message.url] : [],
  );
  const isBegun = isNamed || isWoken || askedRobots.length > 0;
  if (links.length === 0 && !isBegun) return { restUntil: restOf(head) };

  const ledger =
    services.ledgers.take(crawl.id, host, head.version) ??
    (await openLedger(ledgers, crawl.id, host, head.ledger, services.engine.sizes));
  const lastRequestAt = lease.endsAt - leastLeaseMs(services, crawl);
  const state = beginHostState(
    host,
    head,
    ledger,
    lease,
    lastRequestAt,
    crawl.config.trapMinNew,
    services.engine.sizes,
  );
  const restUntil = services.lanes.restUntil(host);
  if (restUntil > state.clock.nextFetchAt) state.clock = { ...state.clock, nextFetchAt: restUntil };
  // One that was parked comes back, and was obeyed already.
  if (resumedBy !== undefined && resumedBy !== head.resumedBy) {
    if (state.setAside) state.clock = { ...state.clock, failures: 0 };
    state.setAside = undefined;
    state.resumedBy = resumedBy;
  }

  const now = clock.now();
  let news = 0;
  for (const link of links) {
    if (isFull(crawl, state) && link.kind !== 'requisite' && !ledger.has(link.url))
      countOne(state.totals.skipped, 'pagesPerHost');
    else if (mergeLink(services, crawl, state, link, now)) news++;
  }
  // Links that are all known, to a host that has its next turn already or needs none: nothing to commit.
  const isProvided = head.token !== undefined || head.dueAt !== undefined || ledger.counts.waiting === 0;
  if (news === 0 && !isBegun && ledger.changes === 0 && isProvided) {
    services.ledgers.put(crawl.id, host, head.version, ledger);
    return { restUntil: restOf(head) };
  }

  const { turnMaxMs, delayMs } = crawl.config;
  const youngMs = Math.max(YOUNG_TURN_MS, YOUNG_TURN_DELAYS * delayMs);
  const turnMs = Math.min(turnMaxMs, Math.max(crawl.budget.ageMs(), youngMs));
  const endBy = Math.min(now + turnMs, lastRequestAt);
  // Or a URL is under suspicion since an earlier turn, and has not been fetched since.
  const isCareful =
    state.suspect !== undefined ||
    deliveries.some(({ receiveCount }) => receiveCount >= CAREFUL_RECEIVE_COUNT);
  const caution = isCareful ? createCaution(services, crawl.id, state, head, endBy) : undefined;
  const { pages, bytes, requests } = state.totals;
  const settleBudget = () =>
    crawl.budget[state.isCommitted ? 'commit' : 'giveBack'](
      state.totals.pages - pages,
      state.totals.bytes - bytes,
    );
  services.stats.open.set(ledger, head.ledger.counts);
  try {
    const maxUrls = caution ? 1 : crawl.config.turnMaxPages;
    const maxPages = crawl.budget.turnPages();
    const isPutOff = await fetchPages(services, crawl, state, {
      endBy,
      maxUrls,
      maxPages,
      askedRobots,
      caution,
    });
    if (isPutOff) return { restUntil: state.clock.nextFetchAt, isPutOff };
    const restUntil = await commitTurn(services, crawl, state, caution?.head() ?? head);
    return { restUntil, hasAsked: state.totals.requests > requests };
  } catch (error) {
    // The turn is thrown away, but the host was asked; and nobody knows of its pages.
    services.lanes.rest(host, Math.max(state.clock.nextFetchAt, clock.now() + crawl.config.delayMs));
    await caution?.clear();
    throw error;
  } finally {
    settleBudget();
    caution?.end();
    services.stats.open.delete(ledger);
  }
}
