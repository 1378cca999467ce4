/** Memento (RFC 7089): the captures of a URL by time, as TimeMaps, a TimeGate, and the links of a response. */
import { epochOf } from '../../../shared/core/archive/capture-query.ts';
import type { CaptureIndex, ListedCapture } from '../../../shared/engines/local/archive/capture-index.ts';

/** Captures on a page of a TimeMap. */
const PAGE_CAPTURES = 5000;
const LINK_FORMAT = 'application/link-format';

/** A browser sends no `#`: that of a route is encoded. */
export const pathOf = ({ url, timestamp }: Pick<ListedCapture, 'url' | 'timestamp'>): string =>
  `/${timestamp}/${sentForm(url)}`;

const sentForm = (url: string): string => url.replace('#', '%23');

export type TimeMapFormat = 'link' | 'json';

/** A page of the TimeMap of `url`; undefined if the page does not exist. `page`: from 1. */
export interface TimeMapQuery {
  readonly origin: string;
  readonly url: string;
  readonly format: TimeMapFormat;
  readonly page: number;
}

export interface TimeMap {
  readonly type: string;
  readonly text: string;
}

/** Returns a page of a TimeMap; undefined if the page does not exist. */
export function timeMap(
  index: CaptureIndex,
  { origin, url, format, page }: TimeMapQuery,
): TimeMap | undefined {
  const total = index.countOf(url);
  const pages = Math.ceil(total / PAGE_CAPTURES);
  if (page < 1 || page > pages) return undefined;
  const captures = index.ofUrl(url, { offset: (page - 1) * PAGE_CAPTURES, limit: PAGE_CAPTURES });
  const given: TimeMapPage = { origin, url, page, pages, captures };
  return format === 'link'
    ? { type: LINK_FORMAT, text: linkFormat(given) }
    : { type: 'application/json', text: `${JSON.stringify(jsonFormat(given))}\n` };
}

interface TimeMapPage {
  readonly origin: string;
  readonly url: string;
  readonly page: number;
  readonly pages: number;
  readonly captures: readonly ListedCapture[];
}

function linkFormat({ origin, url, page, pages, captures }: TimeMapPage): string {
  const from = httpDate(captures[0]!.timestamp);
  const until = httpDate(captures.at(-1)!.timestamp);
  const timeMapLink = (number: number, rel: string, more = '') =>
    `${link(timeMapUrl({ origin, url, format: 'link', page: number }), rel)}; type="${LINK_FORMAT}"${more}`;
  const lines = [
    link(url, 'original'),
    link(timeGateUrl(origin, url), 'timegate'),
    timeMapLink(page, 'self', `; from="${from}"; until="${until}"`),
    ...(page > 1 ? [timeMapLink(page - 1, 'prev timemap')] : []),
    ...(page < pages ? [timeMapLink(page + 1, 'next timemap')] : []),
    ...captures.map((capture, i) => {
      const isFirst = page === 1 && i === 0;
      const isLast = page === pages && i === captures.length - 1;
      return mementoLink(origin, capture, { isFirst, isLast });
    }),
  ];
  return `${lines.join(',\n')}\n`;
}

/** As the Time Travel service and MemGator write it (timetravel.mementoweb.org/guide/api). */
function jsonFormat({ origin, url, page, pages, captures }: TimeMapPage): object {
  const list = captures.map((capture) => ({
    datetime: new Date(epochOf(capture.timestamp)).toISOString().replace('.000Z', 'Z'),
    uri: origin + pathOf(capture),
  }));
  const at = (number: number) => timeMapUrl({ origin, url, format: 'json', page: number });
  return {
    original_uri: url,
    self: at(page),
    ...(page > 1 && { prev: at(page - 1) }),
    ...(page < pages && { next: at(page + 1) }),
    mementos: {
      list,
      ...(page === 1 && { first: list[0] }),
      ...(page === pages && { last: list.at(-1) }),
    },
    timemap_uri: {
      link_format: timeMapUrl({ origin, url, format: 'link', page: 1 }),
      json_format: at(1),
    },
    timegate_uri: timeGateUrl(origin, url),
  };
}

/** The value of `Link` for a response that is the capture, or leads to it. */
export const linksOf = (origin: string, capture: ListedCapture): string =>
  [
    link(capture.url, 'original'),
    link(timeGateUrl(origin, capture.url), 'timegate'),
    `${link(timeMapUrl({ origin, url: capture.url, format: 'link', page: 1 }), 'timemap')}; type="${LINK_FORMAT}"`,
    mementoLink(origin, capture),
  ].join(', ');

function mementoLink(
  origin: string,
  capture: ListedCapture,
  { isFirst = false, isLast = false } = {},
): string {
  const rel = `${isFirst ? 'first ' : ''}${isLast ? 'last ' : ''}memento`;
  return `${link(origin + pathOf(capture), rel)}; datetime="${httpDate(capture.timestamp)}"`;
}

const timeGateUrl = (origin: string, url: string): string => `${origin}/timegate/${sentForm(url)}`;

const timeMapUrl = ({ origin, url, format, page }: TimeMapQuery): string =>
  `${origin}/timemap/${format}/${page > 1 ? `${page}/` : ''}${sentForm(url)}`;

const link = (url: string, rel: string): string => `<${uri(url)}>; rel="${rel}"`;

/** Without characters that would end the reference or may not be in a header. */
const uri = (url: string): string => url.toWellFormed().replace(/[^!-~]|[<>"\\]/gu, encodeURIComponent);

/** RFC 9110 section 5.6.7, as in `Memento-Datetime`. */
export const httpDate = (timestamp: string): string => new Date(epochOf(timestamp)).toUTCString();

const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Returns `YYYYMMDDhhmmss` of the value of `Accept-Datetime`; undefined if the value is not such a date. */
export function acceptedTime(value: string): string | undefined {
  const time = HTTP_DATE.test(value.trim()) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().replace(/\D/g, '').slice(0, 14);
}
