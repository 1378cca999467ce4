import { clampTimes } from '../../core/frontier/clamp-times.ts';
import { type Head, NEW_HEAD } from '../../core/frontier/head.ts';
import type { HostLedger } from '../../core/frontier/ledger.ts';
import type { Link } from '../../core/frontier/message.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { Crawl } from '../crawl-state/crawls.ts';
import type { Delivery } from '../ports/turn-queue.ts';
import { cautionOf, TurnCaution } from './caution.ts';
import { TurnCommit } from './commit.ts';
import { FetchLoop } from './fetch-loop.ts';
import type { Lease } from './lease.ts';
import { lostTurns } from './lost-turns.ts';
import { openHost } from './open-host.ts';
import { openLedger } from './open-ledger.ts';
import { isObeyed } from './pace/host-pace.ts';
import { HOOK_CALLS } from './page-hooks.ts';
import { RETRY_HOST_MS } from './recrawl/recrawl-plan.ts';
import type { TurnServices } from './services.ts';
import { TurnCrawl } from './turn-crawl.ts';
import { createTurnParts, type TurnParts } from './turn-parts.ts';
import { giveUpUnreadable, unreadableCause } from './unreadable-ledger.ts';

/** No request is begun that could outlive the lease, with this much to commit in. */
const COMMIT_MS = 10_000;
/**
 * A turn lasts at least this long and at most as long as the crawl's age (`Budget.ageMs`). It sends its links
 * to other hosts when it ends: in a new crawl other hosts wait for them, and a process that is killed loses
 * what it has not committed.
 */
const YOUNG_TURN_MS = 1000;
/** ... and at least this number of the host's delays: for robots.txt and two pages. */
const YOUNG_TURN_DELAYS = 2.5;

/** The input of a turn: a host's messages for one crawl, and the time for which the worker has the host. */
export interface TurnInput {
  readonly host: HostKey;
  readonly deliveries: readonly Delivery[];
  readonly lease: Lease;
  /** The process serves no other host, since pages of this one have perhaps killed others. Default: no. */
  readonly isApart?: boolean;
}

/** When the host may next be given to anybody; until then its deliveries are to be held. */
export interface TurnEnd {
  readonly restUntil: number;
  /** Whether the turn has made a request to the host. */
  readonly hasRequested?: boolean;
  /** The turn has requested nothing and changed nothing: its deliveries are to come again. */
  readonly isPostponed?: boolean;
}

/**
 * A lease must last longer, or its turn could make no request: the sum of an exchange, the longest reading or rendering
 * of its document, the project's hooks, and the commit.
 */
export function leastLeaseMs(
  services: Pick<TurnServices, 'hooks' | 'documents' | 'rendering'>,
  { config }: Pick<Crawl, 'config'>,
): number {
  const { hooks, documents, rendering } = services;
  const documentMs = documents && config.readDocuments ? documents.limitMs(config) : 0;
  const renderMs = rendering?.limitMs(config) ?? 0;
  const calls = hooks ? HOOK_CALLS + (hooks.isChallenge ? 1 : 0) : 0;
  const hooksMs = calls * config.hookTimeoutMs;
  return config.totalTimeoutMs + documentMs + renderMs + hooksMs + COMMIT_MS;
}

/**
 * Runs a turn: one visit of a worker to one host, for one crawl. Loads the host's ledger, takes in the links delivered,
 * fetches some of the host's best URLs at its pace, and commits the outcome with one conditional write. If anything
 * fails before that write, nothing is left behind but work to be done again. If the ledger cannot be read any more, the
 * host is given up. Throws `StaleTurn` if another worker owns the host, and the errors of the engine's ports.
 */
