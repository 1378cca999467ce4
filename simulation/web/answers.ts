/** The answers of the web to requests, if only its own nature is in the way. */
import type { FetchRequest } from '../../shared/core/outcome/fetch-request.ts';
import type { Atlas } from './atlas.ts';
import { DRAW } from './chance.ts';
import { isKnown, versionAt, versionText } from './changes.ts';
import { createContents } from './contents.ts';
import type { WebHost } from './hosts.ts';
import type { List } from './lists.ts';
import { wordsIn } from './locks.ts';
import type { PageTrouble } from './pages.ts';
import type { Place } from './places.ts';
import {
  type Answer,
  errorResponse,
  type Failed,
  listed,
  lockedOut,
  missing,
  NO_BYTES,
  type Responded,
  refusedBy,
  respond,
  softly,
  spoil,
  TYPES,
  text,
  usageFile,
} from './responses.ts';
import { FORBIDDEN_USES } from './rules.ts';

/** A request to the web. */
export interface Asked extends Pick<FetchRequest, 'url' | 'headers' | 'method' | 'body'> {
  /** The contact of the crawl that asks. */
  readonly contact?: string | undefined;
  /** ms since the web's beginning, and since 1970. */
  readonly age: number;
  readonly at: number;
}

export interface Answerer {
  (place: Place, asked: Asked): Answer;
  /** The page when its scripts have run. */
  drawn(url: string, place: Place): Uint8Array;
}

const REFUSED_MS = 3;
const NAMELESS_MS = 20;
/** For how long hosts that come round fail at first. */
const MAX_TROUBLE_MS = 600_000;
/** The share of hosts whose sitemaps are gzip files. */
const PACKED_SHARE = 0.3;

