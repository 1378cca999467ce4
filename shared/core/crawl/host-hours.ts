/**
 * Hours and days at which requests to a host are allowed: `hours`, `days` and `timeZone` of `overrides`. They are times
 * of the wall clock, as in `opening_hours` of OpenStreetMap: an hour that the clocks skip is not there, one that comes
 * twice counts twice, and a range over midnight belongs to the day on which it begins.
 */
import QuickLRU from 'quick-lru';
import { changeBetween, type TimeZone, timeZone } from './time-zone.ts';

export interface HostHours {
  /** `22:00-06:00`, several with commas between them. Absent: all hours. */
  readonly hours?: string | undefined;
  /** `mon-fri,sun`. Absent: all days. */
  readonly days?: string | undefined;
  /** A name of the IANA. Absent: UTC. */
  readonly timeZone?: string | undefined;
  /** The parsed settings ({@link withWeek}). */
  readonly week?: Week;
}

/** Times of a week, in ms since the beginning of its Monday; the end is not a part of it. */
interface Span {
  readonly from: number;
  readonly to: number;
}

interface Week {
  /** In order, apart from each other. */
  readonly spans: readonly Span[];
  readonly clocks: TimeZone;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const DAY_MINUTES = 1440;
/** 1970-01-05 was a Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
/** A stack looks for hosts that are due each minute, by times that are rounded up to five. */
const LEAST_MINUTES = 15;
const MAX_RANGES = 100;
const MAX_CHARS = 1500;
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
/** The only range of a week may fall into the hour that the clocks skip. */
const MAX_CLOSED_MS = 2 * WEEK_MS + DAY_MS;
/** Overrides whose hours, days and zones can be combined in more ways are not looked at one by one. */
const MAX_WEEKS = 500;
/** Weeks that are kept as they were read. */
const MAX_KNOWN_WEEKS = 100;
/** Each step of the search is a day, or goes to a change of the clocks. */
const MAX_STEPS = 40;

/**
 * Returns the first moment from `at` on (ms since the epoch) at which a request to a host with these settings is
 * allowed.
 */
export function allowedFrom(settings: HostHours, at: number): number {
  const week = weekOf(settings);
  if (week === undefined) return at;
  let moment = at;
  for (let i = 0; i < MAX_STEPS; i++) {
    const offset = week.clocks.offsetAt(moment);
    const closedMs = closedFor(week.spans, moment + offset);
    if (closedMs === 0) return moment;
    const next = moment + Math.min(closedMs, DAY_MS);
    // No zone changes its clocks twice within a day.
    moment = week.clocks.offsetAt(next) === offset ? next : changeBetween(moment, next, week.clocks);
  }
  // Never: so no host waits for ever.
  return moment;
}

/** The part of a week in which requests to the host are allowed, 0 to 1. */
export function allowedShare(settings: HostHours): number {
  const week = weekOf(settings);
  if (week === undefined) return 1;
  return week.spans.reduce((ms, { from, to }) => ms + to - from, 0) / WEEK_MS;
}

/**
 * Returns the last of the moments at which the hosts that are closed at `at` open again; `at`, if none is closed. A
 * host may be meant by several overrides, of which one has its hours and another its days.
 */
export function latestOpening(
  { overrides }: { readonly overrides: readonly HostHours[] },
  at: number,
): number {
  if (!overrides.some(hasHours)) return at;
  const hours = different(overrides.map(({ hours }) => hours));
  const days = different(overrides.map(({ days }) => days));
  const zones = different(overrides.map(({ timeZone }) => timeZone));
  if (hours.length * days.length * zones.length > MAX_WEEKS) return at + MAX_CLOSED_MS;
  let latest = at;
  for (const ranges of hours)
    for (const ofWeek of days)
      for (const zone of zones)
        latest = Math.max(latest, allowedFrom({ hours: ranges, days: ofWeek, timeZone: zone }, at));
  return latest;
}

const different = <T>(values: readonly (T | undefined)[]): readonly (T | undefined)[] => [
  ...new Set([undefined, ...values]),
];

const hasHours = ({ hours, days }: HostHours): boolean => hours !== undefined || days !== undefined;

/** The settings for people: `mon-fri 22:00-06:00 Europe/Berlin`. */
export const hoursText = ({ days, hours, timeZone: zone = 'UTC' }: HostHours): string =>
  [days, hours, zone].filter(Boolean).join(' ');

/** Returns the fault of `hours`, and how to correct it, for people. */
export const hoursFault = (text: string): string | undefined => faultOf(() => rangesOf(text));

/** As {@link hoursFault}, for `days`. */
export const daysFault = (text: string): string | undefined => faultOf(() => daysOf(text));

function faultOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Parses hours and days once, so that they need not be parsed for each question. */
export function withWeek<T extends HostHours>(settings: T): T {
  const week = weekOf(settings);
  return week === undefined ? settings : { ...settings, week };
}

function weekOf(settings: HostHours): Week | undefined {
  if (settings.week !== undefined || !hasHours(settings)) return settings.week;
  const { hours = '00:00-24:00', days = 'mon-sun', timeZone: zone = 'UTC' } = settings;
  const key = JSON.stringify([hours, days, zone]);
  let week = weeks.get(key);
  if (week === undefined) {
    week = { spans: spansOf(daysOf(days), rangesOf(hours)), clocks: timeZone(zone) };
    weeks.set(key, week);
  }
  return week;
}

/** The weeks of the last settings: a waker needs all weeks of a crawl each minute. */
const weeks = new QuickLRU<string, Week>({ maxSize: MAX_KNOWN_WEEKS });

/** How long the clocks that show `shown` must run until a span begins; 0 within one. */
function closedFor(spans: readonly Span[], shown: number): number {
  const at = (((shown - FIRST_MONDAY_MS) % WEEK_MS) + WEEK_MS) % WEEK_MS;
  const next = spans.find(({ to }) => to > at);
  if (next) return Math.max(0, next.from - at);
  return WEEK_MS - at + (spans[0]?.from ?? 0);
}

type Range = readonly [fromMinute: number, toMinute: number];

/** Spans over midnight between Sunday and Monday are two. */
function spansOf(days: readonly number[], ranges: readonly Range[]): Span[] {
  const all = days.flatMap((day) =>
    ranges.flatMap(([from, to]) => {
      const span = { from: day * DAY_MS + from * MINUTE_MS, to: day * DAY_MS + to * MINUTE_MS };
      if (span.to <= WEEK_MS) return [span];
      return [
        { from: span.from, to: WEEK_MS },
        { from: 0, to: span.to - WEEK_MS },
      ];
    }),
  );
  all.sort((a, b) => a.from - b.from);
  const joined: { from: number; to: number }[] = [];
  for (const span of all) {
    const last = joined.at(-1);
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else joined.push({ ...span });
  }
  return joined;
}

/** Ranges over midnight end after minute 1440. Throws a `SyntaxError` for people. */
function rangesOf(text: string): Range[] {
  if (text.length > MAX_CHARS) throw new SyntaxError(`it is longer than ${MAX_CHARS} characters`);
  const parts = text.split(',');
  if (parts.length > MAX_RANGES) throw new SyntaxError(`it has more than ${MAX_RANGES} ranges`);
  return parts.map((part) => {
    const ends = part.split('-');
    if (ends.length !== 2)
      throw new SyntaxError(`${JSON.stringify(part.trim())} is not a range: write it as 22:00-06:00`);
    const from = minuteOf(ends[0] as string) % DAY_MINUTES;
    const end = minuteOf(ends[1] as string);
    if (from === end)
      throw new SyntaxError(`${JSON.stringify(part.trim())} is empty: write all hours as 00:00-24:00`);
    const to = end < from ? end + DAY_MINUTES : end;
    if (to - from < LEAST_MINUTES)
      throw new SyntaxError(
        `${JSON.stringify(part.trim())} is too short: a range has ${LEAST_MINUTES} minutes at least`,
      );
    return [from, to];
  });
}

function minuteOf(text: string): number {
  const [, hour, minute = '0'] = /^(\d{1,2})(?::(\d\d))?$/.exec(text.trim()) ?? [];
  const minutes = Number(hour) * 60 + Number(minute);
  if (hour === undefined || Number(minute) > 59 || minutes > DAY_MINUTES)
    throw new SyntaxError(`${JSON.stringify(text.trim())} is not a time of the day: write 00:00 to 24:00`);
  return minutes;
}

/** Days from Monday, which is 0. Throws a `SyntaxError` for people. */
function daysOf(text: string): number[] {
  if (text.length > MAX_CHARS) throw new SyntaxError(`it is longer than ${MAX_CHARS} characters`);
  const days = new Set<number>();
  for (const part of text.split(',')) {
    const ends = part.split('-').map(dayOf);
    const [first = 0, last = first] = ends;
    if (ends.length > 2)
      throw new SyntaxError(`${JSON.stringify(part.trim())} is not a range: write mon-fri`);
    // `sat-mon` goes over the end of the week.
    for (let day = first; ; day = (day + 1) % DAYS.length) {
      days.add(day);
      if (day === last) break;
    }
  }
  return [...days];
}

function dayOf(text: string): number {
  const day = DAYS.indexOf(text.trim().toLowerCase());
  if (day < 0)
    throw new SyntaxError(
      `${JSON.stringify(text.trim())} is not a day: write mon, tue, wed, thu, fri, sat or sun`,
    );
  return day;
}
