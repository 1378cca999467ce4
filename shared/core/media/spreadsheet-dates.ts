/** Dates in workbooks are numbers; the format of a cell shows that it is one (ECMA-376, part 1, section 18.8.30). */
import { readXml } from './xml-events.ts';

/** Formats that every program knows by their numbers. */
function builtIn(id: number): TimeFormat | undefined {
  if (id === 46) return 'duration';
  return (id >= 14 && id <= 22) || id === 45 || id === 47 ? 'date' : undefined;
}

/** A date or a time of day, or a time that something took, which may have more than 24 hours. */
export type TimeFormat = 'date' | 'duration';

/** Returns for each style of a cell whether it shows one. `styles`: the part. */
export function timeFormats(styles: Uint8Array): (TimeFormat | undefined)[] {
  const own = new Map<number, TimeFormat | undefined>();
  const formats: (TimeFormat | undefined)[] = [];
  readXml(styles, {
    start(name, attribute, parents) {
      const id = Number(attribute('numfmtid') ?? 0);
      if (name === 'numFmt') own.set(id, formatOf((attribute('formatcode') ?? '').slice(0, 255)));
      else if (name === 'xf' && parents.at(-1) === 'cellXfs')
        formats.push(own.has(id) ? own.get(id) : builtIn(id));
    },
  });
  return formats;
}

/** By a day, a month, a year or a time outside of quotes and brackets; `[h]`, `[mm]` and `[ss]` do not begin again at 24 or 60. */
function formatOf(format: string): TimeFormat | undefined {
  // linear: a format has at most 255 characters
  const shown = format.replace(/"[^"]*"|\\./g, '');
  if (/\[(?:h{1,9}|m{1,9}|s{1,9})\]/i.test(shown)) return 'duration';
  // linear: a format has at most 255 characters
  return /[dmyhs]/i.test(shown.replace(/\[[^\]]*\]/g, '')) ? 'date' : undefined;
}

const DAY_MS = 86_400_000;
/** Day 0, moved by the 29 February 1900 that there was only in Lotus 1-2-3. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);

/** `2026-11-25`, or with a time `2026-11-25T10:30:00`; undefined for a number that is not a day. */
export function isoDate(days: number, has1904Dates: boolean): string | undefined {
  if (!(days >= 0 && days < 2_958_466)) return undefined;
  const epoch = has1904Dates ? EPOCH_1904 : EPOCH_1900;
  const iso = new Date(epoch + Math.round(days * 86_400) * 1000).toISOString().slice(0, 19);
  if (days < 1) return iso.slice(11);
  return Math.round((days % 1) * DAY_MS) < 500 ? iso.slice(0, 10) : iso;
}

/** `30:05:00`, `-0:00:01.5`; undefined for a text that is not a number of days. */
export function durationText(days: number): string | undefined {
  if (!(Math.abs(days) < 100_000_000)) return undefined;
  const ms = Math.round(Math.abs(days) * DAY_MS);
  const [hours, minutes, seconds] = [
    Math.floor(ms / 3_600_000),
    Math.floor(ms / 60_000) % 60,
    Math.floor(ms / 1000) % 60,
  ];
  const fraction =
    ms % 1000 === 0
      ? ''
      : `.${String(ms % 1000)
          .padStart(3, '0')
          .replace(/0{1,2}$/, '')}`;
  const twoDigits = [minutes, seconds].map((part) => String(part).padStart(2, '0'));
  return `${days < 0 && ms > 0 ? '-' : ''}${hours}:${twoDigits.join(':')}${fraction}`;
}
