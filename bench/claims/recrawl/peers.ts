/** Policies of other crawlers that adapt each page's interval, by their documented formulas and defaults. */
import { randomOf } from '../../../simulation/models/random.ts';
import type { ChangingWeb } from './changing-web.ts';
import { createLeastFirst } from './least-first.ts';
import { createMeter, type Scores } from './meter.ts';

/** The state of a page, in days. To be changed. */
interface Paced {
  interval: number;
  modifiedAt: number;
}

/** Changes the state after a fetch on day `now`, and returns the day of the next one. */
type Rule = (page: Paced, hasChanged: boolean, now: number) => number;

/**
 * Apache Nutch, AdaptiveFetchSchedule: 40 % more after no change, 20 % less after a change, and the next fetch
 * moved towards the time of the last change by 0.3 of the difference. From a minute to a year.
 */
export const nutch: Rule = (page, hasChanged, now) => {
  if (hasChanged) page.modifiedAt = now;
  page.interval *= hasChanged ? 0.8 : 1.4;
  const delta = now - page.modifiedAt;
  if (delta > page.interval) page.interval = delta;
  page.interval = Math.min(365, Math.max(1 / 1440, page.interval));
  return now - 0.3 * delta + page.interval;
};

/** StormCrawler, AdaptiveScheduler: 50 % more, or half the way to an hour; two weeks at most. */
export const stormCrawler: Rule = (page, hasChanged, now) => {
  page.interval = hasChanged ? 0.5 * page.interval + 0.5 / 24 : Math.min(14, 1.5 * page.interval);
  return now + page.interval;
};

export interface PeerOptions {
  readonly rule: Rule;
  /** The first interval of each page. */
  readonly firstDays: number;
  /** Fetches per day at most. */
  readonly perDay: number;
  /** Which of those that are due comes first: the one that is due longest, or the most important one. */
  readonly order: 'due' | 'importance';
}

export function runPeer(web: ChangingWeb, { rule, firstDays, perDay, order }: PeerOptions): Scores {
  const random = randomOf('peer', web.seed);
  const meter = createMeter(web);
  const paced = Array.from({ length: web.pages }, (): Paced => ({ interval: firstDays, modifiedAt: 0 }));
  const waiting = createLeastFirst();
  const ready = createLeastFirst();
  const dueAt = new Float64Array(web.pages);
  const schedule = (page: number, day: number): void => {
    dueAt[page] = day;
    waiting.push(day, page);
  };
  for (let page = 0; page < web.pages; page++) schedule(page, random() * firstDays);
  for (let now = 1 / perDay; ; now += 1 / perDay) {
    if (ready.size === 0) now = Math.max(now, waiting.leastKey());
    if (now >= web.days) break;
    while (waiting.leastKey() <= now) {
      const page = waiting.pop();
      ready.push(order === 'due' ? (dueAt[page] as number) : -(web.importances[page] as number), page);
    }
    const page = ready.pop();
    schedule(page, rule(paced[page] as Paced, meter.fetch(page, now), now));
  }
  return meter.scores();
}
