import { endedType } from '../../shared/webhook/crawl-events.ts';
import type { SentEvent, Violation } from '../worlds/spec.ts';
import { type CrawlFacts, type Facts, mayHaveLostTurns } from './facts.ts';
import { createFindings, since } from './findings.ts';
import type { StatusChange } from './history-probe.ts';

/** After a change of the status, an event of the status before may still be on its way. */
const ON_ITS_WAY_MS = 60_000;
/** A waker that stands still between its look at the status and the sending: 3 minutes at most. */
const STILL_MS = ON_ITS_WAY_MS + 180_000;

/** Their events are about something else than the end of a crawl. */
const NO_ENDS: ReadonlySet<string> = new Set(['hostGivenUp', 'firstPassFinished']);

const typeOf = ({ status, code }: StatusChange): string | undefined =>
  endedType({ state: status, reasonCode: code });

/**
 * The receiver has got an event of each crawl that ended by itself or at a limit; each event is of an end that there
 * was; and the repeated events of one end have one id.
 */
export function endsSent({
  crawls,
  events,
  strikes,
}: Pick<Facts, 'crawls' | 'events' | 'strikes'>): readonly Violation[] {
  const findings = createFindings('endsSent');
  for (const crawl of crawls) {
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

/** Whether the crawl was in the status of the event so long before at most. */
const isOfAnEnd = ({ statuses }: CrawlFacts, { at, type }: SentEvent, mostMs: number): boolean =>
  statuses.some(
    (change, i) =>
      typeOf(change) === type &&
      change.at <= at &&
      (statuses[i + 1]?.at ?? Number.POSITIVE_INFINITY) >= at - mostMs,
  );
