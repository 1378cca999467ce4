/** The use of AWS by a page, by what is paid for: of a small simulated crawl, whose seed decides everything. */
import type { Usage } from '../../../shared/engines/aws/cost/prices.ts';
import { FREE } from '../../../simulation/capacity/measure-crawl.ts';
import { parseCapacityArgs } from '../../../simulation/capacity/options.ts';
import { runWorld } from '../../../simulation/capacity/run.ts';

const CRAWL = '--hosts 100 --pages-per-second 40 --scale 1 --queues 1 --hours 0.05 --delay 1 --turn 60'.split(
  ' ',
);

/** Counts a page, by the items of the meter. */
export async function awsUsage(): Promise<Partial<Usage>> {
  const { totals } = await runWorld(parseCapacityArgs(CRAWL), FREE);
  const { usage = {}, pages } = totals.end;
  return Object.fromEntries(Object.entries(usage).map(([item, count]) => [item, count / pages]));
}
