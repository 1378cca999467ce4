/**
 * A date as sitemaps give it (W3C note "Date and Time Formats"): a year, with a month, a day, a time, each
 * optional, as `2005-01`, `2004-12-23T18:00:15+00:00`. In ms since the epoch: the first moment that it can
 * mean. A time without a zone, which the note does not allow and sites write, is UTC. Undefined for all else.
 */
export function parseW3cDatetime(text: string): number | undefined {
  const found = DATETIME.exec(text);
  if (found === null) return undefined;
  const [, year, month = '1', day = '1', hour = '0', minute = '0', second = '0', fraction = '0', zone] =
    found;
  const [y, mo, d] = [Number(year), Number(month), Number(day)];
  const [h, mi, s] = [Number(hour), Number(minute), Number(second)];
  if (mo < 1 || mo > 12 || d < 1 || d > daysOf(y, mo) || h > 23 || mi > 59 || s > 59) return undefined;
  // Date.UTC takes smaller years for those since 1900, and no document is so old.
  if (y < 100) return undefined;
  const offset = offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return Date.UTC(y, mo - 1, d, h, mi - offset, s, ms);
}

function daysOf(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

function offsetMinutes(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

const DATETIME =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?\s?([Zz]|[+-]\d\d:?\d\d)?)?)?)?$/;
