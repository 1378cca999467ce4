/** The answers of the web to requests, if only its own nature is in the way. */
import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FailureReason } from '../../shared/core/outcome/failure-codes.ts';
import type { FetchRequest } from '../../shared/core/outcome/fetch-request.ts';
import type { ResponseHead } from '../../shared/core/outcome/response-head.ts';
import { ASSETS } from './asset-kinds.ts';
import { renderStyle } from './assets.ts';
import type { Atlas } from './atlas.ts';
import { DRAW } from './chance.ts';
import { isKnown, versionAt, versionText } from './changes.ts';
import type { WebHost } from './hosts.ts';
import { filling, renderHtml } from './html.ts';
import type { List } from './lists.ts';
import { wordsIn } from './locks.ts';
import { type MemberRequest, SIGN } from './member-plan.ts';
import type { PageTrouble } from './pages.ts';
import type { Place } from './places.ts';
import type { RefusalWay, ServedRefusal } from './refusing.ts';
import { LIST_TYPES, renderList } from './render-list.ts';
import { FORBIDDEN_USES } from './rules.ts';
import { renderSitemap } from './sitemaps.ts';

export interface Failed {
  readonly kind: 'failed';
  readonly reason: FailureReason;
  /** How long until the client knows; forever: it waits until it gives up. */
  readonly afterMs: number;
  readonly isStaleConnection?: boolean;
}

export interface Responded extends ResponseHead {
  readonly kind: 'response';
  readonly body: Uint8Array;
  readonly headMs: number;
  /** From the head to the body's end. 0: they come together. */
  readonly bodyMs: number;
  /** Only this number of bytes come; then the connection ends, or nothing more happens. */
  readonly cut?: { readonly bytes: number; readonly isEnd: boolean };
  /** It refuses the crawler. */
  readonly refusal?: ServedRefusal;
  /** It is of a login, or shown to those who are signed out. */
  readonly member?: MemberRequest;
  /** The version of robots.txt, if the answer contains it or leads to it. */
  readonly robotsVersion?: number;
}

export type Answer = Failed | Responded;

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

/** Whole parts of a page have it. */
export const PART_END = 'end of part';
const REFUSED_MS = 3;
const NAMELESS_MS = 20;
const LARGE_BYTES = 100_000;
const PAGE_BYTES = 600;
const BYTES_PER_MS = 2000;
const PIECE_BYTES = 16 * 1024;
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  200: 'OK',
  202: 'Accepted',
  204: 'No Content',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  410: 'Gone',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};
/** For how long hosts that come round fail at first. */
const MAX_TROUBLE_MS = 600_000;
const TYPES = { html: 'text/html; charset=utf-8', text: 'text/plain', image: 'image/png' } as const;
const ASSET_TYPES = { css: 'text/css', png: 'image/png', woff2: 'font/woff2' } as const;
/** The share of hosts whose sitemaps are gzip files. */
const PACKED_SHARE = 0.3;
const NO_BYTES = new Uint8Array(0);

