/** The unit figures of a capacity run, as `bench/claims/unit-figures.ts` has measured them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Figure<T = number> {
  readonly value: T;
  readonly unit: string;
  /** The subject of the figures, and how they were measured. */
  readonly what: string;
}

/** Figures for the work that a simulated crawl leaves out. */
export interface OutsideFigures {
  readonly cpuMsPerPageOutside: Figure;
  readonly cpuMsPerConnection: Figure;
  readonly cpuMsPerCall: Figure<{ readonly sqs: number; readonly dynamo: number; readonly s3: number }>;
  readonly warcBytesPerPage: Figure;
  readonly bodyBytesPerPage: Figure;
}

/** Figures for the work that a simulated crawl does. */
export interface CrawlFigures {
  readonly cpuMsPerPage: Figure;
  readonly cpuMsPerTurn: Figure;
  readonly segmentBytesPerPage: Figure;
  readonly linksPerPage: Figure;
}

export interface UnitFigures {
  /** YYYY-MM-DD. */
  readonly measuredOn: string;
  readonly machine: string;
  readonly figures: OutsideFigures &
    CrawlFigures & {
      readonly latencyMs: Figure<{ readonly sqs: number; readonly dynamo: number; readonly s3: number }>;
    };
}

export const UNIT_FILE: string = join(import.meta.dirname, '../../docs/figures/unit.json');

/** As `simulation/models/latency.ts` has them. */
export const MEDIAN_LATENCY_MS: UnitFigures['figures']['latencyMs'] = {
  value: { sqs: 8, dynamo: 4, s3: 30 },
  unit: 'ms, median of a call',
  what: 'ASSUMED, as nothing has run on AWS: simulation/models/latency.ts, by what the developer guides say',
};

/** Throws where the file is not there or holds something else. */
export function readUnitFigures(file = UNIT_FILE): UnitFigures {
  const figures = JSON.parse(readFileSync(file, 'utf8')) as UnitFigures;
  const { cpuMsPerPage, cpuMsPerTurn, cpuMsPerPageOutside } = figures.figures ?? {};
  for (const [name, figure] of Object.entries({ cpuMsPerPage, cpuMsPerTurn, cpuMsPerPageOutside }))
    if (!(Number(figure?.value) >= 0))
      throw new Error(`Expected a number ${name} in ${file}, got ${figure?.value}`);
  return figures;
}