export function createAnswerer(atlas: Atlas): Answerer {
  const { chance, shape, pages, rules, usage, vanishing, refusing, places, members, locks } = atlas;
  const contents = createContents(atlas);
  /** Requests so far for pages that fail a number of times and then succeed. */
  const tries = new Map<string, number>();

  function answer(place: Place, asked: Asked): Answer {
    const { url, age } = asked;
    if (place.what === 'noHost')
      return place.refused
        ? { kind: 'failed', reason: 'connect', afterMs: REFUSED_MS }
        : { kind: 'failed', reason: 'dns', afterMs: NAMELESS_MS };
    const { host } = place;
    const server = place.what === 'robots' ? place.server : host;
    const trouble = hostTrouble(server, place, age);
    if (trouble) return trouble;
    const paceMs = pace(server, url, age);
    const refused = refusing.of(place, age);
    if (refused) return refusedBy(refused, url, paceMs);
    if (isLockedOut(place, asked)) return lockedOut(paceMs);
    if (!members.has(host)) return answerOf(place, asked, paceMs);
    const shown = members.answer(place, asked);
    if ('text' in shown)
      return { ...respond(shown.httpStatus, shown.headers, text(shown.text), paceMs), member: shown.member };
    const answer = answerOf(place, asked, paceMs);
    return answer.kind === 'failed' ? answer : { ...answer, headers: [...answer.headers, ...shown.headers] };
  }

  /** Somebody without the word of the host may see its rules alone. */
  const isLockedOut = (place: Place & { readonly host: WebHost }, asked: Asked): boolean =>
    locks.has(place.host) &&
    place.what !== 'robots' &&
    place.what !== 'usageFile' &&
    !wordsIn(asked).includes(place.host.key);

  /** The answer of a host that answers, to somebody who may see the page. */
  function answerOf(place: Place & { readonly host: WebHost }, asked: Asked, paceMs: number): Answer {
    const { url, age } = asked;
    const { host } = place;
    if (place.what === 'robots') return robots(host, place.isFirst, age, paceMs);
    if (place.what === 'usageFile') return usageFile(usage.ofFile(host), paceMs);
    const redirect = pages.redirectOf(place);
    if (redirect) {
      const location = redirect.location === undefined ? [] : [['Location', redirect.location] as const];
      return respond(redirect.status, location, text('Moved.\n'), paceMs);
    }
    if (place.what === 'list') return listed(place.list, paceMs, isPacked(place.list));
    const vanished = place.what === 'page' ? vanishing.statusOf(host, place.page, age) : undefined;
    if (vanished !== undefined) return missing(vanished, paceMs);
    const response = isSoft(place) ? softly(paceMs) : contents.of(place, asked, paceMs);
    const failure = place.what === 'page' ? pages.troubleOf(host, place.page) : undefined;
    if (failure && mustFail(url, failure)) return spoil(response, failure.how);
    const isWhole = place.what === 'page' && response.httpStatus === 200 && !isSoft(place);
    const whole = isWhole && shape.changes ? inVersion(response, place, asked) : response;
    return isWhole && usage.isInField(host, place.page)
      ? { ...whole, headers: [...whole.headers, ['Content-Usage', FORBIDDEN_USES]] }
      : whole;
  }

  /** A sitemap that is a gzip file. */
  function isPacked({ kind, server }: List): boolean {
    return (kind === 'sitemap' || kind === 'text') && chance.at(DRAW.named, server.number, 2) < PACKED_SHARE;
  }

  /** A page that does not exist, on a host that does not say so by its status. */
  function isSoft(place: Place & { readonly host: WebHost }): boolean {
    const { softShare = 0 } = shape;
    return softShare > 0 && pages.isMissing(place) && chance.at(DRAW.soft404, place.host.number) < softShare;
  }

  /** The response as it is now, or 304 to a client that has it. */
  function inVersion(response: Responded, { host, page }: Place & { what: 'page' }, asked: Asked): Responded {
    const version = versionAt(chance, host.number, page, asked.at);
    if (isKnown(asked, version)) return respond(304, version.fields, NO_BYTES, response.headMs);
    const isHtml = response.headers.some(([, value]) => value === TYPES.html) && response.body.length > 0;
    const body = isHtml
      ? Buffer.concat([response.body, text(`<p>${versionText(version)}</p>\n`)])
      : response.body;
    const fields = response.headers.filter(([name]) => name !== 'Server' && name !== 'Content-Length');
    return respond(200, [...fields, ...version.fields], body, response.headMs);
  }

  function mustFail(url: string, { times }: PageTrouble): boolean {
    if (times === Number.POSITIVE_INFINITY) return true;
    const before = tries.get(url) ?? 0;
    if (before < times) tries.set(url, before + 1);
    return before < times;
  }

  /** Whole ms, about the host's median, with a long tail. */
  function pace(host: WebHost, url: string, age: number): number {
    const at = chance.at(DRAW.latency, host.number, url.length, age);
    return Math.max(1, Math.round(host.medianMs * (0.5 + at + (at > 0.97 ? 3 * at : 0))));
  }

  function hostTrouble(host: WebHost, place: Place, age: number): Answer | undefined {
    const at = chance.at(DRAW.trouble, host.number);
    const isEarly = age < at * MAX_TROUBLE_MS;
    if (host.kind === 'nameless' || (host.kind === 'unresolved' && isEarly))
      return { kind: 'failed', reason: 'dns', afterMs: NAMELESS_MS };
    if (vanishing.isAway(host, age)) return { kind: 'failed', reason: 'connect', afterMs: REFUSED_MS };
    if (host.kind === 'dead') return deadAnswer(chance.at(DRAW.trouble, host.number, 1));
    const isFailing =
      host.kind === 'broken' ||
      (host.kind === 'failing' && isEarly) ||
      (host.kind === 'robotsFailing' && place.what === 'robots' && isEarly);
    if (!isFailing) return undefined;
    const way = Math.floor(chance.at(DRAW.trouble, host.number, 2) * 5);
    if (way === 0) return { kind: 'failed', reason: 'reset', afterMs: host.medianMs };
    if (way === 1 && host.kind !== 'broken')
      return { kind: 'failed', reason: 'timeout', afterMs: Number.POSITIVE_INFINITY };
    return errorResponse(way === 2 ? 500 : 503, host.medianMs, way === 3 ? 20 : undefined);
  }

  function robots(host: WebHost, isFirst: boolean, age: number, paceMs: number): Answer {
    const robotsVersion = rules.versionAt(host, age);
    const target = isFirst ? places.robotsTarget(host) : undefined;
    if (target !== undefined)
      return { ...respond(301, [['Location', target]], NO_BYTES, paceMs), robotsVersion };
    const plan = rules.planOf(host, robotsVersion);
    if (plan.rules === undefined)
      return { ...respond(404, [['Content-Type', TYPES.text]], text('No rules.\n'), paceMs), robotsVersion };
    const headers: [string, string][] = [['Content-Type', TYPES.text]];
    if (plan.maxAgeSeconds !== undefined) headers.push(['Cache-Control', `max-age=${plan.maxAgeSeconds}`]);
    return { ...respond(200, headers, text(rules.textOf(host, robotsVersion)), paceMs), robotsVersion };
  }

  return Object.assign(answer, { drawn: contents.drawn });
}

/** Refused, never answered, or no TLS to be had. */
function deadAnswer(way: number): Failed {
  if (way < 0.5) return { kind: 'failed', reason: 'connect', afterMs: REFUSED_MS };
  if (way < 0.8) return { kind: 'failed', reason: 'timeout', afterMs: Number.POSITIVE_INFINITY };
  return { kind: 'failed', reason: 'tls', afterMs: REFUSED_MS };
}
