/** The events of a crawl that ended, or has fetched all once, for its operator's programs. */
import { hash } from 'node:crypto';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { FirstPass } from '../../crawler/ports/crawl-registry.ts';
import type { CrawlSummary } from '../report/summary.ts';
import type { WebhookEvent } from './webhook.ts';

/** The counts of a summary that events have. */
const COUNTS = ['pages', 'urls', 'hosts', 'bytes', 'seconds', 'byStatus', 'errors'] as const;

/** The parts of a summary that events represent. */
export type EndedCrawl = Pick<
  CrawlSummary,
  (typeof COUNTS)[number] | 'state' | 'reason' | 'reasonCode' | 'setAside' | 'losses'
>;

const countsOf = (ended: EndedCrawl) => Object.fromEntries(COUNTS.map((name) => [name, ended[name]]));

export interface EventContext {
  readonly now: () => number;
  /** Returns the id of an event. `subject`: what the event is about, unique among those of one end of the crawl. */
  readonly idOf: (subject: string) => string;
}

/** More hosts that were given up are counted in the crawl's own event only. */
const MAX_HOSTS = 100;

/** The type of the event of a crawl in that state; undefined for one that is not over, or that its operator ended. */
export function endedType({
  state,
  reasonCode,
}: Pick<CrawlSummary, 'state' | 'reasonCode'>): string | undefined {
  if (state === 'finished') return 'crawlFinished';
  // A stack pauses a crawl whose money is spent.
  if (state === 'limited' || (state === 'paused' && reasonCode === 'maxCost')) return 'crawlLimited';
  return undefined;
}

/**
 * The event of a crawl that recrawls whose first pass is complete. It has the same id whenever it is made. `counts`: as they
 * are now.
 */
export function firstPassEvent(
  crawl: CrawlId,
  { at }: FirstPass,
  counts: EndedCrawl,
  now: number,
): WebhookEvent {
  return {
    id: hash('sha256', JSON.stringify([crawl, 'firstPass', at])).slice(0, 32),
    type: 'firstPassFinished',
    time: new Date(now).toISOString(),
    crawl,
    data: { at: new Date(at).toISOString(), ...countsOf(counts) },
  };
}

/** Returns an event for each host that was given up, then that of the crawl, if it is over. */
export function crawlEvents(crawl: CrawlId, ended: EndedCrawl, { now, idOf }: EventContext): WebhookEvent[] {
  const { state, reason, reasonCode, setAside, losses } = ended;
  const event = (type: string, subject: string, data: object): WebhookEvent => ({
    id: idOf(subject),
    type,
    time: new Date(now()).toISOString(),
    crawl,
    data,
  });
  const type = endedType(ended);
  const counts = { ...countsOf(ended), hostsGivenUp: setAside.length, losses };
  return [
    ...setAside.slice(0, MAX_HOSTS).map((host) => event('hostGivenUp', host.host, host)),
    ...(type === undefined ? [] : [event(type, '', { state, reason, reasonCode, ...counts })]),
  ];
}
