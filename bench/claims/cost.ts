/**
 * The cost of a million pages on AWS: the meter of a simulated broad crawl, at list price. The simulated
 * functions take the time that `node bench/claims/unit-figures.ts` has measured. `node
 * bench/harness/aws-cost.ts` prints the cost of a crawl on real AWS.
 */

import { parseOptions } from '../../cdk/options.ts';
import { costOf, LINE_ITEMS, priceOf } from '../../shared/engines/aws/cost/prices.ts';
import { STACK_CRAWL_DEFAULTS } from '../../shared/engines/aws/settings.ts';
import { SMALL_CRAWL } from '../../simulation/capacity/measure-crawl.ts';
import { parseCapacityArgs } from '../../simulation/capacity/options.ts';
import { type Run, runWorld } from '../../simulation/capacity/run.ts';
import { summarize } from '../../simulation/capacity/summary.ts';
import { readUnitFigures } from '../../simulation/capacity/unit-figures.ts';
import type { BenchOptions } from '../claims.ts';
import type { Measured } from '../harness/record.ts';

/** Long enough for a steady half: 12 virtual minutes. Turns as they are by default on a stack. */
const LENGTH = ['--hours', '0.2', '--turn', String(STACK_CRAWL_DEFAULTS.turnMaxMs / 1000)];
/** A whole crawl ends by itself. */
const WHOLE = ['--hours', '200', '--until-end', '--turn', String(STACK_CRAWL_DEFAULTS.turnMaxMs / 1000)];
/** More hosts are simulated as a world smaller by this factor. */
const MAX_SIMULATED_HOSTS = 2000;

export async function measure({ hosts, delay, whole, given }: BenchOptions): Promise<Measured> {
  const args = given.has('hosts') ? defaultStack(hosts) : SMALL_CRAWL;
  if (whole)
    return measuredWhole(
      await runWorld(parseCapacityArgs([...args, ...WHOLE, '--delay', String(delay)]), readUnitFigures()),
    );
  const run = await runWorld(
    parseCapacityArgs([...args, ...LENGTH, '--delay', String(delay)]),
    readUnitFigures(),
  );
  const { dollarsPerMillion, full } = summarize(run);
  const figure = (name: string, unit: string) => ({ value: full[name] ?? Number.NaN, unit });
  return {
    figures: {
      dollarsPerMillion: { value: dollarsPerMillion.all, unit: '$ for a million pages' },
      pagesPerTurn: figure('pagesPerTurn', 'pages a turn'),
      hosts: { value: run.options.hosts, unit: 'hosts' },
      delay: { value: delay, unit: 's between two requests to a host' },
      pagesPerSecond: figure('pagesPerSecond', 'pages/s'),
      workers: figure('workers', 'workers at once'),
    },
    parts: Object.fromEntries(LINE_ITEMS.map((item) => [item, dollarsPerMillion[item]])),
    detail: LINE_ITEMS.map((item) => `${item.padEnd(22)}$${dollarsPerMillion[item].toFixed(3)}`).join('\n'),
  };
}

/** The cost of all pages of a crawl, from its first seed until it is called finished. */
function measuredWhole({ options, samples, totals: { end }, billed }: Run): Measured {
  const { byItem, total } = costOf(end.usage ?? {}, priceOf('us-east-1'));
  const perMillion = (dollars: number) => (dollars / end.pages) * 1e6;
  const seconds = (samples.at(-1)?.atMs ?? 0) / 1000;
  return {
    figures: {
      dollarsPerMillion: { value: perMillion(total), unit: '$ for a million pages' },
      hosts: { value: options.hosts, unit: 'hosts' },
      delay: { value: options.delayMs / 1000, unit: 's between two requests to a host' },
      pages: { value: end.pages, unit: 'pages' },
      hours: { value: seconds / 3600, unit: 'hours' },
      workers: { value: billed.worker / 1000 / seconds, unit: 'workers at once' },
    },
    parts: Object.fromEntries(LINE_ITEMS.map((item) => [item, perMillion(byItem[item])])),
    detail: [
      ...LINE_ITEMS.map((item) => `${item.padEnd(22)}$${perMillion(byItem[item]).toFixed(3)}`),
      `usage ${JSON.stringify(end.usage)}`,
    ].join('\n'),
  };
}

/** A crawl of this number of hosts on a stack that is deployed with default options. */
function defaultStack(hosts: number): string[] {
  const stack = parseOptions({});
  const settings = {
    hosts,
    scale: Math.max(1, hosts / MAX_SIMULATED_HOSTS),
    queues: stack.turnQueues,
    'link-shards': stack.linkShards,
    'workers-max': stack.maxConcurrency,
    'hosts-per-worker': stack.hostsPerWorker,
    memory: stack.workerMemoryMb,
    'small-memory': stack.smallWorkerMemoryMb,
    'router-window': stack.routerWindow,
    'due-shards': stack.dueShards,
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
}
