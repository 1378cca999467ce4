/** Hosts that refuse the crawler, as lines of a summary: which, since when, and what can be done. */
import { REFUSAL_KINDS } from '../shared/core/causes/cause.ts';
import { printable, shorten } from '../shared/core/text/printable.ts';
import type { CrawlSummary, FailingHost, GivenUpHost } from '../shared/services/report/summary.ts';
import { formatCount, formatCounted } from './format.ts';

const MAX_HOSTS = 10;

/** `3 hosts: 2 challenged, 1 priced`; undefined if no host refuses as such. */
export function refusedText({ refusals }: Pick<CrawlSummary, 'refusals'>): string | undefined {
  const { hosts = 0 } = refusals;
  if (hosts === 0) return undefined;
  const kinds = REFUSAL_KINDS.flatMap((kind) => {
    const count = refusals[kind] ?? 0;
    return count > 0 ? [`${formatCount(count)} ${kind}`] : [];
  });
  return `${formatCounted(hosts, 'host')}: ${kinds.join(', ')}`;
}

export function refusedLines(summary: CrawlSummary, width: number): string[] {
  const { hosts = 0, urls = 0, pages = 0 } = summary.refusals;
  if (hosts + pages === 0) return [];
  const known: readonly (GivenUpHost & Partial<FailingHost>)[] = [...summary.failing, ...summary.setAside];
  const shown = known
    .filter(({ refused }) => refused)
    .slice(0, MAX_HOSTS)
    .map((one) => {
      const next = one.nextTryAt === undefined ? '' : `, next ${minuteOf(one.nextTryAt)}`;
      const { urls: waiting = 0, since = '' } = one.refused ?? {};
      const facts = `${formatCounted(waiting, 'URL')} since ${minuteOf(since)}${next}`;
      return shorten(`${printable(one.host)}: ${printable(one.cause)}, ${facts}`, width);
    });
  const more = hosts - shown.length;
  return [
    ...(hosts > 0 ? [`${refusedText(summary)}; ${formatCounted(urls, 'URL')} waiting`] : []),
    ...shown,
    ...(more > 0 ? [`and ${formatCount(more)} more: hosts lists them`] : []),
    ...(pages > 0
      ? [
          `${formatCounted(pages, 'page')}, while other pages were there: export --format jsonl names the causes`,
        ]
      : []),
    'sign the requests (--identity), ask the sites to let this crawler in,',
    'or go slower (--delay)',
  ];
}

/** `11-30 16:05`, UTC. */
const minuteOf = (time: string): string => time.slice(5, 16).replace('T', ' ');
