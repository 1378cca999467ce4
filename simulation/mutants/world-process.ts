/**
 * A process that runs worlds, one after the other, to the first that breaks an invariant. Its arguments: a
 * file with the worlds' specs. It prints a line of JSON for each.
 */
import { readFileSync } from 'node:fs';
import type { WorldSpec } from '../worlds/spec.ts';
import { runWorld } from '../worlds/world.ts';
import { forgetSites, sitesRun } from './overlay.ts';

/** The outcome of a world; `sites`: which statements ran in it, where they are noted. */
export interface WorldLine {
  readonly spec: WorldSpec;
  readonly broken: readonly { readonly invariant: string; readonly message: string }[];
  readonly ms: number;
  readonly sites?: Readonly<Record<string, readonly number[]>>;
}

const specs: WorldSpec[] = JSON.parse(readFileSync(process.argv[2] as string, 'utf8'));
for (const spec of specs) {
  const startedAt = performance.now();
  forgetSites();
  let sites: WorldLine['sites'];
  let broken: WorldLine['broken'];
  try {
    // Code that only the judging runs is not part of the world.
    broken = (await runWorld(spec, { beforeJudging: () => (sites = sitesRun()) })).violations;
  } catch (error) {
    broken = [{ invariant: 'noCrash', message: `The simulation threw: ${(error as Error)?.stack ?? error}` }];
  }
  // An unhandled rejection ends the process now, not during the next world.
  await new Promise((resolve) => setImmediate(resolve));
  const line: WorldLine = { spec, broken, ms: performance.now() - startedAt, ...(sites && { sites }) };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  if (broken.length > 0 && !sites) break;
}
process.exit(0);
