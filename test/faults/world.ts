/** The parts of a world: a crawl and the strikes on it. */
import type { RunningWeb } from '../web/server.ts';
import type { Committed } from './committed.ts';
import type { DiskCall } from './disk-log.ts';
import type { Loss } from './disk-model.ts';
import type { DiskFault, DiskPoint } from './fault-disk.ts';
import type { Harm, Scenario, ScenarioName } from './scenarios.ts';

/** The strike on one process of a world. */
export interface Strike {
  readonly point: DiskPoint;
  readonly fault: DiskFault;
  /** After the process has died the power is lost too. */
  readonly loss?: Loss;
}

export interface WorldSpec {
  readonly scenario: ScenarioName;
  readonly seed: number;
  /** For the first process, the second ...; later ones run undisturbed. */
  readonly strikes: readonly Strike[];
  /** The harm that a hook does to its thread. */
  readonly harm?: Harm;
  /** Keeps the logs of the disk's calls of undisturbed processes too. */
  readonly isRecorded?: boolean;
}

/** One process. */
export interface Leg {
  readonly verb: 'crawl' | 'resume';
  readonly strike?: Strike;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly code: number | null;
  readonly signal: string | null;
  readonly err: string;
  /** The calls to the disk, if they were logged. */
  readonly calls: readonly DiskCall[];
  /** Whether the strike was met. */
  readonly wasStruck: boolean;
  /** The data that the folder's heads had committed when the process, and the power, was gone. */
  readonly committed: Committed;
  /** Whether there is a crawl in the folder. */
  readonly holdsCrawl: boolean;
}

export interface World {
  readonly spec: WorldSpec;
  readonly scenario: Scenario;
  readonly folder: string;
  readonly running: RunningWeb;
  readonly legs: readonly Leg[];
  /** The page whose hook has harmed its thread; undefined if none has. */
  harmedBy(): string | undefined;
}
