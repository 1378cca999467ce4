/** Times at which a crawl fetches its pages again: a cron expression in a time zone. */
import { type CivilDay, type CronTimes, daysIn, parseCron } from './cron.ts';
import { changeBetween, type TimeZone, timeZone } from './time-zone.ts';

export interface Schedule {
  /** Returns the first time after `at`, in ms since the epoch; undefined: there is none. */
  next(at: number): number | undefined;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** February 29 on a given day of the week comes once in 40 years at the most. */
const YEARS = 41;

/**
 * A time that the clocks skip in spring counts as the end of the gap, so that no day is left out. A time that comes
 * twice in autumn counts once, the first time; unless all hours are named, as such an expression names no time of the
 * day (Vixie's cron).
 *
 * @param zone A name of the IANA, such as `Europe/Berlin`.
 * @throws SyntaxError, RangeError for an invalid expression or zone.
 */
export function parseSchedule(expression: string, zone: string): Schedule {
  const times = parseCron(expression);
  const clocks = timeZone(zone);
  return {
    next(at) {
      for (const day of daysFrom(at, times, clocks)) {
        const found = firstAfter(at, timesOn(day, times, clocks));
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

/** The days that the expression names, from the day before that of `at` on. */
function* daysFrom(at: number, { months, years, hasDay }: CronTimes, clocks: TimeZone): Generator<CivilDay> {
  const first = new Date(at + clocks.offsetAt(at) - DAY_MS);
  const end = first.getUTCFullYear() + YEARS;
  let from = first.getUTCDate();
  let month = first.getUTCMonth() + 1;
  for (let year = first.getUTCFullYear(); year < end; year++, month = 1)
    for (; month <= 12; month++, from = 1) {
      if (!months.has(month) || years?.has(year) === false) continue;
      const last = daysIn({ year, month });
      for (let day = from; day <= last; day++) {
        const civil = { year, month, day };
        if (hasDay(civil)) yield civil;
      }
    }
}

/** In the order of the clocks' hands; undefined for a time that the clocks do not show. */
function* timesOn(
  { year, month, day }: CivilDay,
  { hours, minutes }: CronTimes,
  clocks: TimeZone,
): Generator<number> {
  const midnight = Date.UTC(year, month - 1, day);
  // No zone changes its clocks twice within three days.
  const before = clocks.offsetAt(midnight - DAY_MS);
  const after = clocks.offsetAt(midnight + 2 * DAY_MS);
  const isEachHour = hours.length === 24;
  for (const hour of hours)
    for (const minute of minutes) {
      const shown = midnight + (hour * 60 + minute) * MINUTE_MS;
      if (before === after) yield shown - before;
      else yield* changedTimes(shown, { before, after, isEachHour, clocks });
    }
}

interface ClockChange {
  readonly before: number;
  readonly after: number;
  readonly isEachHour: boolean;
  readonly clocks: TimeZone;
}

/** The times at which clocks that change from one offset to another show a time. */
function changedTimes(shown: number, { before, after, isEachHour, clocks }: ClockChange): number[] {
  const times = [shown - before, shown - after].filter((at) => shown - at === clocks.offsetAt(at));
  times.sort((a, b) => a - b);
  if (isEachHour) return times;
  return [times[0] ?? changeBetween(shown - after, shown - before, clocks)];
}

/** The least of the times after `at`: on a day on which the clocks change they may come in another order. */
function firstAfter(at: number, times: Iterable<number>): number | undefined {
  let least: number | undefined;
  for (const time of times) if (time > at && time < (least ?? Number.POSITIVE_INFINITY)) least = time;
  return least;
}

/** Returns the fault of an expression, for people; undefined if it is valid and names a time. */
export function scheduleFault(expression: string): string | undefined {
  try {
    // Years that are over are the only ones that may have no time after this.
    const isNamed = parseSchedule(expression, 'UTC').next(0) !== undefined;
    return isNamed ? undefined : 'no day is one of these';
  } catch (error) {
    return (error as Error).message;
  }
}