export function createAnswerer(atlas: Atlas): Answerer {
  const {
    chance,
    shape,
    pages,
    assets,
    links,
    canonicals,
    rules,
    usage,
    vanishing,
    refusing,
    places,
    scripts,
    members,
    locks,
  } = atlas;
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
    const response = isSoft(place) ? softly(paceMs) : contentOf(asked, place, paceMs);
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

  function contentOf({ url, at }: Asked, place: Place, paceMs: number): Responded {
    if (place.what === 'sitemap') {
      const { host } = place;
      const body = renderSitemap(chance, host, at, (page) => places.pageUrl(host, page));
      return respond(200, [['Content-Type', 'application/xml']], body, paceMs);
    }
    if (place.what === 'day') return html(url, place, 0, paceMs);
    if (place.what === 'asset') return asset(url, place, paceMs);
    if (place.what === 'part') return part(url, place.name, paceMs);
    if (place.what === 'change') return html(url, place, PAGE_BYTES, paceMs);
    if (place.what === 'alias')
      return place.of.kind === 'failing' ? errorResponse(500, paceMs) : missing(410, paceMs);
    if (place.what !== 'page') return missing(404, paceMs);
    if (scripts.isScripted(place)) return shell(url, place, paceMs);
    const type = pages.typeOf(place.host, place.page);
    const random = chance.stream(DRAW.body, place.host.number, place.page);
    switch (type) {
      case 'html':
        return html(url, place, shape.bodyBytes ?? PAGE_BYTES * (0.5 + random()), paceMs);
      case 'large':
        return html(url, place, LARGE_BYTES, paceMs);
      case 'text':
        return respond(200, [['Content-Type', TYPES.text]], text(filling(2000 * random(), random)), paceMs);
      case 'image':
        return respond(200, [['Content-Type', TYPES.image]], image(url), paceMs);
      case 'empty':
        return respond(200, [['Content-Type', TYPES.html]], NO_BYTES, paceMs);
      case 'noContent':
        return respond(204, [], NO_BYTES, paceMs);
      default:
        return missing(type === 'gone' ? 410 : 404, paceMs);
    }
  }

  /** A text of random letters; every other page of a host has the one of another page. */
  function textOf(place: Place): string | undefined {
    if (!shape.hasCopies || place.what !== 'page') return undefined;
    const { number } = place.host;
    const isCopy = chance.at(DRAW.copies, number, place.page) < 0.5;
    const random = chance.stream(DRAW.copies, number, isCopy ? -1 : place.page);
    const letter = () => String.fromCharCode(97 + Math.floor(random() * 26));
    return Array.from({ length: 100 }, () => letter() + letter() + letter()).join(' ');
  }

  function asset(url: string, place: Place & { what: 'asset' }, paceMs: number): Responded {
    const type = ASSETS[place.asset] ?? 'png';
    const body = type === 'css' ? text(renderStyle(assets.of(place))) : image(url);
    return respond(200, [['Content-Type', ASSET_TYPES[type]]], body, paceMs);
  }

  /** A page before its scripts run. No two have the same words. */
  function shell(url: string, { host, page }: Place & { what: 'page' }, paceMs: number): Responded {
    const random = chance.stream(DRAW.scripts, host.number, -page - 1);
    const head = `<!doctype html><meta charset="utf-8"><title>${url.length} ${filling(20, random)}</title>`;
    const script = `<script src="${places.partUrl(host, page, 'app.js')}"></script>`;
    const body = text(`${head}<p>${filling(100, random)}</p><div id="root"></div>${script}\n`);
    return respond(200, [['Content-Type', TYPES.html]], body, paceMs);
  }

  function html(url: string, place: Place, bytes: number, paceMs: number): Responded {
    // All days are alike but for their links.
    const at =
      place.what === 'page'
        ? place.page
        : place.what === 'change'
          ? place.of.page
          : place.what === 'day'
            ? -1
            : 0;
    const random = chance.stream(DRAW.spelling, place.what === 'noHost' ? 0 : place.host.number, at);
    return respond(
      200,
      [['Content-Type', TYPES.html]],
      renderHtml(
        url,
        {
          links: links.of(place),
          requisites: assets.of(place),
          canonical: place.what === 'page' ? canonicals.of(place.host, place.page) : undefined,
          feed: place.what === 'page' ? places.lists.feedOf(place.host, place.page) : undefined,
          bytes,
          text: textOf(place),
          sign: place.what !== 'noHost' && members.has(place.host) ? SIGN : undefined,
        },
        random,
      ),
      paceMs,
    );
  }

  return Object.assign(answer, {
    drawn: (url: string, place: Place) => html(url, place, bytesOf(place), 0).body,
  });

  /** About the size of an HTML page. */
  function bytesOf(place: Place): number {
    if (place.what !== 'page') return 0;
    if (pages.typeOf(place.host, place.page) === 'large') return LARGE_BYTES;
    return PAGE_BYTES * (0.5 + chance.stream(DRAW.body, place.host.number, place.page)());
  }
}

function listed(list: List, paceMs: number, isPacked: boolean): Responded {
  const { kind } = list;
  if (kind === 'failing') return errorResponse(500, paceMs);
  if (kind === 'missing') return missing(404, paceMs);
  const body = text(renderList(list));
  if (isPacked) return respond(200, [['Content-Type', 'application/gzip']], gzipSync(body), paceMs);
  return respond(200, [['Content-Type', LIST_TYPES[kind]]], body, paceMs);
}

