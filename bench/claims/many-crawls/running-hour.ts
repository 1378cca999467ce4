/** An hour of a stack with running crawls, most of them at rest, beside crawls that have ended. */

import { costOf, priceOf } from '../../../shared/engines/aws/cost/prices.ts';
import { type CrawlAtRest, fillRunning, fillStored } from '../../../simulation/worlds/fill-crawls.ts';
import type { Figure } from '../../harness/record.ts';
import { createAccount, type RunCpu } from './account.ts';
import { watchWaits } from './waits.ts';

export interface RunningHour {
  readonly figures: Readonly<Record<string, Figure>>;
  /** The parts of the first figure. */
  readonly parts: Readonly<Record<string, number>>;
  readonly detail: string;
}

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const MONTH_HOURS = 730;
/** One of this number of running crawls fetches pages all the time, and at most this number. */
const ONE_ACTIVE_OF = 100;
const MAX_ACTIVE = 10;
const ACTIVE: { readonly pages: number; readonly delayMs: number } = { pages: 100, delayMs: 30_000 };
/** By then the waker has seen all crawls that were created at once. */
const SETTLING_MINUTES = 40;
/** Running crawls that need something in the hour, at most: a third of them each of the needs. */
const MAX_NEEDY = 90;

export async function measureRunningHour(running: number, stored: number): Promise<RunningHour> {
  const active = Math.min(MAX_ACTIVE, Math.floor(running / ONE_ACTIVE_OF));
  const account = createAccount({
    web: { hosts: Math.max(1, active), minPages: ACTIVE.pages, maxPages: ACTIVE.pages },
  });
  const { cloud, deployment, operator, web } = account;
  const { time } = cloud;
  deployment.disableRules();
  await account.drive(fillStored(operator, namesOf('ended', stored)));
  const names = namesOf('site', running - active);
  const needs = Math.min(MAX_NEEDY, names.length);
  const needy = names.filter((_, i) => i % Math.floor(names.length / needs) === 0).slice(0, needs);
  const isNeedy = new Set(needy);
  await account.drive(
    fillRunning(
      operator,
      names.filter((name) => !isNeedy.has(name)).map((crawl, i) => atRest(crawl, i, time.now())),
    ),
  );
  const { control } = deployment.operator();
  for (let i = 0; i < active; i++)
    await account.drive(
      control.seed({
        crawl: `site-${'m'.repeat(i + 1)}`,
        seeds: [web.seeds[i] as string],
        config: { contact: 'https://sim.test/about', delayMs: ACTIVE.delayMs },
      }),
    );
  const filledAt = time.now();
  for (let minute = 0; minute < SETTLING_MINUTES; minute++) {
    await time.run(filledAt + minute * MINUTE);
    await account.run('waker');
  }
  const waits = watchWaits(cloud, needy, time.now());
  await account.drive(fillRunning(operator, waits.crawls));

  const { waker } = deployment.functions;
  const before = { ...waker.counts };
  const runs: RunCpu[] = [];
  const began = time.now();
  account.takeUsage();
  for (let minute = 0; minute < HOUR / MINUTE; minute++) {
    await time.run(began + minute * MINUTE);
    runs.push(await account.run('waker'));
  }
  await time.run(began + HOUR);
  const { total } = costOf(account.takeUsage(), priceOf('us-east-1'));
  const longest = runs.reduce((most, run) => (run.seconds > most.seconds ? run : most));
  const mean = runs.reduce((sum, { seconds }) => sum + seconds, 0) / runs.length;
  const { billedMs, invocations, timeouts, failures } = waker.counts;
  return {
    figures: {
      wakerCpuSeconds: {
        value: longest.seconds,
        unit: 's of the CPU of 512 MB, the longest run of the waker in an hour',
      },
      longestWaitSeconds: {
        value: Math.max(waits.longestSeconds('wake'), waits.longestSeconds('limit')),
        unit: 's that a host that is due, or a crawl at its limit, has waited',
      },
      longestEndSeconds: {
        value: waits.longestSeconds('end'),
        unit: 's from the last commit of a crawl until it is called finished',
      },
      wakerDollarsPerCrawlMonth: {
        value: (total * MONTH_HOURS) / running,
        unit: '$ a month of the waker for a running crawl',
      },
    },
    parts: { calls: longest.calls, handlers: longest.handlers },
    detail: [
      `the longest run of the waker: ${JSON.stringify(longest.byCall)}`,
      `a run on the mean: ${mean.toFixed(2)} s of CPU, ${((billedMs - before.billedMs) / (invocations - before.invocations) / 1000).toFixed(1)} s; of all ${invocations} runs ${timeouts} timed out, ${failures} failed`,
      `after the hour ${waits.waiting()} of ${needs} crawls wait still; wake ${waits.longestSeconds('wake')} s, limit ${waits.longestSeconds('limit')} s, end ${waits.longestSeconds('end')} s`,
      ...deployment.failures.slice(0, 5).map(({ process, message }) => `${process}: ${message}`),
    ].join('\n'),
  };
}

/** They are due again in half a day or more. */
const atRest = (crawl: string, i: number, now: number): CrawlAtRest => ({
  crawl,
  dueAt: now + DAY / 2 + ((i * 7919) % 1000) * (DAY / 2000),
});

export const namesOf = (kind: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${kind}-${String(i).padStart(6, '0')}`);
