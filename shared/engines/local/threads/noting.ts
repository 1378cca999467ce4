/**
 * Notes the requests of a worker, and the pages that its project's code reads, in its thread's in-flight
 * table.
 */
import type { Fetcher } from '../../../crawler/ports/fetcher.ts';
import type { PageHooks } from '../../../crawler/turn/page-hooks.ts';
import type { LocalTurnQueue } from '../turn-queue.ts';
import type { InFlightTable } from './in-flight-table.ts';

export const notingFetcher = (fetcher: Fetcher, inFlight: Pick<InFlightTable, 'note'>): Fetcher => ({
  ...fetcher,
  fetch(request) {
    inFlight.note(request.url);
    return fetcher.fetch(request);
  },
});

/**
 * Again, as the host may be requested its next page before the code runs; and a project's code is the likeliest
 * to kill.
 */
export const notingHooks = (hooks: PageHooks, inFlight: Pick<InFlightTable, 'hold'>): PageHooks => {
  async function holding<T>(url: string, call: () => Promise<T>): Promise<T> {
    const release = inFlight.hold(url);
    try {
      return await call();
    } finally {
      release();
    }
  }
  return {
    ...hooks,
    extract: (page) => holding(page.url, () => hooks.extract(page)),
    onPage: (page) => holding(page.url, () => hooks.onPage(page)),
  };
};

/** Hosts are in the table while they are with the worker. */
export const notingQueue = (queue: LocalTurnQueue, { serve, leave }: InFlightTable): LocalTurnQueue => ({
  ...queue,
  async receive(...args) {
    const received = await queue.receive(...args);
    for (const { host } of received) serve(host);
    return received;
  },
  async acknowledge(received, deliveries) {
    leave(received.host);
    return queue.acknowledge(received, deliveries);
  },
  async park(received, ms, isServed) {
    leave(received.host);
    return queue.park(received, ms, isServed);
  },
});