/** Refused, never answered, or no TLS to be had. */
function deadAnswer(way: number): Failed {
  if (way < 0.5) return { kind: 'failed', reason: 'connect', afterMs: REFUSED_MS };
  if (way < 0.8) return { kind: 'failed', reason: 'timeout', afterMs: Number.POSITIVE_INFINITY };
  return { kind: 'failed', reason: 'tls', afterMs: REFUSED_MS };
}

/** It says when it is whole, as a script or JSON does. */
const part = (url: string, name: string, headMs: number): Responded =>
  respond(
    200,
    [['Content-Type', name.endsWith('.js') ? 'text/javascript' : 'application/json']],
    text(name.endsWith('.js') ? `"${url}";//${PART_END}` : `{"url":"${url}","end":"${PART_END}"}`),
    headMs,
  );

export function errorResponse(status: number, headMs: number, retryAfterSeconds?: number): Responded {
  const headers: [string, string][] = [['Content-Type', TYPES.html]];
  if (retryAfterSeconds !== undefined) headers.push(['Retry-After', String(retryAfterSeconds)]);
  // A link that must never be taken: the page is none.
  return respond(status, headers, text(`<a href="/error/${status}">Error ${status}</a>\n`), headMs);
}

const lockedOut = (headMs: number): Responded =>
  respond(
    401,
    [
      ['Content-Type', TYPES.html],
      ['WWW-Authenticate', 'Basic realm="sim"'],
    ],
    text('<a href="/error/401">Who are you?</a>\n'),
    headMs,
  );

/** No two are alike. The link must never be taken: the page is none. */
function refusedBy({ httpStatus, headers, refusal }: RefusalWay, url: string, headMs: number): Responded {
  const sign = refusal?.sign === undefined ? '' : `<script src="/${refusal.sign}"></script>`;
  const body = text(`<html>${sign}<title>Refused</title><a href="/refused/">${hash('sha1', url)}</a>\n`);
  const response = respond(httpStatus, [['Content-Type', TYPES.html], ...headers], body, headMs);
  return { ...response, ...(refusal && { refusal }) };
}

const usageFile = (location: string | undefined, headMs: number): Responded =>
  location === undefined
    ? missing(404, headMs)
    : respond(
        200,
        [['Content-Type', 'application/json']],
        text(JSON.stringify([{ location: `${location}*`, 'tdm-reservation': 1 }])),
        headMs,
      );

const missing = (status: number, headMs: number): Responded =>
  respond(status, [['Content-Type', TYPES.html]], text('<a href="/error/missing">Not here</a>\n'), headMs);

const softly = (headMs: number): Responded =>
  respond(
    200,
    [['Content-Type', TYPES.html]],
    text('<title>Sorry</title><p>There is no such page here\n'),
    headMs,
  );

/** The same response as a client finds it that has no luck. */
export function spoil(response: Responded, how: PageTrouble['how']): Answer {
  if (how === 'status500') return errorResponse(500, response.headMs);
  if (how === 'status503') return errorResponse(503, response.headMs, 3);
  if (how === 'reset' || response.body.length < 2)
    return { kind: 'failed', reason: 'reset', afterMs: response.headMs };
  return { ...response, cut: { bytes: response.body.length >> 1, isEnd: true } };
}

function respond(
  httpStatus: number,
  headers: ResponseHead['headers'],
  body: Uint8Array,
  headMs: number,
): Responded {
  const length =
    httpStatus === 204 || httpStatus === 304 ? [] : [['Content-Length', String(body.length)] as const];
  return {
    kind: 'response',
    httpStatus,
    statusText: STATUS_TEXTS[httpStatus] ?? '',
    headers: [['Server', 'sim'], ...headers, ...length],
    body,
    headMs,
    bodyMs: body.length > PIECE_BYTES ? Math.ceil(body.length / BYTES_PER_MS) : 0,
  };
}

const text = (content: string): Uint8Array => Buffer.from(content);

/** Bytes that begin as a PNG does. */
function image(url: string): Uint8Array {
  const noise = hash('sha512', url, 'buffer');
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), noise, noise, noise]);
}
