/** Makes a turn real: everything durable, in the order that a crash at any point leaves nothing lost. */

import type { CrawlId } from '../crawl/crawl-id.ts';
import { maxWaitMs, soonest } from '../frontier/far-times.ts';
import type { Head } from '../frontier/head.ts';
import { RUN_PARTS } from '../frontier/run-stack.ts';
import type { HostKey } from '../url/host-key.ts';
import { atHost } from './at-host.ts';
import type { Crawl } from './crawls.ts';
import { countRequisites, isCutShort, isDraining } from './drain.ts';
import { isFull } from './fetch-pages.ts';
import type { HostState } from './host-state.ts';
import { parcelsOf } from './parcels.ts';
import { newPartId, versionOfPart } from './part-id.ts';
import type { Services } from './services.ts';

/** A host that may go on within this time gets a token, and its group is parked until then ... */
export const MAX_PARK_MS = 900_000;
/** ... unless it waits only for one of its URLs: new links should not have to wait with it for longer than this. */
const MAX_PARK_FOR_URL_MS = 30_000;
/** The waker looks after a host whose token has not come back this long after its time. */
const TOKEN_LOST_MS = 900_000;
/**
 * ... and after hosts that have only pages while no page is begun, after this: their commits must leave 20 minutes without
 * any, by which a crawl with wrong counters ends (`isDrained`), and a limit that is not met after all loses no day.
 */
const DRAINED_MS = 7_200_000;

/** A head that says that its host is due later than this was written by a process whose clock was ahead. */
export const maxDueMs = (config: Parameters<typeof maxWaitMs>[0]): number => DRAINED_MS + maxWaitMs(config);

/**
 * WARC records, links to other hosts, the ledger's new parts, the next token, and last the head that names it
 * (docs/decisions/0001-one-chain-of-turns-per-host.md). Returns when the host may next be given to anybody. Throws
 * `StaleTurn` if another worker has gone on with the host.
 */
export async function commitTurn(
  services: Services,
  crawl: Crawl,
  state: HostState,
  head: Head,
): Promise<number> {
  const { engine } = services;
  const { exchange, ledgers, queue, clock } = engine;
  const { host, ledger } = state;
  const version = head.version + 1;
  const id = newPartId(version, clock);

  if (state.hasArchived) await engine.archiveOf(crawl.id).flush();
  if (state.payloads.size > 0) await engine.payloads?.add(crawl.id, [...state.payloads.values()]);
  for (const links of parcelsOf(state.outLinks.values(), engine.sizes))
    await exchange.send({ crawl: crawl.id, links });
  const commit = await ledger.prepareCommit(id);
  for (const part of commit.parts) await ledgers.putPart(crawl.id, host, part.name, part.bytes);

  // Also where there are none: those of an attempt that was thrown away may stand there.
  if (services.hooks) await engine.items?.stage(crawl.id, host, version, state.items);

  countRequisites(crawl, state, clock.now());
  const plan = await planOrRevive(services, crawl, state);
  const token = plan.hasToken ? id : undefined;
  if (token) await queue.send([{ host, message: { kind: 'token', crawl: crawl.id, token } }]);
  const next: Head = {
    version,
    token,
    clock: state.clock,
    robots: state.robots,
    ...(state.closedOrigins.length > 0 && { closedOrigins: state.closedOrigins }),
    ...(state.movedRobots.length > 0 && { movedRobots: state.movedRobots }),
    ledger: commit.index,
    totals: state.totals,
    ...state.traps.state(),
    ...(state.sitemaps.known > 0 && { sitemaps: state.sitemaps }),
    dueAt: plan.dueAt,
    setAside: state.setAside,
    ...(state.resumedBy !== undefined && { resumedBy: state.resumedBy }),
    ...(state.suspect && { intent: state.suspect }),
    ...(state.quarantine.length > 0 && { quarantine: state.quarantine }),
  };
  await ledgers.commit(crawl.id, host, next);
  state.isCommitted = true;
  if (state.items.length > 0) await engine.items?.publish(crawl.id, host, version);

  services.ledgers.put(crawl.id, host, version, ledger);
  if (commit.obsolete.length > 0) await sweep(services, crawl.id, host, head, next);
  return plan.restUntil;
}

