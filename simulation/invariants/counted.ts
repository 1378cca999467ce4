import { isRecrawling } from '../../shared/core/crawl/config.ts';
import type { Head } from '../../shared/core/frontier/head.ts';
import { URL_STATES, type UrlRecord } from '../../shared/core/frontier/url-record.ts';
import type { Violation, WebRequest } from '../worlds/spec.ts';
import { mayBeFreed } from './canonical-copies.ts';
import {
  type CrawlFacts,
  type Facts,
  type HostFacts,
  isFetchedRequisite,
  isPage,
  mayHaveLostTurns,
} from './facts.ts';
import { finalStateOf, stateOf } from './final-state.ts';
import { createFindings, type Findings } from './findings.ts';
import type { HostVisits } from './visits.ts';

type UsedFacts = Pick<Facts, 'crawls' | 'strikes' | 'hostsPerWorker'>;

/**
 * A head counts each request that was made for its host by a turn that is committed, and no other: fewer than
 * the web's log has only where turns may have been discarded.
 */
export function requestsCounted(facts: UsedFacts, visited: readonly HostVisits[]): readonly Violation[] {
  const findings = createFindings('counted');
  for (const { crawl, host, lost } of visited) {
    if (lost === 0) continue;
    if (lost > 0 && mayHaveLostTurns(facts)) continue;
    findings.add(
      `${crawl.id}: the head of ${host.host} counts ${host.head.totals.requests} requests, the web had ${host.head.totals.requests + lost}`,
      { host: host.host },
    );
  }
  return findings.list;
}

/**
 * A head counts as many pages as its ledger holds; and the crawl's counters are the sums over its heads.
 *
 * A finished crawl whose counters were recounted is exact whatever struck. Otherwise:
 *
 * The counters follow a head's write by a write of their own, so a process that dies between the two loses
 * that difference, and so does one that learns only from a refused repetition that its head was written
 * (`ledger-store.ts`); an update whose answer was lost counts twice if another process added to the same item
 * meanwhile (`crawl-counters.ts`). So exact equality is requested where no such fault struck. Else each
 * strike may explain one update of the counters, which holds what one worker's hosts have changed in two
 * rounds at most; in throttling storms, and where calls fail so that updates are put off, more gathers, and
 * nothing is requested.
 */
export function counted({
  crawls,
  strikes,
  hostsPerWorker,
  web,
}: UsedFacts & Pick<Facts, 'web'>): readonly Violation[] {
  const findings = createFindings('counted');
  const putOff = strikes.throttleStorm + strikes.callFailsBefore;
  const uncertain =
    strikes.workerKilled +
    strikes.workerFrozen +
    strikes.callStruck +
    strikes.pageHarms +
    strikes.callFailsAfter +
    strikes.conditionAnswerLost;
  for (const crawl of crawls) {
    checkPages(findings, crawl, web);
    if (crawl.isExact) {
      checkTotals(findings, crawl);
      continue;
    }
    if (putOff > 0) continue;
    if (uncertain === 0) checkTotals(findings, crawl);
    else checkBounds(findings, crawl, 2 * hostsPerWorker * uncertain);
  }
  return findings.list;
}

/**
 * After a recount the counters are the sums over the heads, whatever has struck; what was used of AWS is
 * kept.
 */
export function recounted({ crawls }: Pick<Facts, 'crawls'>): readonly Violation[] {
  const findings = createFindings('recounted');
  for (const { id, hosts, domains, totals, recounted } of crawls) {
    if (!recounted) continue;
    const sums = sumOf([...hosts.values(), ...domains.values()]);
    for (const name of new Set([...Object.keys(sums), ...Object.keys(totals), ...Object.keys(recounted)])) {
      const isUsage = name.startsWith('usage.');
      const [expected = 0, total = 0] = [isUsage ? totals[name] : sums[name], recounted[name]];
      if (isUsage ? total < expected : total !== expected)
        findings.add(
          `${id}: after a recount the counter ${name} is ${total}, ${isUsage ? `and was ${expected}` : `the heads add up to ${expected}`}`,
        );
    }
  }
  return findings.list;
}

