/**
 * Times of day and days as cron expressions name them: the five fields of POSIX (minute, hour, day of month, month, day
 * of week) with the extensions of Vixie's cron (names, steps, Sunday as 7, `@daily`), and the six of EventBridge,
 * `cron(...)`, with a year, `?`, `L`, `W` and `#`.
 */

/** A day of a month in the proleptic Gregorian calendar. `month`: 1 to 12. */
export interface CivilDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export interface CronTimes {
  /** Ascending. */
  readonly hours: readonly number[];
  readonly minutes: readonly number[];
  /** 1 to 12. */
  readonly months: ReadonlySet<number>;
  /** Absent: every year. */
  readonly years?: ReadonlySet<number> | undefined;
  /** Whether the fields of days name the day. */
  readonly hasDay: (day: CivilDay) => boolean;
}

/** A longer expression is none. */
const MAX_CHARS = 300;
const LAST_YEAR = 2199;

const SHORTHANDS: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

interface Range {
  readonly what: string;
  readonly least: number;
  readonly most: number;
  /** Names for the values from `least` on. */
  readonly names?: readonly string[];
}

const MINUTE: Range = { what: 'minute', least: 0, most: 59 };
const HOUR: Range = { what: 'hour', least: 0, most: 23 };
const DAY: Range = { what: 'day of the month', least: 1, most: 31 };
const MONTH: Range = { what: 'month', least: 1, most: 12, names: MONTHS };
const WEEKDAY: Range = { what: 'day of the week', least: 0, most: 7, names: WEEKDAYS };
const YEAR: Range = { what: 'year', least: 1970, most: LAST_YEAR };
/** EventBridge counts from Sunday, which is 1. */
const AWS_WEEKDAY: Range = { what: 'day of the week', least: 1, most: 7, names: WEEKDAYS };

/** Throws a `SyntaxError` whose message describes the fault, for people. */
export function parseCron(text: string): CronTimes {
  const given = text.trim();
  if (given.length > MAX_CHARS) throw new SyntaxError(`it is longer than ${MAX_CHARS} characters`);
  const inner = /^cron\((.*)\)$/i.exec(given)?.[1];
  const isAws = inner !== undefined;
  const fields = (inner ?? SHORTHANDS[given.toLowerCase()] ?? given).trim().split(/\s+/);
  const expected = isAws ? 6 : 5;
  if (fields.length !== expected)
    throw new SyntaxError(
      isAws
        ? `cron(...) has six fields: minute, hour, day of the month, month, day of the week, year`
        : 'it has five fields: minute, hour, day of the month, month, day of the week',
    );
  const [minute = '', hour = '', day = '', month = '', weekday = '', year = '*'] = fields;
  const years = year === '*' ? undefined : valuesOf(year, YEAR);
  return {
    minutes: ascending(valuesOf(minute, MINUTE)),
    hours: ascending(valuesOf(hour, HOUR)),
    months: valuesOf(month, MONTH),
    years,
    hasDay: dayTest(day, weekday, isAws),
  };
}

type DayTest = (day: CivilDay) => boolean;

/** By the rule of cron: if both fields name days, one of them is enough. A field that begins with `*` names none. */
function dayTest(days: string, weekdays: string, isAws: boolean): DayTest {
  const inMonth = monthDayTest(days);
  const inWeek = weekdayTest(weekdays, isAws);
  const isEither = !/^[*?]/.test(days) && !/^[*?]/.test(weekdays);
  return (day) => (isEither ? inMonth(day) || inWeek(day) : inMonth(day) && inWeek(day));
}

function monthDayTest(field: string): DayTest {
  if (field === '?') return () => true;
  const tests = field.toUpperCase().split(',').map(monthDayPart);
  return (day) => tests.some((test) => test(day));
}

function monthDayPart(part: string): DayTest {
  if (part === 'L') return (day) => day.day === daysIn(day);
  if (part === 'LW') return (day) => day.day === workdayNear(day, daysIn(day));
  const near = /^(\d{1,2})W$/.exec(part)?.[1];
  if (near !== undefined) {
    const wanted = numberIn(near, DAY);
    return (day) => wanted <= daysIn(day) && day.day === workdayNear(day, wanted);
  }
  const values = valuesOf(part, DAY);
  return (day) => values.has(day.day);
}