export async function runTurn(services: TurnServices, loaded: Crawl, input: TurnInput): Promise<TurnEnd> {
  const { ledgers, items, changes, clock, sizes } = services.engine;
  const { host } = input;
  const crawl = new TurnCrawl(services, loaded, host);
  const stored = (await ledgers.loadHead(crawl.id, host)) ?? NEW_HEAD;
  // The process that committed them may have died before it could.
  if (stored.stagedItems !== undefined)
    await items?.publish(crawl.id, host, stored.version, stored.stagedItems);
  if (stored.stagedChanges !== undefined)
    await changes?.publish(crawl.id, host, stored.version, stored.stagedChanges);
  const known = clampTimes(stored, clock.now(), crawl.config);
  const asked = requestOf(input.deliveries, known, clock.now());
  const lost = lostTurns(input.deliveries, stored, services.lanes.receives, clock.now());
  const { isOpen, share } = await openHost(services, crawl, known, asked.links);
  const request = isOpen ? asked : { ...asked, links: [] };
  const head = share ? { ...known, share } : known;
  if (request.links.length === 0 && !request.isBegun) return { restUntil: restOf(head) };

  const caution = new TurnCaution(cautionOf(head.caution, lost), {
    turnMaxPages: crawl.config.turnMaxPages,
    isApart: input.isApart ?? false,
    isSuspected: head.intent !== undefined,
  });
  try {
    const ledger =
      services.ledgers.take(crawl.id, host, head.version) ??
      (await openLedger(ledgers, { crawl: crawl.id, host, index: head.ledger, sizes }));
    return await new Turn(services, { crawl, head, ledger, request, caution, lease: input.lease }).run();
  } catch (error) {
    const cause = unreadableCause(error, input.deliveries);
    if (cause === undefined) throw error;
    await giveUpUnreadable(ledgers, { crawl: crawl.id, host, cause, error, now: clock.now() });
    return { restUntil: 0 };
  }
}

/** The requests of the deliveries to a turn. */
interface TurnRequest {
  readonly links: readonly Link[];
  /**
   * Something other than links wants a turn: the token, a wake-up, another host that needs a robots.txt of
   * this one.
   */
  readonly isBegun: boolean;
  /** The last resume by which an operator wants the host tried again, even if it was given up. */
  readonly resumedBy: Head['resumedBy'];
  readonly askedRobots: readonly string[];
}

function requestOf(deliveries: readonly Delivery[], head: Head, now: number): TurnRequest {
  const links: Link[] = [];
  const askedRobots: string[] = [];
  let isBegun = false;
  let resumedBy: Head['resumedBy'];
  for (const delivery of deliveries) {
    const { message, receiveCount } = delivery;
    if (message.kind === 'links') for (const link of message.links) links.push(link);
    else if (message.kind === 'token') isBegun ||= message.token === head.token;
    else if (message.kind === 'wake') {
      isBegun ||= !isServedWake(delivery, head, now);
      const { resume } = message;
      if (resume !== undefined && !(resumedBy !== undefined && isObeyed(resume, resumedBy)))
        resumedBy = resume;
    }
    // A request that has come back was served, or is sent again by the host that needs it, so that a resting host does
    // not get it forever.
    else if (receiveCount === 1) askedRobots.push(message.url);
  }
  return {
    links,
    isBegun: isBegun || askedRobots.length > 0,
    resumedBy,
    askedRobots,
  };
}

/**
 * Whether a wake-up that came back, or as one of several copies, has had its turn: the host is not due any more, and
 * its next turn has a token of its own. It would give the host one turn after the other otherwise, each with a further
 * token.
 */
function isServedWake(delivery: Delivery, { dueAt, resumedBy }: Head, now: number): boolean {
  const resume = delivery.message.kind === 'wake' ? delivery.message.resume : undefined;
  const isKnown = resume === undefined ? delivery.receiveCount > 1 : isObeyed(resume, resumedBy);
  return isKnown && (dueAt === undefined || dueAt > now);
}

/** Nobody waits for a host that was given up. */
const restOf = ({ setAside, clock }: Head): number => (setAside === undefined ? clock.nextFetchAt : 0);

interface TurnOptions {
  readonly crawl: TurnCrawl;
  readonly head: Head;
  readonly ledger: HostLedger;
  readonly request: TurnRequest;
  readonly caution: TurnCaution;
  readonly lease: Lease;
}

/**
 * A visit to a host. Nothing in it outlives the turn; its collaborators each own their state
 * (`turn-parts.ts`).
 */
class Turn {
  readonly #services: TurnServices;
  readonly #options: TurnOptions;
  readonly #parts: TurnParts;
  readonly #commit: TurnCommit;

