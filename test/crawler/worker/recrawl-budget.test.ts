/** The budget of a day, of crawls whose pages are worth more fetches than it has: kept, and used. */
import { expect, test } from 'vitest';
import { T0 } from './fake-clock.ts';
import { type Answer, page, type Site } from './scripted-fetcher.ts';
import { begin, createWorld, startProcess } from './world.ts';

const DAY = 86_400_000;
const HOSTS = ['http://a.test', 'http://b.test'];
const PAGES = 30;
const PER_DAY = 120;
/** Until then, prices and rates are not known well. */
const FIRST_DAY = 2;
const LAST_DAY = 5;
/** Due times are spread by chance: the standard deviation of a day's fetches is their root at most. */
const CHANCE = 3 * Math.sqrt(PER_DAY);

const words = (n: number): string => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');

/** One page in four changes with each fetch, another one with each fourth, and two never. */
function siteOf(host: string): Site {
  const names = Array.from({ length: PAGES }, (_, i) => `/${i}`);
  const versionOf = (i: number, n: number) => [n, Math.floor(n / 4), 0, 0][i % 4] as number;
  const answer =
    (name: string, i: number) =>
    (n: number): Answer => ({
      body: `<title>t</title><p>It says ${words(versionOf(i, n))} at ${name} of ${words(i)}.`,
    });
  return {
    [`${host}/`]: page(...names),
    ...Object.fromEntries(names.map((name, i) => [host + name, answer(name, i)])),
  };
}

test.each(['changes', 'freshness'] as const)(
  'by %s, each day has its budget, no more and no less',
  async (recrawl) => {
    const world = createWorld(Object.assign({}, ...HOSTS.map(siteOf)), { tookMs: 10 });
    const { clock, engine, fetcher } = world;
    await begin(
      world,
      HOSTS.map((host) => `${host}/`),
      { recrawl, recrawlPerDay: PER_DAY },
    );
    const process = startProcess(engine, fetcher, { wakerMs: 300_000 });
    await clock.drive(process.ended, () => clock.now() >= T0 + LAST_DAY * DAY);
    process.stop();
    await clock.drive(process.ended);
    expect(process.errors).toEqual([]);
    const known = new Set<string>();
    const again = fetcher.log.filter(
      ({ url }) => known.size === known.add(url).size && !url.endsWith('/robots.txt'),
    );
    const days = Array.from(
      { length: LAST_DAY },
      (_, day) => again.filter(({ startedAt }) => Math.floor((startedAt - T0) / DAY) === day).length,
    ).slice(FIRST_DAY);
    for (const count of days) {
      expect(count).toBeGreaterThanOrEqual(0.95 * PER_DAY - CHANCE);
      expect(count).toBeLessThanOrEqual(1.05 * PER_DAY + CHANCE);
    }
    const mean = days.reduce((sum, count) => sum + count, 0) / days.length;
    expect(mean).toBeGreaterThanOrEqual(0.95 * PER_DAY);
    expect(mean).toBeLessThanOrEqual(1.05 * PER_DAY);
  },
);
