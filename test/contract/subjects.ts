/** Small things that the parts of the suite are about. */
import { type Head, NEW_HEAD } from '../../shared/core/frontier/head.ts';
import { type HostTotals, NO_TOTALS } from '../../shared/core/frontier/host-totals.ts';
import { EMPTY_INDEX } from '../../shared/core/frontier/ledger-index.ts';
import type { Link, Message } from '../../shared/core/frontier/message.ts';
import type { UrlState } from '../../shared/core/frontier/url-record.ts';
import type { CrawlRecord } from '../../shared/crawler/ports/crawl-registry.ts';
import type { Delivery, HostDeliveries, TurnQueue } from '../../shared/crawler/ports/turn-queue.ts';

export const CRAWL = 'crawl';

/**
 * A receive that is to find something waits for it so long: the most that SQS lets one wait. An emulator on a
 * busy machine has needed more than 5 s to see that a lease had run out.
 */
export const LONG_MS = 20_000;

export const token = (text: string): Message => ({ kind: 'token', crawl: CRAWL, token: text });
export const linkTo = (url: string): Link => ({ url, depth: 1, via: 'http://via.test/' });

/** Host names as the web has them. */
export const ODD_HOSTS = [
  '[::1]:8080',
  '127.0.0.1',
  'xn--bcher-kva.test:65535',
  'under_score.test',
  'a'.repeat(63),
  `${'long.'.repeat(49)}a.com`,
];

export function headOf(
  version: number,
  parts: Partial<Omit<Head, 'ledger' | 'totals'>> & {
    urls?: Partial<Record<UrlState, number>>;
    totals?: Partial<HostTotals>;
  } = {},
): Head {
  const { urls, totals, ...rest } = parts;
  return {
    ...NEW_HEAD,
    ...rest,
    version,
    ledger: { ...EMPTY_INDEX, counts: { ...EMPTY_INDEX.counts, ...urls } },
    totals: { ...NO_TOTALS, ...totals },
  };
}

export const RECORD: CrawlRecord = {
  config: { scope: 'host', maxPages: 10 },
  scopeSeeds: ['http://a.test/'],
  urlRulesVersion: 1,
  status: 'running',
};

export const tokensOf = (deliveries: readonly Delivery[]): string[] =>
  deliveries.map(({ message }) => (message.kind === 'token' ? message.token : message.kind));

/** One host's deliveries, as one receive of one host gives them. */
export async function receiveOne(queue: TurnQueue, waitMs: number): Promise<HostDeliveries> {
  const [received] = await queue.receive(1, waitMs);
  if (!received) throw new Error(`nothing was received within ${waitMs} ms`);
  return received;
}

/** Receives and acknowledges, in what portions ever, until a receive gives nothing. */
export async function drain(queue: TurnQueue, waitMs: number): Promise<Map<string, string[]>> {
  const all = new Map<string, string[]>();
  for (;;) {
    const groups = await queue.receive(1000, waitMs);
    if (groups.length === 0) return all;
    for (const { host, deliveries } of groups)
      all.set(host, [...(all.get(host) ?? []), ...tokensOf(deliveries)]);
    await Promise.all(groups.map((received) => queue.acknowledge(received, received.deliveries)));
  }
}
