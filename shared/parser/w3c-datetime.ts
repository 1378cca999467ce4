/**
 * A date as sitemaps give it (W3C note "Date and Time Formats"): a year, with a month, a day, a time, each optional, as
 * `2005-01`, `2004-12-23T18:00:15+00:00`. In ms since the epoch: the first moment that it can mean. A time without a zone,
 * which the note does not allow and sites write, is UTC. Undefined for all else.
 */
export function parseW3cDatetime(text: string): number | undefined {
  const found = DATETIME.exec(text);
  if (found === null) return undefined;
  const [, year, month = '1', day = '1', hour = '0', minute = '0', second = '0', fraction = '0', zone] =
    found;
  const [y, mo, d] = [Number(year), Number(month), Number(day)];
  const [h, mi, s] = [Number(hour), Number(minute), Number(second)];
  if (y < 1 || h > 23 || mi > 59 || s > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(y, mo - 1, d);
  if (date.getUTCMonth() !== mo - 1 || date.getUTCDate() !== d) return undefined;
  const offset = offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const ms = Math.floor(Number(`0.${fraction}`) * 1000);
  return date.getTime() + ((h * 60 + mi - offset) * 60 + s) * 1000 + ms;
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
