/**
 * A stack with thousands of crawls, in a simulated account with the deployed handlers. The CPU of a run of the waker is
 * its calls, each as the SDK's own client needs (`docs/figures/unit.json`), and what this process needs for handlers and
 * adapters, without the models; in seconds of the function's CPU, as 512 MB buy 0.29 of a core.
 *
 *     npm run bench -- many-crawls --running 5000 --stored 10000
 */
import type { BenchOptions } from '../claims.ts';
import type { Measured } from '../harness/record.ts';
import { measureIdleCost } from './many-crawls/idle-cost.ts';
import { measureNeighbours } from './many-crawls/neighbours.ts';
import { measureRunningHour } from './many-crawls/running-hour.ts';

export async function measure({ running, stored }: BenchOptions): Promise<Measured> {
  const hour = await measureRunningHour(running, stored);
  const idle = await measureIdleCost(stored);
  const beside = await measureNeighbours();
  return {
    figures: {
      ...hour.figures,
      idleDollarsPerMonth: {
        value: idle.dollarsPerMonth,
        unit: `$ a month at rest, ${stored} crawls stored`,
      },
      ...beside.figures,
      running: { value: running, unit: 'crawls run' },
      stored: { value: stored, unit: 'have ended' },
    },
    parts: hour.parts,
    detail: [hour.detail, idle.detail, beside.detail].join('\n'),
  };
}
