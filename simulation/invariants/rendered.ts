import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { isRoute } from '../../shared/core/url/hash-route.ts';
import { hostKey } from '../../shared/core/url/host-key.ts';
import { fetchedUrl, isOwnRequest } from '../../shared/core/url/request-url.ts';
import type { PartRequest, Round, Violation } from '../worlds/spec.ts';
import { type CrawlFacts, type Facts, mayHaveLostTurns } from './facts.ts';
import { createFindings, type Findings, seconds } from './findings.ts';
import { recordsIn } from './warc.ts';

/**
 * Returns whether the crawl has surely seen what scripts bring to a page: whenever it was rendered it was filled, and that
 * counts. A world with such pages has one crawl.
 */
export function shownPages(
  rounds: readonly Round[] | undefined,
  crawls: readonly Pick<CrawlFacts, 'config' | 'known'>[],
): (url: string) => boolean {
  const ends = endsByUrl(rounds);
  const [crawl] = crawls;
  return (url) => {
    const of = ends.get(url) ?? [];
    const cause = crawl?.known.get(url)?.result?.cause?.code;
    const isFilled = of.length > 0 && of.every(({ end }) => end === 'filled');
    return isFilled && crawl?.config.render === 'always' && cause !== 'notRendered';
  };
}

const endsByUrl = (rounds: readonly Round[] = []): Map<string, Round[]> =>
  Map.groupBy(
    rounds.filter(({ end }) => end !== 'needs'),
    ({ url }) => url,
  );

/**
 * In a crawl that renders all pages each one that scripts fill was rendered, or has the cause that it was not; that cause has a
 * failure of its function, its browser or itself, or its process stood still. While there is time, a page has another round. What it has requested is in the archive: each
 * response once, unless its turn was discarded or stopped.
 */
export function rendered(facts: Pick<Facts, 'crawls' | 'web' | 'rounds' | 'strikes'>): readonly Violation[] {
  const { crawls, web, rounds, strikes } = facts;
  const findings = createFindings('rendered');
  if (rounds === undefined) return findings.list;
  for (const { url, at, lastWithMs = 0 } of rounds)
    if (lastWithMs > LAST_ROUND_MS)
      findings.add(`the last round of ${url} began with ${seconds(lastWithMs)} left`, { at });
  const ends = endsByUrl(rounds);
  for (const crawl of crawls) {
    if (crawl.config.render === 'always')
      for (const record of crawl.known.values()) {
        if (!isWanted(record) || isOwnRequest(record.url) || !web.isScripted(record.url)) continue;
        const of = ends.get(record.url) ?? [];
        const isPlain = record.result?.cause?.code === 'notRendered';
        // Another cause may stand for it.
        if (!record.result?.cause && !of.some(({ end }) => end === 'filled' || end === 'unfilled'))
          findings.add(
            `${crawl.id}: ${record.url} counts as rendered (${saidOf(record)}), and no round of it has ended well`,
          );
        if (isPlain && strikes.workerFrozen === 0 && !of.some(({ end }) => end === 'failed'))
          findings.add(
            `${crawl.id}: ${record.url} was not rendered (${saidOf(record)}), and no round of it has failed`,
          );
      }
    if (strikes.workerFrozen === 0) checkFilled(findings, crawl, { web, rounds });
    // The archive has no route that failed, nor its requests.
    const hasLostRoutes = rounds.some(({ url, end }) => end === 'failed' && isRoute(url));
    const isExact = !mayHaveLostTurns(facts) && strikes.paused === 0 && !hasLostRoutes;
    checkArchive(findings, crawl, web.parts, isExact);
  }
  return findings.list;
}

/** With this time left a round is the last one (`renderer/rounds/round-renderer.ts`). */
const LAST_ROUND_MS = 6000;
/** Within this time after its first round no page has to do without answers. */
const IN_TIME_MS = 8000;

/** A page of which all own requests were answered well, and in time, is filled. */
function checkFilled(
  findings: Findings,
  { id, config, known }: CrawlFacts,
  { web, rounds = [] }: Pick<Facts, 'web' | 'rounds'>,
): void {
  const isPaced =
    config.maxBytesPerSecond !== undefined || config.ipDelayMs > 0 || config.overrides.length > 0;
  if (config.render !== 'always' || isPaced) return;
  const parts = Map.groupBy(web.parts, ({ url }) => url);
  // The trial of a route, and its shell, share the time of one page.
  const shells = new Set(rounds.flatMap(({ url }) => (isRoute(url) ? fetchedUrl(url) : [])));
  for (const [url, of] of Map.groupBy(rounds, (round) => round.url)) {
    const last = of.at(-1);
    if (shells.has(fetchedUrl(url))) continue;
    if (last?.end !== 'unfilled' || known.get(url)?.state !== 'fetched') continue;
    if (last.at - (of[0]?.at ?? 0) > IN_TIME_MS) continue;
    const own = web
      .partsOf(url)
      .flat()
      .filter((part) => hostKey(part.url) === hostKey(url));
    const isAnswered = own.every((part) => {
      const answers = parts.get(part.url) ?? [];
      return answers.length > 0 && answers.every(({ httpStatus, isCut }) => httpStatus === 200 && !isCut);
    });
    if (isAnswered)
      findings.add(`${id}: ${url} is not filled, though all that it has requested of its host was answered`, {
        at: last.at,
      });
  }
}

const saidOf = ({ result }: UrlRecord): string => JSON.stringify(result?.cause) ?? 'without a cause';

const isWanted = ({ state, kind, result }: UrlRecord): boolean =>
  state === 'fetched' && kind === undefined && result?.httpStatus === 200 && result.digest !== undefined;

function checkArchive(
  findings: Findings,
  { id, files, config }: CrawlFacts,
  parts: readonly PartRequest[],
  isExact: boolean,
): void {
  const archived = new Map<string, number>();
  for (const [name, bytes] of files)
    if (name.endsWith('.warc.gz'))
      for (const fields of recordsIn(bytes)) {
        const type = fields.get('warc-type');
        const url = fields.get('warc-target-uri') ?? '';
        if (type === 'response' || type === 'revisit') archived.set(url, (archived.get(url) ?? 0) + 1);
      }
  const answered = parts.filter(
    ({ httpStatus, contact }) => httpStatus !== undefined && contact === config.contact,
  );
  for (const [url, answers] of Map.groupBy(answered, (part) => part.url)) {
    // A robots.txt may also be that of a turn.
    if (answers.some(({ isRobots }) => isRobots)) continue;
    const found = archived.get(url) ?? 0;
    if (found > answers.length || (isExact && found < answers.length))
      findings.add(
        `${id}: the web answered ${url} ${answers.length} times, the archive has ${found} records`,
        {
          host: answers[0]?.host,
        },
      );
  }
}
