import { causeText } from '../../shared/core/causes/cause-text.ts';
import type { Violation } from '../worlds/spec.ts';
import { type Facts, isBy, TURN_LOSING_OTHERS } from './facts.ts';
import { createFindings } from './findings.ts';

/**
 * A page that kills its workers is requested twice before its host is treated with care, three times then,
 * and once more where a turn with care had begun before; one that blocks them is stored at once
 * (`turn/quarantine.ts`, `quarantine-page.ts`). A worker that another page kills meanwhile makes it come
 * again: as often for each such page.
 */
const MAX_REQUESTS = { kills: 6, blocks: 2 } as const;

/**
 * A page that kills or blocks its workers is requested a few times only, and no other page is blamed for it.
 * Where other faults also lose turns, it is unknown what killed a worker.
 */
export function harmBounded({
  crawls,
  deletion,
  web,
  strikes,
}: Pick<Facts, 'crawls' | 'deletion' | 'web' | 'strikes'>): readonly Violation[] {
  const findings = createFindings('harmBounded');
  if (strikes.pageHarms === 0 || TURN_LOSING_OTHERS.some((name) => strikes[name] > 0)) return findings.list;
  const harmful = web.log.filter(({ url }) => web.harmOf(url) !== undefined);
  const pages = new Set(harmful.map(({ url }) => url)).size * (crawls.length + (deletion ? 1 : 0));
  // Where two crawls share a host, one may have its turn in a worker that dies for the other one.
  const mostDeaths = (MAX_REQUESTS.kills + (crawls.length > 1 ? 1 : 0)) * pages;
  if (strikes.pageHarms > mostDeaths)
    findings.add(
      `${pages} pages killed or blocked ${strikes.pageHarms} workers, expected ${mostDeaths} at most`,
    );
  for (const crawl of crawls) {
    const own = harmful.filter((request) => isBy(request, crawl));
    for (const [url, requests] of Map.groupBy(own, ({ url }) => url)) {
      const harm = web.harmOf(url);
      const most = harm && MAX_REQUESTS[harm] * pages;
      if (most !== undefined && requests.length > most)
        findings.add(
          `${crawl.id}: ${url}, which ${harm} its worker, was requested ${requests.length} times, expected ${most} at most`,
          { host: requests[0]?.host },
        );
    }
    for (const { url, result } of crawl.known.values()) {
      const blame = result?.cause;
      const isBlamed = blame?.code === 'workerDied' || blame?.code === 'threadBlocked';
      if (!isBlamed || web.harmOf(url) !== undefined) continue;
      const text = `${crawl.id}: ${url} is blamed (${causeText(blame)}), and is harmless`;
      findings.add(text, { host: new URL(url).host });
    }
  }
  return findings.list;
}
