import { URL_STATES } from '../../shared/core/frontier/url-record.ts';
import { hostKey } from '../../shared/core/url/host-key.ts';
import type { Violation } from '../worlds/spec.ts';
import { type CrawlFacts, type Facts, type HostFacts, isFullHost } from './facts.ts';
import { createFindings, type Findings, since } from './findings.ts';

/**
 * Each URL stands once, in the ledger of its own host, in one state; heads count them right; and where a
 * crawl has finished none waits, but for those of hosts that were set aside and pages of hosts that have had
 * their share of them. Where it has reached its limit of pages, these are whole: no requisite waits, but at
 * hosts that were set aside.
 */
export function oneState({ crawls }: Pick<Facts, 'crawls'>): readonly Violation[] {
  const findings = createFindings('oneState');
  for (const crawl of crawls)
    for (const host of crawl.hosts.values()) {
      if (host.problem !== undefined)
        findings.add(`${crawl.id}: the ledger of ${host.host} cannot be read: ${host.problem}`, {
          host: host.host,
        });
      else {
        checkLedger(findings, crawl, host);
        if (crawl.status === 'finished' || isAtPageLimit(crawl)) checkNoneWaits(findings, crawl, host);
      }
    }
  return findings.list;
}

function checkLedger(findings: Findings, { id }: CrawlFacts, { host, head, records }: HostFacts): void {
  const counts = Object.fromEntries(URL_STATES.map((state) => [state, 0]));
  const seen = new Set<string>();
  for (const { url, state } of records) {
    if (seen.has(url)) findings.add(`${id}: ${url} stands twice in the ledger of ${host}`, { host });
    if (hostKey(url) !== host) findings.add(`${id}: ${url} is in the ledger of ${host}`, { host });
    seen.add(url);
    counts[state] = (counts[state] ?? 0) + 1;
  }
  for (const state of URL_STATES)
    if (counts[state] !== head.ledger.counts[state])
      findings.add(
        `${id}: the head of ${host} (version ${head.version}) counts ${head.ledger.counts[state]} URLs as ${state}, its ledger holds ${counts[state]}`,
        { host },
      );
}

/** Another limit ends requisites, too. */
const isAtPageLimit = ({ status, config }: CrawlFacts): boolean =>
  status === 'limited' &&
  config.maxPages !== undefined &&
  [config.maxBytes, config.maxTimeMs, config.maxCost].every((limit) => limit === undefined);

function checkNoneWaits(findings: Findings, crawl: CrawlFacts, facts: HostFacts): void {
  const { host, head, records } = facts;
  // Requisites of a host that rests for hours are not awaited.
  const isResting = crawl.status !== 'finished' && head.refusal?.restUntil !== undefined;
  if (head.setAside || isResting) return;
  const mayPagesWait = crawl.status !== 'finished' || isFullHost(crawl, facts);
  for (const { url, kind, state, dueAt, attempts } of records) {
    if (state !== 'waiting' || (mayPagesWait && kind !== 'requisite')) continue;
    const due = dueAt === 0 ? 'at once' : `from ${since(dueAt)}`;
    findings.add(
      `${crawl.id} ${crawl.status === 'finished' ? 'has finished' : 'has met its limit of pages'}, but ${url} waits (${attempts} tries, due ${due}; its head has version ${head.version}, ${head.token ? `token ${head.token}` : 'no token'}, ${head.dueAt === undefined ? 'no due time' : `is due ${since(head.dueAt)}`})`,
      { host },
    );
  }
}