function checkPages(findings: Findings, crawl: CrawlFacts, web: Facts['web']): void {
  const { id, config, hosts } = crawl;
  for (const { host, head, records, problem } of hosts.values()) {
    const pages = records.filter(isPage).length;
    const surplus = head.totals.pages - pages;
    const freed = records.filter((record) => !isPage(record) && mayBeFreed(record, crawl, web));
    const moved = isRecrawling(config) ? movedPages(records, web.log) : 0;
    const isRight = surplus >= 0 && surplus <= moved + fetchedOf(freed, web.log);
    if (problem === undefined && !isRight)
      findings.add(
        `${id}: the head of ${host} counts ${head.totals.pages} pages, its ledger holds ${pages}`,
        { host },
      );
    if (problem === undefined) checkRequisites(findings, id, { host, head, records });
  }
}

/** A page that redirects when it is fetched again stays counted. */
function movedPages(records: readonly UrlRecord[], log: readonly WebRequest[]): number {
  const moved = records.flatMap(({ url, state }) => (state === 'redirect' ? url : []));
  // Also by a status that is worth another try: it is final at the last one.
  const isAnswer = ({ failure, httpStatus }: WebRequest) =>
    failure === undefined && stateOf(httpStatus) !== 'redirect';
  const answered = new Set(log.flatMap((request) => (isAnswer(request) ? request.url : [])));
  return moved.filter((url) => answered.has(url)).length;
}

/** A page that was a copy, and is none when it is fetched once more, stays counted. */
const fetchedOf = (records: readonly UrlRecord[], log: readonly WebRequest[]): number =>
  records.filter(({ url }) => log.some((one) => one.url === url && finalStateOf(one) === 'fetched')).length;

function checkRequisites(
  findings: Findings,
  id: string,
  { host, head, records }: Pick<HostFacts, 'host' | 'head' | 'records'>,
): void {
  const held = {
    fetched: records.filter(isFetchedRequisite).length,
    waiting: records.filter(({ kind, state }) => kind === 'requisite' && state === 'waiting').length,
  };
  for (const name of ['fetched', 'waiting'] as const) {
    const count = head.totals.requisites?.[name] ?? 0;
    if (count !== held[name])
      findings.add(
        `${id}: the head of ${host} counts ${count} requisites as ${name}, its ledger holds ${held[name]}`,
        { host },
      );
  }
}

function checkTotals(findings: Findings, { id, hosts, domains, totals }: CrawlFacts): void {
  const sums = sumOf([...hosts.values(), ...domains.values()]);
  for (const name of new Set([...Object.keys(sums), ...Object.keys(totals)])) {
    const [sum, total] = [sums[name] ?? 0, totals[name] ?? 0];
    if (!name.startsWith('usage.') && sum !== total)
      findings.add(
        `${id}: the counter ${name} is ${total}, the heads of ${hosts.size} hosts add up to ${sum}`,
      );
  }
}

/** Counters that one update changes by at most one for each of its hosts. */
const ONE_EACH = ['hosts', 'hostsWaiting', 'hostsDue'];

function checkBounds(findings: Findings, { id, hosts, domains, totals }: CrawlFacts, most: number): void {
  const sums = sumOf([...hosts.values(), ...domains.values()]);
  for (const name of ONE_EACH) {
    const [sum, total] = [sums[name] ?? 0, totals[name] ?? 0];
    if (Math.abs(total - sum) > most)
      findings.add(
        `${id}: the counter ${name} is ${total}, the heads add up to ${sum}; faults explain a difference of ${most} at most`,
      );
  }
}

function sumOf(heads: readonly { readonly head: Head }[]): Record<string, number> {
  const sums: Record<string, number> = {};
  const add = (name: string, count: number) => {
    sums[name] = (sums[name] ?? 0) + count;
  };
  for (const {
    head: { ledger, totals, dueAt, domain, setAside },
  } of heads) {
    add('hosts', domain ? 0 : 1);
    add('hostsWaiting', ledger.counts.waiting > 0 && setAside === undefined ? 1 : 0);
    const inVain = setAside === undefined ? 0 : ledger.counts.waiting;
    add('givenUp.hosts', inVain > 0 ? 1 : 0);
    add('givenUp.urls', inVain);
    add('hostsDue', dueAt === undefined ? 0 : 1);
    for (const name of ['pages', 'bytes', 'requests'] as const) add(name, totals[name]);
    for (const state of URL_STATES) add(`urls.${state}`, ledger.counts[state]);
    for (const map of [
      'httpStatus',
      'skipped',
      'errors',
      'seeds',
      'hooks',
      'hints',
      'requisites',
      'sent',
      'recrawl',
      'demand',
      'overBudget',
      'full',
      'refused',
      'linking',
      'accounts',
      'render',
    ] as const)
      for (const [key, count] of Object.entries(totals[map] ?? {})) add(`${map}.${key}`, count);
  }
  return sums;
}
