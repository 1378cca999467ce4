/**
 * Tests the guarantees of `shared/crawler/ports/`, as one suite for every engine: it requires nothing that is not
 * written there. If a guarantee leaves room (a receive may give less than there is), the suite leaves it,
 * too.
 */
import { afterEach, beforeEach, describe } from 'vitest';
import { archiveContract } from './archive-contract.ts';
import type { Lacks } from './capabilities.ts';
import { jarStoreContract } from './jar-store-contract.ts';
import { ledgerStoreContract } from './ledger-store-contract.ts';
import { linkExchangeContract } from './link-exchange-contract.ts';
import { registryContract } from './registry-contract.ts';
import type { OpenedEngine, OpenOptions, Subject } from './subject.ts';
import { turnQueueContract } from './turn-queue-contract.ts';

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
      for (const engine of all.splice(0).reverse()) await engine.close();
    });

    describe('turn queue', () => turnQueueContract(subject));
    describe('link exchange', () => linkExchangeContract(subject));
    describe('ledger store', () => ledgerStoreContract(subject));
    describe('jar store', () => jarStoreContract(subject));
    describe('archive', () => archiveContract(subject));
    describe('crawl registry', () => registryContract(subject));
  });
}
