/** Heads and stores for the tests of all calls of a crawl's state. */

import type { Head } from '../../../../shared/core/frontier/head.ts';
import { HookState } from '../../../../shared/engines/aws/state/hook-state.ts';
import { createLedgerStore } from '../../../../shared/engines/aws/state/ledger-store.ts';
import { createRegistry, type RegistryOptions } from '../../../../shared/engines/aws/state/registry.ts';
import { CRAWL, headOf } from '../../../contract/subjects.ts';
import type { World } from '../struck-calls.ts';

export const HOSTS = ['a.test', 'b.test', 'c.test', 'd.test', 'e.test'];
export const contextOf = ({
  clients: { dynamo, s3 },
  engine: { clock },
  cloud: { settings, sizes },
}: World) => ({
  ...{ dynamo, s3, clock, sizes, table: settings.crawlState, names: settings },
});

/** A head with something in each of its counts. */
export const FULL: Head = headOf(3, {
  dueAt: 9000,
  urls: { waiting: 1, fetched: 2, gone: 3, failed: 4 },
  totals: {
    pages: 5,
    bytes: 600,
    requests: 7,
    httpStatus: { 200: 5, 404: 1 },
    skipped: { trap: 2 },
    errors: { timeout: 1 },
    sent: { requests: 2, bytes: 9 },
    requisites: { awaited: 1, sent: 0 },
  },
});

/** A store of heads that notes what it says of each. */
export function ledgersOf(world: World, options: { hasState?: boolean } = {}) {
  const committed: unknown[] = [];
  const context = contextOf(world);
  const ledgers = createLedgerStore({
    ...context,
    ...(options.hasState !== false && { state: new HookState(context) }),
    onCommit: async (...[crawl, before, after]) =>
      void committed.push([crawl, before && [before.version, before.token], after.version]),
  });
  return { ledgers, committed };
}

export const registryOf = (world: World, options: Partial<RegistryOptions> = {}) =>
  createRegistry({ ...contextOf(world), settleMs: 1000, hasMessages: async () => false, ...options });

export const commitAll = async (world: World, isRunning = true) => {
  const { ledgers } = ledgersOf(world);
  for (const [i, host] of HOSTS.entries()) {
    const dueAt = isRunning ? world.engine.clock.now() + (i - 2) * 400_000 : undefined;
    await world.wait(
      ledgers.commit(CRAWL, host, headOf(1, { token: host, urls: { waiting: i }, ...(dueAt && { dueAt }) })),
    );
  }
};
