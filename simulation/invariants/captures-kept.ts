import { gunzipSync } from 'node:zlib';
import { isRecrawling } from '../../shared/core/crawl/config.ts';
import type { Violation } from '../worlds/spec.ts';
import { type CrawlFacts, type Facts, isBy, mayHaveLostTurns } from './facts.ts';
import { createFindings } from './findings.ts';
import type { RobotsLog } from './robots-answers.ts';
import { isProbe } from './soft-404.ts';
import type { HostVisits } from './visits.ts';
import { originalOf, readWarcRecords, responsesFor, type WarcFields } from './warc.ts';

/**
 * In crawls that fetch pages again: each whole answer of a page, 2xx or 304, is in the archive as a record, no more and
 * no fewer; and a revisit refers to a response of the same payload that is in the archive.
 *
 * The answers of turns that were discarded may be missing, or may be there.
 */
export function capturesKept(
  facts: Pick<Facts, 'crawls' | 'web' | 'strikes'>,
  visited: readonly HostVisits[],
  robots: RobotsLog,
): readonly Violation[] {
  const findings = createFindings('capturesKept');
  const mayLose = mayHaveLostTurns(facts);
  for (const crawl of facts.crawls) {
    if (!isRecrawling(crawl.config)) continue;
    const records = capturesIn(crawl);
    const responses = responsesFor(crawl, facts.crawls);
    for (const fields of records)
      if (fields.get('warc-type') === 'revisit' && !responses.has(originalOf(fields)))
        findings.add(
          `${crawl.id}: the revisit of ${fields.get('warc-target-uri')} at ${fields.get('warc-date')} refers to ${originalOf(fields)}, which is not in the archive`,
        );
    const byUrl = Map.groupBy(
      // A revisit is always truncated: it has no payload.
      records.filter((fields) => fields.get('warc-type') === 'revisit' || !fields.has('warc-truncated')),
      (fields) => fields.get('warc-target-uri') ?? '',
    );
    for (const { crawl: of, host, requests, lost } of visited) {
      if (of !== crawl) continue;
      const whole = requests.filter(
        (one) => isBy(one, crawl) && !robots.isOfRobots(one) && !isProbe(one.url) && isWhole(one),
      );
      let missing = 0;
      for (const [url, answers] of Map.groupBy(whole, (one) => one.url)) {
        const found = byUrl.get(url)?.length ?? 0;
        missing += Math.max(0, answers.length - found);
        if (found > answers.length || (missing > 0 && !mayLose))
          findings.add(
            `${crawl.id}: the web answered ${url} ${answers.length} times, the archive has ${found} records`,
            {
              host: host.host,
            },
          );
      }
      if (missing > Math.max(0, lost))
        findings.add(
          `${crawl.id}: ${missing} answers of ${host.host} are not in the archive, and ${lost} requests were lost with their turns`,
          { host: host.host },
        );
    }
  }
  return findings.list;
}

const isWhole = ({
  httpStatus = 0,
  isCut,
  failure,
}: {
  httpStatus?: number;
  isCut?: boolean;
  failure?: string;
}) => failure === undefined && !isCut && ((httpStatus >= 200 && httpStatus < 300) || httpStatus === 304);

/** The records of all objects of the archive that are captures with 2xx, or revisits. */
function capturesIn({ files }: CrawlFacts): WarcFields[] {
  return [...files].flatMap(([name, bytes]) => {
    if (!name.endsWith('.warc.gz')) return [];
    return readWarcRecords(gunzipSync(bytes)).filter((fields) => {
      const type = fields.get('warc-type');
      const status = fields.get('http-status');
      // A revisit that a 304 made has no block.
      return type === 'revisit' ? /^2/.test(status ?? '2') : type === 'response' && /^2/.test(status ?? '');
    });
  });
}
