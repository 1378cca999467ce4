/**
 * What a million pages cost on AWS: the meter of a simulated broad crawl, at list price. The simulated
 * functions take the time that `node bench/claims/unit-figures.ts` has measured. What a crawl on real AWS cost is
 * printed by `node bench/harness/aws-cost.ts`.
 */

import { parseConfig } from '../../shared/crawl/config.ts';
import { LINE_ITEMS } from '../../shared/engines/aws/cost/prices.ts';
import { SMALL_CRAWL } from '../../simulation/capacity/measure-crawl.ts';
import { parseCapacityArgs } from '../../simulation/capacity/options.ts';
import { runWorld } from '../../simulation/capacity/run.ts';
import { summarize } from '../../simulation/capacity/summary.ts';
import { readUnitFigures } from '../../simulation/capacity/unit-figures.ts';
import type { Measured } from '../harness/record.ts';

/** Long enough for a steady half: 12 virtual minutes. Turns as they are by default. */
const CRAWL = [...SMALL_CRAWL, '--hours', '0.2', '--turn', String(parseConfig({}).turnMaxMs / 1000)];

export async function measure(): Promise<Measured> {
  const run = await runWorld(parseCapacityArgs(CRAWL), readUnitFigures());
  const { dollarsPerMillion, full } = summarize(run);
  return {
    figures: {
      dollarsPerMillion: { value: dollarsPerMillion.all, unit: '$ for a million pages' },
      pagesPerTurn: { value: full.pagesPerTurn ?? Number.NaN, unit: 'pages a turn' },
    },
    parts: Object.fromEntries(LINE_ITEMS.map((item) => [item, dollarsPerMillion[item]])),
    detail: LINE_ITEMS.map((item) => `${item.padEnd(22)}$${dollarsPerMillion[item].toFixed(3)}`).join('\n'),
  };
}
