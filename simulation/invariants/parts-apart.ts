import { hostKey } from '../../shared/core/url/host-key.ts';
import type { PartRequest, Violation, WebRequest } from '../worlds/spec.ts';
import type { Facts } from './facts.ts';
import { createFindings, type Findings, seconds, since } from './findings.ts';

/** Requests of a page at once to its own host (`turn/render/page-parts.ts`), and of one page to each other host. */
const MAX_OWN_AT_ONCE = 2;
const MAX_OF_OTHER = 20;
/** `turn/render/other-hosts.ts` */
const OTHER_GAP_MS = 200;
const LEFT_ALONE_MS = 60_000;

/**
 * Requests of a page to its own host are at most two at once, over all processes, and never while another page of the host is
 * requested, which comes no sooner than the host's delay after them. To another host a process has one at a time, 0.2 s apart,
 * none for a minute after it has failed or refused, and none that the host's robots.txt, as this process has read it for
 * them, forbids; and one page makes no more than 20.
 */
export function partsApart({ crawls, web }: Pick<Facts, 'crawls' | 'web'>): readonly Violation[] {
  const findings = createFindings('partsApart');
  if (web.parts.length === 0) return findings.list;
  const isStrict = crawls.every(({ config }) => config.perHost === 1);
  const delayMs = Math.min(...crawls.map(({ config }) => config.delayMs));
  const own = Map.groupBy(
    web.parts.filter(({ isOther }) => !isOther),
    ({ host }) => host,
  );
  const pages = Map.groupBy(web.log, ({ host }) => host);
  for (const [host, parts] of own) {
    checkAtOnce(findings, parts);
    if (isStrict) checkPages(findings, parts, pages.get(host) ?? [], delayMs);
  }
  const others = web.parts.filter(({ isOther }) => isOther);
  const ignoresRobots = crawls.some(({ config }) => config.robots === 'ignore');
  for (const requests of Map.groupBy(others, ({ host, process }) => `${process} ${host}`).values()) {
    checkOther(findings, requests);
    if (!ignoresRobots) checkRobots(findings, requests, web);
  }
  const ofPage = Map.groupBy(
    others.filter(({ isRobots }) => !isRobots),
    ({ url }) => url.replace(/-\d+\.json$/, ''),
  );
  for (const [page, requests] of ofPage) {
    const count = new Set(requests.map(({ url }) => url)).size;
    if (count > MAX_OF_OTHER)
      findings.add(`${page}: ${count} requests of a page to another host, expected at most ${MAX_OF_OTHER}`);
  }
  return findings.list;
}

function checkAtOnce(findings: Findings, parts: readonly PartRequest[]): void {
  let open: PartRequest[] = [];
  for (const part of parts.toSorted((a, b) => a.startedAt - b.startedAt)) {
    open = open.filter(({ endedAt }) => endedAt > part.startedAt);
    if (open.length >= MAX_OWN_AT_ONCE)
      findings.add(`${nameOf(part)} began while ${open.map(nameOf).join(' and ')} were in flight`, at(part));
    open.push(part);
  }
}

function checkPages(
  findings: Findings,
  parts: readonly PartRequest[],
  pages: readonly WebRequest[],
  delayMs: number,
): void {
  for (const page of pages)
    for (const part of parts) {
      if (part.contact !== page.contact) continue;
      if (page.startedAt < part.endedAt && part.startedAt < page.endedAt)
        findings.add(`${nameOf(page)} was in flight while ${nameOf(part)} was`, at(page));
      const gapMs = page.startedAt - part.endedAt;
      if (page.startedAt >= part.endedAt && gapMs < delayMs)
        findings.add(
          `${nameOf(page)} began ${seconds(gapMs)} after ${nameOf(part)}; expected at least ${seconds(delayMs)}`,
          at(page),
        );
    }
}

function checkOther(findings: Findings, requests: readonly PartRequest[]): void {
  let until = Number.NEGATIVE_INFINITY;
  let before: PartRequest | undefined;
  for (const request of requests.toSorted((a, b) => a.startedAt - b.startedAt)) {
    if (before && request.startedAt < before.endedAt + OTHER_GAP_MS)
      findings.add(
        `${nameOf(request)} began less than 0.2 s after the end of ${nameOf(before)}`,
        at(request),
      );
    if (request.startedAt < until)
      findings.add(
        `${nameOf(request)} began, though its host was to be left alone until ${since(until)}`,
        at(request),
      );
    const { failure, httpStatus = 0 } = request;
    const isBad =
      httpStatus === 429 || httpStatus === 503 || (failure !== undefined && failure !== 'aborted');
    if (isBad) until = request.endedAt + LEFT_ALONE_MS;
    before = request;
  }
}

function checkRobots(findings: Findings, requests: readonly PartRequest[], web: Facts['web']): void {
  const versions: number[] = [];
  for (const request of requests.toSorted((a, b) => a.startedAt - b.startedAt)) {
    if (request.isRobots) {
      if (request.robotsVersion !== undefined) versions.push(request.robotsVersion);
      continue;
    }
    // A robots.txt that redirects is judged where it leads.
    if (versions.length > 0 && !versions.some((version) => web.allows(request.url, version)))
      findings.add(
        `${nameOf(request)} is forbidden by each robots.txt that its process has read`,
        at(request),
      );
  }
}

const at = ({ startedAt, url }: WebRequest) => ({ at: startedAt, host: hostKey(url) });
const nameOf = ({ url, process, startedAt }: WebRequest): string =>
  `${url} (${process}, ${since(startedAt)})`;
