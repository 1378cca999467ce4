/**
 * The unit figures that `npm run simulate -- capacity` reckons with, measured on this machine:
 *
 *     node bench/claims/unit-figures.ts [FILE]        (docs/figures/unit.json)
 *
 * What a simulated crawl leaves out is measured by itself (`measure-outside.ts` of the capacity run: fetching
 * over sockets and TLS, documents of the usual size, the AWS SDK's own clients); what it does, the turns of
 * the crawler over engine `aws`, by a profile of a simulated crawl from which the models' own share is taken
 * out.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus } from 'node:os';
import { measureCrawl } from '../../simulation/capacity/measure-crawl.ts';
import { measureOutside } from '../../simulation/capacity/measure-outside.ts';
import { MEDIAN_LATENCY_MS, UNIT_FILE, type UnitFigures } from '../../simulation/capacity/unit-figures.ts';

const file = process.argv[2] ?? UNIT_FILE;
const outside = await measureOutside();
const crawl = await measureCrawl();
const figures: UnitFigures = {
  measuredOn: new Date().toISOString().slice(0, 10),
  machine: `${cpus()[0]?.model ?? 'unknown'}, ${arch()}, Node ${process.versions.node}`,
  figures: { ...outside, ...crawl, latencyMs: MEDIAN_LATENCY_MS },
};
writeFileSync(file, `${JSON.stringify(figures, undefined, 2)}\n`);
console.log(readFileSync(file, 'utf8'));