function weekdayTest(field: string, isAws: boolean): DayTest {
  if (field === '?') return () => true;
  const tests = field
    .toUpperCase()
    .split(',')
    .map((part) => weekdayPart(part, isAws));
  return (day) => tests.some((test) => test(day));
}

function weekdayPart(part: string, isAws: boolean): DayTest {
  const range = isAws ? AWS_WEEKDAY : WEEKDAY;
  /** From Sunday, which is 0. */
  const dayOf = (value: number) => (isAws ? value - 1 : value % 7);
  const nth = /^([^#]+)#([1-5])$/.exec(part);
  if (nth) {
    const wanted = dayOf(numberIn(nth[1] ?? '', range));
    return (day) => weekdayOf(day) === wanted && Math.ceil(day.day / 7) === Number(nth[2]);
  }
  const last = /^(.+)L$/.exec(part)?.[1];
  if (last !== undefined) {
    const wanted = dayOf(numberIn(last, range));
    return (day) => weekdayOf(day) === wanted && day.day + 7 > daysIn(day);
  }
  // The last day of the week, in EventBridge.
  const values = new Set([...(part === 'L' ? [range.most] : valuesOf(part, range))].map(dayOf));
  return (day) => values.has(weekdayOf(day));
}

/** `*`, `5`, `1-5`, a name; each with a step, `1-30/2`, or `5/2`: from 5 on. Several with commas between them. */
function valuesOf(field: string, range: Range): ReadonlySet<number> {
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const [span = '', stepText, ...more] = part.split('/');
    if (more.length > 0) throw fault(part, range);
    const step = stepText === undefined ? 1 : wholeNumber(stepText, part, range);
    if (step < 1) throw fault(part, range);
    const [from, to] = spanOf(span, stepText !== undefined, range);
    for (let value = from; value <= to; value += step) values.add(value);
  }
  return values;
}

function spanOf(span: string, hasStep: boolean, range: Range): readonly [from: number, to: number] {
  // Not 0 to 7, which would be Sunday twice.
  if (span === '*') return [range.least, range === WEEKDAY ? 6 : range.most];
  const ends = span.split('-');
  if (ends.length > 2) throw fault(span, range);
  const from = numberIn(ends[0] ?? '', range);
  const to = ends[1] === undefined ? (hasStep ? range.most : from) : numberIn(ends[1], range);
  // `FRI-SUN`: Sunday is the end of the week, too.
  const last = range === WEEKDAY && to === 0 && from > 0 ? 7 : to;
  if (last < from) throw fault(span, range);
  return [from, last];
}

function numberIn(text: string, range: Range): number {
  const named = range.names?.indexOf(text.toUpperCase()) ?? -1;
  if (named >= 0) return named + range.least;
  const value = wholeNumber(text, text, range);
  if (value < range.least || value > range.most) throw fault(text, range);
  return value;
}

function wholeNumber(text: string, part: string, range: Range): number {
  if (!/^\d{1,4}$/.test(text)) throw fault(part, range);
  return Number(text);
}

const fault = (text: string, { what, least, most }: Range): SyntaxError =>
  new SyntaxError(`the ${what} ${JSON.stringify(text)} is none: ${least} to ${most}`);

const ascending = (values: ReadonlySet<number>): number[] => [...values].sort((a, b) => a - b);

const weekdayOf = ({ year, month, day }: CivilDay): number =>
  new Date(Date.UTC(year, month - 1, day)).getUTCDay();

export const daysIn = ({ year, month }: Omit<CivilDay, 'day'>): number =>
  new Date(Date.UTC(year, month, 0)).getUTCDate();

/** The day from Monday to Friday in the same month that is nearest to a day. */
function workdayNear({ year, month }: CivilDay, day: number): number {
  const weekday = weekdayOf({ year, month, day });
  if (weekday === 6) return day > 1 ? day - 1 : day + 2;
  if (weekday === 0) return day < daysIn({ year, month }) ? day + 1 : day - 2;
  return day;
}
