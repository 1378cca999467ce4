/** Dates in workbooks are numbers; the format of a cell shows that it is one (ECMA-376, part 1, section 18.8.30). */
import { readXml } from './xml-events.ts';

/** Formats that every program knows by their numbers. */
const isBuiltIn = (id: number): boolean => (id >= 14 && id <= 22) || (id >= 45 && id <= 47);

/** Returns for each style of a cell whether it shows a date. `styles`: the part. */
export function dateFormats(styles: Uint8Array): boolean[] {
  const own = new Map<number, boolean>();
  const isDate: boolean[] = [];
  readXml(styles, {
    start(name, attribute, parents) {
      const id = Number(attribute('numfmtid') ?? 0);
      if (name === 'numFmt') own.set(id, isDateFormat((attribute('formatcode') ?? '').slice(0, 255)));
      else if (name === 'xf' && parents.at(-1) === 'cellXfs') isDate.push(own.get(id) ?? isBuiltIn(id));
    },
  });
  return isDate;
}

/** A format with a day, a month, a year or a time outside of quotes and brackets. */
const isDateFormat = (format: string): boolean =>
  // linear: a format has at most 255 characters
  /[dmyhs]/i.test(format.replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''));

const DAY_MS = 86_400_000;
/** Day 0, moved by the 29 February 1900 that there was only in Lotus 1-2-3. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);

/** `2026-11-25`, or with a time `2026-11-25T10:30:00`; undefined for a number that is no day. */
export function isoDate(days: number, has1904Dates: boolean): string | undefined {
  if (!(days >= 0 && days < 2_958_466)) return undefined;
  const epoch = has1904Dates ? EPOCH_1904 : EPOCH_1900;
  const iso = new Date(epoch + Math.round(days * 86_400) * 1000).toISOString().slice(0, 19);
  if (days < 1) return iso.slice(11);
  return Math.round((days % 1) * DAY_MS) < 500 ? iso.slice(0, 10) : iso;
}
