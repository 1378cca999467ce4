import { endedType } from '../../shared/services/webhook/crawl-events.ts';
import type { FinishCall, SentEvent, Violation } from '../worlds/spec.ts';
import { type CrawlFacts, type Facts, mayHaveLostTurns } from './facts.ts';
import { createFindings, type Findings, since } from './findings.ts';
import type { StatusChange } from './history-probe.ts';

/** After a change of the status, an event of the status before may still be on its way. */
const ON_ITS_WAY_MS = 60_000;
/** A waker that stands still between its look at the status and the sending: 3 minutes at most. */
const STILL_MS = ON_ITS_WAY_MS + 180_000;

/** The most calls for one end (`functions/announcer.ts`): a process may die in each. */
const MAX_FINISH_CALLS = 3;

/** Their events are about something else than the end of a crawl. */
const NO_ENDS: ReadonlySet<string> = new Set(['hostGivenUp', 'firstPassFinished']);

const typeOf = ({ status, code }: StatusChange): string | undefined =>
  endedType({ state: status, reasonCode: code });

/**
 * The receiver has got an event of each crawl that ended by itself or at a limit; each event is of an end that there
 * was; and the repeated events of one end have one id. `onFinish` was called after the end, and after no other time.
 */
export function endsSent({
  crawls,
  events,
  finishes,
  strikes,
}: Pick<Facts, 'crawls' | 'events' | 'finishes' | 'strikes'>): readonly Violation[] {
  const findings = createFindings('endsSent');
  for (const crawl of crawls) {
    if (finishes) checkFinishes(findings, crawl, { finishes, strikes });
    const own = events.filter((event) => event.crawl === crawl.id && !NO_ENDS.has(event.type));
    for (const event of own) {
      if (isOfAnEnd(crawl, event, ON_ITS_WAY_MS)) continue;
      const isLate = mayHaveLostTurns({ strikes }) && isOfAnEnd(crawl, event, STILL_MS);
      findings.add(`${crawl.id}: ${event.type} was sent ${since(event.at)}, and there was no such end`, {
        at: event.at,
        excuse: isLate ? 'lateHearing' : undefined,
      });
    }
    const last = crawl.statuses.at(-1);
    const type = last && typeOf(last);
    // A clock that is set makes the waker wait for its next try.
    if (!last || type === undefined || strikes.clockStepped > 0) continue;
    const sent = own.filter((event) => event.type === type && event.isReceived && event.at >= last.at);
    if (sent.length === 0)
      findings.add(`${crawl.id} is ${last.status} ${since(last.at)}, and no ${type} was received`, last);
    if (new Set(sent.map(({ id }) => id)).size > 1)
      findings.add(`${crawl.id}: the end ${since(last.at)} was announced with different ids`, last);
  }
  return findings.list;
}

function checkFinishes(
  findings: Findings,
  crawl: CrawlFacts,
  { finishes, strikes }: Pick<Facts, 'strikes'> & { readonly finishes: readonly FinishCall[] },
): void {
  const { id, statuses } = crawl;
  const own = finishes.filter((call) => call.crawl === id);
  for (const { at } of own) {
    if (wasIn(crawl, hasEnd, at, ON_ITS_WAY_MS)) continue;
    const isLate = mayHaveLostTurns({ strikes }) && wasIn(crawl, hasEnd, at, STILL_MS);
    const excuse = isLate ? ('lateHearing' as const) : undefined;
    findings.add(`${id}: onFinish was called ${since(at)}, and the crawl had no end`, { at, excuse });
  }
  const [before, last] = [statuses.at(-2), statuses.at(-1)];
  // A clock that is set makes the waker wait for its next try.
  if (!last || !hasEnd(last) || strikes.clockStepped > 0) return;
  // The end before it was announced, and an operator who then stops the crawl makes no other one.
  if (last.status === 'stopped' && before && hasEnd(before)) return;
  const calls = own.filter(({ at }) => at >= last.at).length;
  if (calls === 0 || calls > MAX_FINISH_CALLS)
    findings.add(`${id} is ${last.status} ${since(last.at)}, and onFinish was called ${calls} times`, last);
}

/** An operator who stops a crawl ends it, too. */
const hasEnd = (change: StatusChange): boolean => change.status === 'stopped' || typeOf(change) !== undefined;

/** Whether the crawl was in the status of the event so long before at most. */
const isOfAnEnd = (crawl: CrawlFacts, { at, type }: SentEvent, mostMs: number): boolean =>
  wasIn(crawl, (change) => typeOf(change) === type, at, mostMs);

/** Whether the crawl was in a status of that kind at that time, or so long before at most. */
const wasIn = (
  { statuses }: CrawlFacts,
  isOne: (change: StatusChange) => boolean,
  at: number,
  mostMs: number,
): boolean =>
  statuses.some(
    (change, i) =>
      isOne(change) && change.at <= at && (statuses[i + 1]?.at ?? Number.POSITIVE_INFINITY) >= at - mostMs,
  );
