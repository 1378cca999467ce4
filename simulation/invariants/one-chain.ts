import type { Violation } from '../worlds/spec.ts';
import { type CrawlFacts, type Facts, type HostFacts, isFullHost, type MessageFacts } from './facts.ts';
import { createFindings, type Findings } from './findings.ts';

/**
 * No chain has died: a host that has something to fetch has a message, or a time at which the waker looks
 * after it. No chain has doubled: one message carries the token that a head names. And when all crawls have
 * finished, no message is left.
 */
export function oneChain({ crawls, messages }: Pick<Facts, 'crawls' | 'messages'>): readonly Violation[] {
  const findings = createFindings('oneChain');
  const byHost = Map.groupBy(messages, ({ crawl, host }) => `${crawl} ${host}`);
  for (const crawl of crawls)
    for (const host of crawl.hosts.values())
      checkHost(findings, crawl, host, byHost.get(`${crawl.id} ${host.host}`) ?? []);
  const isOver = crawls.every(({ status }) => status === 'finished');
  for (const { queue, crawl, host, kind, token, urls } of isOver ? messages : []) {
    const what = kind === 'token' ? `the token ${token}` : `${kind} ${urls.slice(0, 3).join(' ')}`;
    findings.add(
      `all crawls have finished, and ${queue.split('/').at(-1)} holds, for ${host ?? crawl}: ${what}`,
      {
        ...(host !== undefined && { host }),
      },
    );
  }
  return findings.list;
}

function checkHost(
  findings: Findings,
  crawl: CrawlFacts,
  facts: HostFacts,
  messages: readonly MessageFacts[],
): void {
  const { host, head } = facts;
  const named = messages.filter(({ token }) => token !== undefined && token === head.token).length;
  if (named > 1)
    findings.add(
      `${crawl.id}: ${named} messages carry the token ${head.token} that the head of ${host} names`,
      { host },
    );
  const hasWork = head.ledger.counts.waiting > 0 && !head.setAside && !isFullHost(crawl, facts);
  // Waiting URLs of a finished crawl are found with its URLs.
  if (!hasWork || crawl.status === 'finished') return;
  if (head.dueAt === undefined && messages.length === 0)
    findings.add(
      `${crawl.id} is ${crawl.status}, and ${head.ledger.counts.waiting} URLs of ${host} wait forever: no message, and its head (version ${head.version}) has no due time`,
      { host },
    );
}
