import { origin } from '../../shared/core/url/host-key.ts';
import type { Violation, WebRequest } from '../worlds/spec.ts';
import { type Facts, type Maker, makersIn, makersOf, mayHaveLostTurns } from './facts.ts';
import { createFindings, type Findings, seconds, since } from './findings.ts';
import type { RobotsAnswer, RobotsLog } from './robots-answers.ts';

type UsedFacts = Pick<Facts, 'web' | 'crawls' | 'deletion' | 'strikes'>;

/**
 * No host has more requests in flight than `perHost`, mostly one, over all crawls and processes; and from the
 * end of one to the start of the next passes at least the delay that holds, to the millisecond, whatever the
 * processes' clocks say.
 */
export function requestsApart(facts: UsedFacts, robots: RobotsLog): readonly Violation[] {
  const oneRequest = createFindings('oneRequest');
  const unhurried = createFindings('unhurried');
  const isStrict = !mayHaveLostTurns(facts);
  const all = makersIn(facts);
  for (const requests of Map.groupBy(facts.web.log, (request) => request.host).values()) {
    requests.sort((a, b) => a.startedAt - b.startedAt);
    const makers = new Set(requests.flatMap((request) => makersOf(request, all)));
    const lanes = Math.max(...Array.from(makers, ({ config }) => config.perHost));
    const delays: Delays = { facts, makers: [...makers], robots, isStrict };
    checkInFlight(oneRequest, requests, lanes);
    if (lanes === 1) checkGaps(unhurried, requests, (before, after) => delayAfter(before, after, delays));
  }
  return [...oneRequest.list, ...unhurried.list];
}

/** `requests` by their start, of one host. */
function checkInFlight(findings: Findings, requests: readonly WebRequest[], lanes: number): void {
  let open: WebRequest[] = [];
  for (const request of requests) {
    open = open.filter(({ endedAt }) => endedAt > request.startedAt);
    const other = open[0];
    if (other && open.length >= lanes) reportOverlap(findings, other, request, lanes);
    open.push(request);
  }
}

function reportOverlap(findings: Findings, open: WebRequest, request: WebRequest, lanes = 1): void {
  findings.add(
    `${describeRequest(request)} began while ${describeRequest(open)}, which ended ${since(open.endedAt)}, was in flight; expected at most ${lanes} at once`,
    { host: request.host, at: request.startedAt },
  );
}

function checkGaps(
  findings: Findings,
  requests: readonly WebRequest[],
  delayAfter: (before: WebRequest, after: WebRequest) => { readonly ms: number; readonly why: string },
): void {
  let before: WebRequest | undefined;
  for (const request of requests) {
    // Overlapping requests are checked by the other invariant.
    if (before && request.startedAt >= before.endedAt) {
      const gapMs = request.startedAt - before.endedAt;
      const { ms, why } = delayAfter(before, request);
      if (gapMs < ms)
        findings.add(
          `${describeRequest(request)} began ${seconds(gapMs)} after the end, ${since(before.endedAt)}, of ${describeRequest(before)}; expected at least ${seconds(ms)} (${why})`,
          { host: request.host, at: request.startedAt },
        );
    }
    if (!before || request.endedAt > before.endedAt) before = request;
  }
}

interface Delays {
  readonly facts: UsedFacts;
  /** The crawls that may have asked the host. */
  readonly makers: readonly Maker[];
  readonly robots: RobotsLog;
  /** Each robots.txt response was committed: no turn can have been discarded with it. */
  readonly isStrict: boolean;
}

/**
 * The least that must lie between the two, from any process. The gap after a request is by the crawl that
 * made it, as its contact says.
 */
function delayAfter(before: WebRequest, after: WebRequest, delays: Delays) {
  const { facts } = delays;
  const possible = makersOf(before, delays.makers);
  const delayMs = Math.min(...possible.map(({ config }) => config.delayMs));
  if (possible.some(({ config }) => config.robots === 'ignore')) return { ms: delayMs, why: 'delayMs' };
  const capMs = Math.min(...possible.map(({ config }) => config.maxCrawlDelayMs));
  const heard = heardAt(before, after, delays).filter(({ kind }) => kind !== 'nothing');
  const asked = heard.map(({ version }) =>
    version === undefined ? 0 : (facts.web.crawlDelayMs(before.host, version) ?? 0),
  );
  const crawlDelayMs = heard.length === 0 ? 0 : Math.min(capMs, ...asked);
  return crawlDelayMs > delayMs ? { ms: crawlDelayMs, why: 'Crawl-delay' } : { ms: delayMs, why: 'delayMs' };
}

/**
 * The answers of robots.txt, one of which the crawler went by after the request. Where no turn is discarded,
 * that is the last one. Else a page shows that its process went by one of those before it; and an answer of
 * robots.txt itself was surely heard only if the same process requested a page next, since one without rules
 * asks for them again.
 */
function heardAt(before: WebRequest, after: WebRequest, delays: Delays): readonly RobotsAnswer[] {
  const { makers, robots, isStrict } = delays;
  const until = before.endedAt;
  // Each crawl asks for itself.
  const answers = robots
    .answersOf(origin(before.url))
    .filter(({ at, request }) => at <= until && request.contact === before.contact);
  const isAlone = makers.length === 1 || before.contact !== undefined;
  if (isStrict && isAlone) return answers.filter(({ kind }) => kind !== 'nothing').slice(-1);
  if (!robots.isOfRobots(before)) return answers.filter(({ at }) => at <= before.startedAt);
  const isHeard =
    isAlone &&
    !robots.isOfRobots(after) &&
    after.process === before.process &&
    origin(after.url) === origin(before.url);
  return isHeard ? answers.filter(({ request }) => request === before) : [];
}

const describeRequest = ({ url, process, startedAt }: WebRequest): string =>
  `${url} (${process}, ${since(startedAt)})`;