/** A crawl that was called finished, or limited, while links were on their way here goes on. */
async function planOrRevive({ engine, crawls }: Services, crawl: Crawl, state: HostState): Promise<Plan> {
  const latest = atHost((await crawls.get(crawl.id)) ?? crawl, state.host);
  const plan = planNext(latest, state, engine.clock.now());
  const isRevived =
    latest.status === 'finished'
      ? plan.dueAt !== undefined
      : await isCutShort(engine.registry, latest, state.totals);
  if (!isRevived) return plan;
  await engine.registry.setStatus(crawl.id, 'running', undefined, { from: [latest.status] });
  crawls.refresh(crawl.id);
  const revived = atHost((await crawls.get(crawl.id)) ?? crawl, state.host);
  return planNext(revived, state, engine.clock.now());
}

interface Plan {
  readonly hasToken: boolean;
  readonly dueAt?: number;
  readonly restUntil: number;
}

/** When and by what the host goes on. */
function planNext(crawl: Crawl, state: HostState, now: number): Plan {
  const { ledger, clock, setAside } = state;
  // A host that was given up is not waited for: what it has left of its rest would only keep a crawl from its end.
  if (setAside !== undefined)
    return { hasToken: false, restUntil: Math.min(state.gapUntil, clock.nextFetchAt) };
  const urlDueAt = ledger.nextDueAt(now, isFull(crawl, state) || isDraining(crawl));
  if (urlDueAt === undefined) {
    // For when the crawl is resumed, which wakes all hosts; and should one be left out.
    const isDue = isDraining(crawl) && !isFull(crawl, state) && ledger.nextDueAt(now) !== undefined;
    return { hasToken: false, ...(isDue && { dueAt: now + DRAINED_MS }), restUntil: clock.nextFetchAt };
  }
  const workAt = Math.max(soonest(urlDueAt, now, maxWaitMs(crawl.config)), clock.nextFetchAt, now);
  // Due, for when the crawl is resumed; but no turn until then. So a status that is some seconds old loses nothing.
  if (crawl.status !== 'running' || (crawl.budget.metLimit() !== undefined && !isDraining(crawl)))
    return { hasToken: false, dueAt: workAt, restUntil: clock.nextFetchAt };
  const isParked =
    workAt - Math.max(clock.nextFetchAt, now) <= MAX_PARK_FOR_URL_MS && workAt - now <= MAX_PARK_MS;
  return isParked
    ? { hasToken: true, dueAt: workAt + TOKEN_LOST_MS, restUntil: workAt }
    : { hasToken: false, dueAt: workAt, restUntil: clock.nextFetchAt };
}

/**
 * Deletes the parts that no head names any more, replaced or left by failed attempts. What the last head named stays
 * until the next time, for those who are reading by it.
 */
async function sweep(
  { engine }: Services,
  crawl: CrawlId,
  host: HostKey,
  before: Head,
  now: Head,
): Promise<void> {
  const named = new Set([...partsOf(before), ...partsOf(now)]);
  const names = await engine.ledgers.listParts(crawl, host);
  // Parts of this version or later may belong to an attempt that is still under way.
  const old = names.filter((name) => !named.has(name) && versionOfPart(name) <= before.version);
  await engine.ledgers.deleteParts(crawl, host, old);
}

function partsOf({ ledger, robots }: Head): string[] {
  return [
    ...ledger.segments,
    ...ledger.runs.flatMap(({ id }) => RUN_PARTS.map((part) => `${id}.${part}`)),
    ...robots.flatMap(({ part }) => part ?? []),
  ];
}
