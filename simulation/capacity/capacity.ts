/**
 * The command `npm run simulate -- capacity`: what a deployment of some size needs, and what limits it first.
 */
import { writeFileSync } from 'node:fs';
import { CAPACITY_USAGE, type CapacityOptions, InvalidArguments, parseCapacityArgs } from './options.ts';
import { reportJson, reportPicture, reportText } from './report.ts';
import { runWorld, type Sample } from './run.ts';
import { summarize } from './summary.ts';
import { readUnitFigures } from './unit-figures.ts';

/** Returns the exit code: 0; 2 where the command line is not understood. */
export async function runCapacity(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    console.log(CAPACITY_USAGE);
    return 0;
  }
  let options: CapacityOptions;
  try {
    options = parseCapacityArgs(args);
  } catch (error) {
    if (!(error instanceof InvalidArguments)) throw error;
    console.error(`${error.message}\n${CAPACITY_USAGE}`);
    return 2;
  }
  const figures = readUnitFigures();
  const run = await runWorld(options, figures, progress(options));
  const summary = summarize(run);
  console.log(reportText(run, summary));
  if (options.svg) writeFileSync(options.svg, reportPicture(run));
  if (options.json) writeFileSync(options.json, reportJson(run, summary, figures));
  return 0;
}

/** A line on stderr for each virtual minute. */
function progress({ scale }: CapacityOptions): (sample: Sample) => void {
  let pages = 0;
  return (sample) => {
    pages += sample.pages;
    if (sample.atMs % 60_000 !== 0) return;
    const rate = Math.round((pages / 60) * scale);
    const { workers, waiting, inFlight, linkParcels, backlogMs } = sample;
    console.error(
      `minute ${sample.atMs / 60_000}: ${rate} pages/s, ${workers} workers, ${waiting} messages waiting, ${inFlight} in flight, ${linkParcels} parcels, CPU ${Math.round(backlogMs)} ms behind`,
    );
    pages = 0;
  };
}
