/**
 * What `shared/ports/` promises, as one suite for every engine: it asks for nothing that is not written there. Where
 * a promise leaves room (a receive may give less than there is), the suite leaves it, too.
 */
import { afterEach, beforeEach, describe } from 'vitest';
import type { RecordLocation } from '../../shared/archive/record-location.ts';
import type { Engine } from '../../shared/ports/engine.ts';
import { archiveContract } from './archive-contract.ts';
import type { Capability, Lacks } from './capabilities.ts';
import { ledgerStoreContract } from './ledger-store-contract.ts';
import { linkExchangeContract } from './link-exchange-contract.ts';
import { registryContract } from './registry-contract.ts';
import { turnQueueContract } from './turn-queue-contract.ts';

export interface OpenedEngine {
  readonly engine: Engine;
  /** What another process finds after this one was killed: nothing is closed cleanly, where that is possible. */
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

/** What the parts of the suite work with. */
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

export function engineContract(
  name: string,
  open: (options?: OpenOptions) => Promise<OpenedEngine>,
  lacks: Lacks = {},
): void {
  describe(`the ${name} engine`, () => {
    const all: OpenedEngine[] = [];
    const opened = () => all[0] as OpenedEngine;

    async function pass(ms: number): Promise<void> {
      const { advance } = all.at(-1) as OpenedEngine;
      await (advance ? advance(ms) : new Promise((resolve) => setTimeout(resolve, ms)));
    }

    const subject: Subject = {
      get engine() {
        return opened().engine;
      },
      get opened() {
        return opened();
      },
      async openWith(options) {
        const more = await open(options);
        all.push(more);
        return more.engine;
      },
      lacks: (capability) => lacks[capability],
      pass,
      async until(promise) {
        if (!all.at(-1)?.advance) return promise;
        let isSettled = false;
        const settle = () => {
          isSettled = true;
        };
        promise.then(settle, settle);
        while (!isSettled) await pass(10);
        return promise;
      },
    };

    beforeEach(async () => {
      all.push(await open());
    });
    afterEach(async () => {
      for (const engine of all.splice(0)) await engine.close();
    });

    describe('turn queue', () => turnQueueContract(subject));
    describe('link exchange', () => linkExchangeContract(subject));
    describe('ledger store', () => ledgerStoreContract(subject));
    describe('archive', () => archiveContract(subject));
    describe('crawl registry', () => registryContract(subject));
  });
}
