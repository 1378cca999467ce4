import type { RecordLocation } from '../../shared/core/archive/record-location.ts';
import type { Engine } from '../../shared/crawler/ports/engine.ts';
import type { Capability } from './capabilities.ts';

/** An engine that a suite has opened. */
export interface OpenedEngine {
  readonly engine: Engine;
  /**
   * Returns the engine as another process finds it after this one was killed: nothing is closed cleanly, if
   * that is possible.
   */
  reopen(): Promise<Engine>;
  /** Frees everything, all that was reopened too. */
  close(): Promise<void>;
  /** Lets time pass, in an engine that owns it. */
  advance?(ms: number): Promise<void>;
  /** The bytes at a location of the archive, once flushed. */
  readRecord?(crawl: string, location: RecordLocation): Promise<Uint8Array>;
}

export interface OpenOptions {
  /** How long a received group is locked. */
  readonly leaseMs?: number;
}

/** The tools of the suite's parts. */
export interface Subject {
  /** The engine of the test that runs. */
  readonly engine: Engine;
  readonly opened: OpenedEngine;
  /** Opens another one, with options. */
  openWith(options: OpenOptions): Promise<Engine>;
  /** The reason why a test cannot run, or undefined. */
  lacks(capability: Capability): string | undefined;
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
  /** Waits for the promise, letting time pass where the engine owns it. */
  until<T>(promise: Promise<T>): Promise<T>;
}
