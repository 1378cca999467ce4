/** Retry-After (RFC 9110, section 10.2.3): seconds, or a date in one of three forms (section 5.6.7). */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const TIME = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)';
const MONTH = `(?<month>${MONTHS.join('|')})`;
const DATE_FORMS = [
  // IMF-fixdate: Sun, 06 Nov 1994 08:49:37 GMT
  // linear: all parts have a fixed length.
  new RegExp(`^(?:mon|tue|wed|thu|fri|sat|sun), (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} gmt$`, 'i'),
  // RFC 850: Sunday, 06-Nov-94 08:49:37 GMT
  // linear: all parts have a fixed length.
  new RegExp(
    `^(?:mon|tues|wednes|thurs|fri|satur|sun)day, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} gmt$`,
    'i',
  ),
  // asctime: Sun Nov  6 08:49:37 1994
  // linear: all parts have a fixed length.
  new RegExp(`^(?:mon|tue|wed|thu|fri|sat|sun) ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`, 'i'),
];

/** No server means a wait of 30 years: the number is the time itself, in seconds or milliseconds since the epoch. */
const LEAST_EPOCH_SECONDS = 1e9;
const LEAST_EPOCH_MS = 1e12;

/**
 * Milliseconds from `now` on, unlimited; 0 for a date that is past; undefined for no value or none that is
 * valid.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d+$/.test(text)) return msOfNumber(Number(text), now);
  const at = parseHttpDate(text, now);
  return at === undefined ? undefined : Math.max(0, at - now);
}

function msOfNumber(number: number, now: number): number {
  if (number < LEAST_EPOCH_SECONDS) return number * 1000;
  const at = number < LEAST_EPOCH_MS ? number * 1000 : number;
  return Math.min(Math.max(0, at - now), Number.MAX_SAFE_INTEGER);
}

/** The weekday is not compared with the date: a wrong weekday does not shorten the wait. */
function parseHttpDate(text: string, now: number): number | undefined {
  for (const form of DATE_FORMS) {
    const parts = form.exec(text)?.groups;
    if (parts === undefined) continue;
    const [day, hour, minute, second] = [parts.day, parts.hour, parts.minute, parts.second].map(Number);
    const month = MONTHS.indexOf(parts.month!.toLowerCase());
    const year = parts.year!.length === 2 ? fullYear(Number(parts.year), now) : Number(parts.year);
    const date = new Date(Date.UTC(year, month, day));
    // The 31st of a shorter month would roll over into the next. A leap second is :60.
    const isValid = date.getUTCDate() === day && hour! < 24 && minute! < 60 && second! <= 60;
    return isValid ? date.getTime() + ((hour! * 60 + minute!) * 60 + second!) * 1000 : undefined;
  }
  return undefined;
}

/**
 * A year of two digits that seems more than 50 years ahead is of the century before (RFC 9110, section
 * 5.6.7).
 */
function fullYear(twoDigits: number, now: number): number {
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