  constructor(services: TurnServices, options: TurnOptions) {
    const { crawl, head, ledger, request, caution, lease } = options;
    this.#services = services;
    this.#options = options;
    const lastRequestAt = lease.endsAt - leastLeaseMs(services, crawl);
    this.#parts = createTurnParts(services, {
      crawl,
      head,
      ledger,
      lease,
      lastRequestAt,
      endBy: turnEnd(crawl, services.engine.clock.now(), lease, lastRequestAt),
      caution,
      askedRobots: request.askedRobots,
    });
    this.#commit = new TurnCommit(services, this.#parts);
  }

  async run(): Promise<TurnEnd> {
    const { crawl, head, ledger, request } = this.#options;
    const { intake, pace, recrawl, refusals, share, restoredDuplicates } = this.#parts;
    if (request.resumedBy !== undefined && pace.resume(request.resumedBy)) {
      share.forget();
      refusals.resume();
    } else if (recrawl.isOn) pace.retryAfter(RETRY_HOST_MS);
    const news = intake.mergeDelivered(request.links, this.#services.engine.clock.now());
    await restoredDuplicates.freeTargets(request.links, this.#services.engine.clock.now());
    if (news > 0 || request.isBegun || this.#hasLeftovers()) return this.#fetchAndCommit();
    // Links that are all known, to a host that has its next turn already or needs none: nothing to commit.
    this.#services.ledgers.put(crawl.id, crawl.host, head.version, ledger);
    return { restUntil: restOf(head) };
  }

  /** Whether the ledger has changes to commit, or URLs wait for which no turn is planned. */
  #hasLeftovers(): boolean {
    const { head, ledger } = this.#options;
    const isPlanned = head.token !== undefined || head.dueAt !== undefined || ledger.counts.waiting === 0;
    return ledger.changes > 0 || !isPlanned;
  }

  async #fetchAndCommit(): Promise<TurnEnd> {
    const { crawl, head, ledger } = this.#options;
    const { counters, pace, quarantine, access, share } = this.#parts;
    const { stats } = this.#services;
    stats.open.set(ledger, head.ledger.counts);
    let readsBefore = crawl.budget.reads();
    try {
      if (crawl.site?.isRemoved && pace.givenUp === undefined) pace.giveUp({ code: 'siteRemoved' });
      if (pace.givenUp !== undefined || crawl.status !== 'running') pace.end();
      else if (this.#hasPageDue()) await share.prepare();
      if (access.isOn) await access.open();
      await this.#parts.recrawl.times.load();
      await this.#parts.knownPages.adopt();
      await new FetchLoop(this.#services, this.#parts).run();
      if (quarantine.isPostponed) return { restUntil: pace.nextFetchAt, isPostponed: true };
      readsBefore = crawl.budget.reads();
      const restUntil = await this.#commit.run();
      return { restUntil, hasRequested: counters.hasRequested };
    } catch (error) {
      await this.#throwAway();
      throw error;
    } finally {
      const { pages, bytes } = counters.gained();
      if (this.#commit.isDone) crawl.budget.commit(pages, bytes, readsBefore);
      else crawl.budget.giveBack(pages, bytes);
      quarantine.release();
      this.#parts.output.state?.close();
      stats.open.delete(ledger);
      await pace.release();
    }
  }

  /** Whether a page may be requested, for which robots.txt might be first. */
  #hasPageDue(): boolean {
    const { crawl, ledger } = this.#options;
    const now = this.#services.engine.clock.now();
    // Its share of the domain's budget would be taken for nothing.
    if (this.#parts.pace.allowedAt(now) - now > crawl.config.turnMaxWaitMs) return false;
    const dueAt = ledger.nextDueAt(now);
    return dueAt !== undefined && dueAt <= now && crawl.budget.metLimit() === undefined;
  }

  /** The turn is discarded, but a request was made: the host rests anyway. */
  async #throwAway(): Promise<void> {
    const { engine, lanes } = this.#services;
    const { crawl, pace, quarantine } = this.#parts;
    lanes.rest(crawl.host, Math.max(pace.nextFetchAt, engine.clock.now() + crawl.config.delayMs));
    if (!this.#commit.isDone) await quarantine.retract();
  }
}

/**
 * When a turn of the crawl that begins now ends at the latest. A worker that receives no more hosts ends soon: the next
 * one has started, and both are paid for.
 */
function turnEnd(
  { config, budget }: TurnCrawl,
  now: number,
  lease: Lease,
  lastRequestAt: number,
): () => number {
  const youngMs = Math.max(YOUNG_TURN_MS, YOUNG_TURN_DELAYS * config.delayMs);
  const longestMs = Math.min(config.turnMaxMs, Math.max(budget.ageMs(), youngMs));
  return () => Math.min(now + longestMs, lastRequestAt, Math.max(lease.receiveUntil, now + youngMs));
}
