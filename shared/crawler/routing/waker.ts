import { sizesOf } from '../../core/base/sizes.ts';
import { isRecrawling } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { Head } from '../../core/frontier/head.ts';
import { countUrls } from '../../core/frontier/url-record.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { Crawls } from '../crawl-state/crawls.ts';
import { isDraining } from '../crawl-state/drain.ts';
import type { Engine } from '../ports/engine.ts';
import { lastDueAt } from '../turn/next-turn.ts';

/** A host that has not had its turn by then is woken again. */
const AGAIN_MS = 300_000;

/**
 * Wakes the hosts whose head says that they are due: after a long rest, because a token was lost, or because the
 * clock of the process that wrote the head was ahead. Their turns decide about the work; waking a host twice costs
 * one look at its head. Hosts that have messages, as far as the queue knows, count as woken. `woken` keeps the hosts
 * that were woken, by host and version, so that a host that does not come to its turn at once is not woken again and
 * again. Returns how many were woken: `wakeBatch` of the engine's sizes or more if there may be others.
 */
export async function wakeDueHosts(
  { ledgers, queue, clock, sizes }: Pick<Engine, 'ledgers' | 'queue' | 'clock' | 'sizes'>,
  crawls: Crawls,
  crawl: CrawlId,
  woken: Map<HostKey, { readonly version: number; readonly at: number }>,
): Promise<number> {
  const current = await crawls.get(crawl);
  // Hosts of a paused crawl stay due; to wake them would change nothing.
  if (current?.status !== 'running') return 0;
  if (current.budget.metLimit() !== undefined && !isDraining(current)) return 0;
  const now = clock.now();
  const limit = sizesOf({ sizes }).wakeBatch + woken.size;
  const due = await ledgers.dueHosts(crawl, now, limit, lastDueAt(current.config, now, current.sites));
  const hosts = due.filter(({ host, version }) => {
    const last = woken.get(host);
    return last?.version !== version || now - last.at > AGAIN_MS;
  });
  const still = new Set(due.map(({ host }) => host));
  for (const host of woken.keys()) if (!still.has(host)) woken.delete(host);
  if (hosts.length === 0) return 0;
  // A broad crawl on one machine has hosts that wait for their turn for hours: further messages to them would pile up.
  const names = hosts.map(({ host }) => host);
  const silent = queue.withoutMessages?.(names) ?? names;
  if (silent.length > 0)
    await queue.send(silent.map((host) => ({ host, message: { kind: 'wake' as const, crawl } })));
  for (const { host, version } of hosts) woken.set(host, { version, at: now });
  return hosts.length;
}

/**
 * Wakes every host that has something to do, and forgets why it was set aside: what resuming a crawl means. `resume`: the
 * number that the registry has given to the resume. `config`: of the crawl, as resumed. Hosts are sent in batches: a
 * commit for each host took seconds for 100,000.
 */
export async function wakeAllHosts(
  { ledgers, queue, sizes }: Pick<Engine, 'ledgers' | 'queue' | 'sizes'>,
  crawl: CrawlId,
  resume: number,
  config?: RecrawlConfig,
): Promise<void> {
  const { wakeBatch } = sizesOf({ sizes });
  let batch: { readonly host: HostKey; readonly head: Head }[] = [];
  for await (const known of ledgers.hosts(crawl)) {
    batch.push(known);
    if (batch.length < wakeBatch) continue;
    await wakeResumed(queue, crawl, batch, { resume, config });
    batch = [];
  }
  await wakeResumed(queue, crawl, batch, { resume, config });
}

/** As above, for some of the crawl's hosts. */
export async function wakeResumed(
  queue: Pick<Engine['queue'], 'send'>,
  crawl: CrawlId,
  hosts: readonly { readonly host: HostKey; readonly head: Head }[],
  { resume, config }: { readonly resume: number; readonly config?: RecrawlConfig | undefined },
): Promise<void> {
  const message = { kind: 'wake', crawl, resume } as const;
  const some = hosts.filter(
    ({ head }) => head.ledger.counts.waiting > 0 || head.setAside || (config && isSwitched(head, config)),
  );
  if (some.length > 0) await queue.send(some.map(({ host }) => ({ host, message })));
}

type RecrawlConfig = Parameters<typeof isRecrawling>[0];

/** Whether the crawl has begun or ceased to recrawl since the host's last turn: its pages are due, or no more. */
function isSwitched({ recrawl, ledger, dueAt }: Head, config: RecrawlConfig): boolean {
  if (!isRecrawling(config)) return recrawl !== undefined && dueAt !== undefined;
  return (recrawl === undefined || recrawl.isOff === true) && countUrls(ledger.counts) > 0;
}
