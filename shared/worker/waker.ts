import type { CrawlId, Engine, HostKey } from '../ports.ts';
import type { Crawls } from './crawls.ts';

/** Hosts woken at once. */
const BATCH = 500;
/** A host that has not had its turn by then is woken again. */
const AGAIN_MS = 300_000;

/**
 * Wakes the hosts whose head says that they are due: after a long rest, or because a token was lost. Their turns
 * decide what there is to do; waking a host twice costs one look at its head. `woken` keeps what was done, by host
 * and version, so that a host that does not come to its turn at once is not woken again and again.
 */
export async function wakeDueHosts(
  { ledgers, queue, clock }: Pick<Engine, 'ledgers' | 'queue' | 'clock'>,
  crawls: Crawls,
  crawl: CrawlId,
  woken: Map<HostKey, { readonly version: number; readonly at: number }>,
): Promise<void> {
  const current = await crawls.get(crawl);
  // Hosts of a paused crawl stay due; to wake them would change nothing.
  if (current?.status !== 'running' || current.budget.metLimit() !== undefined) return;
  const now = clock.now();
  const due = await ledgers.dueHosts(crawl, now, BATCH + woken.size);
  const hosts = due.filter(({ host, version }) => {
    const last = woken.get(host);
    return last?.version !== version || now - last.at > AGAIN_MS;
  });
  const still = new Set(due.map(({ host }) => host));
  for (const host of woken.keys()) if (!still.has(host)) woken.delete(host);
  if (hosts.length === 0) return;
  await queue.send(hosts.map(({ host }) => ({ host, message: { kind: 'wake' as const, crawl } })));
  for (const { host, version } of hosts) woken.set(host, { version, at: now });
}

/** Wakes every host that has URLs waiting, and forgets why it was set aside: what resuming a crawl means. */
export async function wakeAllHosts(
  { ledgers, queue }: Pick<Engine, 'ledgers' | 'queue'>,
  crawl: CrawlId,
): Promise<void> {
  for await (const { host, head } of ledgers.hosts(crawl)) {
    if (head.ledger.counts.waiting === 0) continue;
    await queue.send([{ host, message: { kind: 'wake', crawl, isResumed: true } }]);
  }
}
