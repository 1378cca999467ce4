import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { createHostConfigs } from '../../../shared/core/crawl/host-config.ts';
import {
  allowedFrom,
  allowedShare,
  daysFault,
  type HostHours,
  hoursFault,
  hoursText,
  latestOpening,
} from '../../../shared/core/crawl/host-hours.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const at = (text: string): number => Date.parse(text);
const from = (settings: HostHours, text: string): string =>
  new Date(allowedFrom(settings, at(text))).toISOString().slice(0, 16);

test.each<[HostHours, string, string]>([
  // 2026-11-26 is a Thursday.
  [{ hours: '09:00-17:00' }, '2026-11-26T08:00Z', '2026-11-26T09:00'],
  [{ hours: '09:00-17:00' }, '2026-11-26T12:30Z', '2026-11-26T12:30'],
  [{ hours: '09:00-17:00' }, '2026-11-26T17:00Z', '2026-11-27T09:00'],
  [{ hours: '22-6' }, '2026-11-26T12:00Z', '2026-11-26T22:00'],
  [{ hours: '22-6' }, '2026-11-26T05:59Z', '2026-11-26T05:59'],
  [{ hours: '22:00-24:00' }, '2026-11-26T00:00Z', '2026-11-26T22:00'],
  [{ hours: '22:00-0' }, '2026-11-26T23:59Z', '2026-11-26T23:59'],
  [{ hours: '1-2, 9:30-12' }, '2026-11-26T03:00Z', '2026-11-26T09:30'],
  [{ days: 'mon-fri' }, '2026-11-28T08:00Z', '2026-11-30T00:00'],
  [{ days: 'Sat, SUN' }, '2026-11-26T08:00Z', '2026-11-28T00:00'],
  [{ days: 'sun-tue' }, '2026-11-26T08:00Z', '2026-11-29T00:00'],
  [{ days: 'thu' }, '2026-11-27T00:00Z', '2026-12-03T00:00'],
  // Friday's night goes on until Saturday morning, and Sunday has none.
  [{ days: 'mon-fri', hours: '22:00-06:00' }, '2026-11-28T05:00Z', '2026-11-28T05:00'],
  [{ days: 'mon-fri', hours: '22:00-06:00' }, '2026-11-30T05:00Z', '2026-11-30T22:00'],
  [{ days: 'sun', hours: '22:00-06:00' }, '2026-11-30T05:00Z', '2026-11-30T05:00'],
  [{ hours: '22:00-06:00', timeZone: 'Europe/Berlin' }, '2026-11-26T12:00Z', '2026-11-26T21:00'],
  [{ hours: '22:00-06:00', timeZone: 'Europe/Berlin' }, '2026-07-01T12:00Z', '2026-07-01T20:00'],
  [{ hours: '9-17', timeZone: 'Asia/Kathmandu' }, '2026-11-26T00:00Z', '2026-11-26T03:15'],
  // Berlin skips 02:00 to 03:00 on 29 March 2026, a Sunday, and has it twice on 25 October.
  [{ hours: '2-4', timeZone: 'Europe/Berlin' }, '2026-03-29T00:00Z', '2026-03-29T01:00'],
  [{ hours: '2-3', timeZone: 'Europe/Berlin' }, '2026-03-29T00:00Z', '2026-03-30T00:00'],
  [{ hours: '2-3', days: 'sun', timeZone: 'Europe/Berlin' }, '2026-03-22T02:00Z', '2026-04-05T00:00'],
  [{ hours: '3-4', timeZone: 'Europe/Berlin' }, '2026-03-29T00:30Z', '2026-03-29T01:00'],
  [{ hours: '2:30-3', timeZone: 'Europe/Berlin' }, '2026-10-25T00:10Z', '2026-10-25T00:30'],
  [{ hours: '2:30-3', timeZone: 'Europe/Berlin' }, '2026-10-25T01:00Z', '2026-10-25T01:30'],
  // Samoa had no 30 December 2011.
  [{ days: 'fri', timeZone: 'Pacific/Apia' }, '2011-12-29T00:00Z', '2012-01-05T10:00'],
  [{}, '2026-11-26T08:00Z', '2026-11-26T08:00'],
  [{ timeZone: 'Asia/Tokyo' }, '2026-11-26T08:00Z', '2026-11-26T08:00'],
])('%o after %s is %s', (settings, after, expected) => {
  expect(from(settings, after)).toBe(expected);
});

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Apia',
];
const QUARTER = 15 * MINUTE;

/** Ranges between quarters of an hour, as are all offsets of the zones: what holds at one of them holds until the next. */
const ranges = fc.uniqueArray(
  fc.tuple(fc.nat(95), fc.nat(95)).filter(([a, b]) => a !== b),
  { minLength: 1, maxLength: 3, selector: String },
);
const settings = fc.record({
  zone: fc.constantFrom(...ZONES),
  ranges,
  days: fc.subarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1 }),
});
/** A week before or after a change of clocks of one of the zones, to the millisecond. */
const moments = fc
  .tuple(
    fc.constantFrom(
      '2026-03-29T01:00Z',
      '2026-10-25T01:00Z',
      '2026-04-04T15:00Z',
      '2026-11-01T06:00Z',
      '2011-12-30T10:00Z',
    ),
    fc.integer({ min: -7 * DAY, max: 7 * DAY }),
  )
  .map(([change, ms]) => at(change) + ms);

/** By the words of the settings, and by what `Intl` says that the clocks show. */
function createCheck(zone: string, ranges: readonly (readonly [number, number])[], days: readonly number[]) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (moment: number): boolean => {
    const [, weekday = '', hour, minute] = /^(\w+),? (\d+):(\d+)$/.exec(format.format(moment)) ?? [];
    const day = DAYS.indexOf(weekday.toLowerCase());
    const quarter = Math.floor((Number(hour) * 60 + Number(minute)) / 15);
    return ranges.some(([begin, end]) =>
      begin < end
        ? days.includes(day) && quarter >= begin && quarter < end
        : (days.includes(day) && quarter >= begin) || (days.includes((day + 6) % 7) && quarter < end),
    );
  };
}

const clockText = (quarter: number): string =>
  `${String(Math.floor(quarter / 4)).padStart(2, '0')}:${String((quarter % 4) * 15).padStart(2, '0')}`;

test('the next allowed moment is allowed, and no allowed moment lies between, also where clocks change', () => {
  fc.assert(
    fc.property(settings, moments, ({ zone, ranges, days }, moment) => {
      const isAllowed = createCheck(zone, ranges, days);
      const found = allowedFrom(
        {
          hours: ranges.map((ends) => ends.map(clockText).join('-')).join(),
          days: days.map((day) => DAYS[day]).join(),
          timeZone: zone,
        },
        moment,
      );
      expect(isAllowed(found)).toBe(true);
      if (isAllowed(moment)) {
        expect(found).toBe(moment);
        return;
      }
      for (let between = Math.ceil(moment / QUARTER) * QUARTER; between < found; between += QUARTER)
        expect(isAllowed(between)).toBe(false);
      expect(found % QUARTER).toBe(0);
    }),
    { numRuns: 200 },
  );
});

test('no host waits longer than the crawl believes', () => {
  const config = parseConfig({
    overrides: [{ hosts: ['a.test'], hours: '02:00-03:00', days: 'sun', timeZone: 'Europe/Berlin' }],
  });
  const [settings = {}] = config.overrides;
  const begin = at('2026-03-22T02:00Z');
  expect(latestOpening(config, begin)).toBe(allowedFrom(settings, begin));
  expect(latestOpening(parseConfig({ overrides: [{ hosts: ['a.test'], delayMs: 0 }] }), begin)).toBe(begin);
});

test('the last opening of a crawl is that of any host, whatever overrides mean it together', () => {
  const hours = ['22:00-23:00', '02:00-03:00', undefined];
  const days = ['sun', 'mon-fri', undefined];
  const zones = ['Asia/Tokyo', 'America/New_York', undefined];
  const one = fc.record({
    hours: fc.constantFrom(...hours),
    days: fc.constantFrom(...days),
    timeZone: fc.constantFrom(...zones),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 4 }), fc.nat(20 * 86_400), (settings, second) => {
      const moment = at('2026-03-20T00:00Z') + second * 1000;
      const overrides = settings.map((setting) => ({ hosts: ['a.test'], ...setting }));
      const config = parseConfig({ overrides });
      const latest = latestOpening(config, moment);
      expect(latest).toBeGreaterThanOrEqual(moment);
      expect(allowedFrom(createHostConfigs(config)('a.test'), moment)).toBeLessThanOrEqual(latest);
    }),
    { numRuns: 200 },
  );
  // Too many to look at: two weeks and a day.
  const many = Array.from({ length: 30 }, (_, i) => ({
    hosts: [`h${i}.test`],
    hours: `${i % 23}:00-${(i % 23) + 1}:00`,
    timeZone: i % 2 ? 'UTC' : 'Asia/Tokyo',
    days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'][i % 7],
  }));
  const begin = at('2026-03-20T00:00Z');
  expect(latestOpening(parseConfig({ overrides: many }), begin) - begin).toBe(15 * 86_400_000);
});

test('the part of a week', () => {
  expect(allowedShare({})).toBe(1);
  expect(allowedShare({ hours: '22:00-06:00' })).toBeCloseTo(1 / 3);
  expect(allowedShare({ days: 'sat,sun', hours: '0-12, 6-18' })).toBeCloseTo((2 * 18) / 168);
  expect(hoursText({ hours: '22:00-06:00', days: 'mon-fri', timeZone: 'Europe/Berlin' })).toBe(
    'mon-fri 22:00-06:00 Europe/Berlin',
  );
});

describe('what is wrong', () => {
  test.each([
    ['25-26', '"25" is not a time of the day: write 00:00 to 24:00'],
    ['9:60-10', '"9:60" is not a time of the day: write 00:00 to 24:00'],
    ['9', '"9" is not a range: write it as 22:00-06:00'],
    ['', '"" is not a range: write it as 22:00-06:00'],
    ['9-10-11', '"9-10-11" is not a range: write it as 22:00-06:00'],
    ['9-17,', '"" is not a range: write it as 22:00-06:00'],
    ['9-9', '"9-9" is empty: write all hours as 00:00-24:00'],
    ['09:00-09:10', '"09:00-09:10" is too short: a range has 15 minutes at least'],
    ['9-10,'.repeat(200), 'it has more than 100 ranges'],
    ['9-10,'.repeat(400), 'it is longer than 1500 characters'],
  ])('hours %s', (text, expected) => {
    expect(hoursFault(text)).toBe(expected);
  });

  test.each([
    ['montag', '"montag" is not a day: write mon, tue, wed, thu, fri, sat or sun'],
    ['', '"" is not a day: write mon, tue, wed, thu, fri, sat or sun'],
    ['mon-tue-wed', '"mon-tue-wed" is not a range: write mon-fri'],
  ])('days %s', (text, expected) => {
    expect(daysFault(text)).toBe(expected);
  });

  test('the message names the override and the setting', () => {
    const override = { hosts: ['a.test'], hours: '9', days: 'montag', timeZone: 'Berlin' };
    const parse = () => parseConfig({ overrides: [override] });
    expect(parse).toThrow('ranges of hours such as 22:00-06:00: "9" is not a range');
    expect(parse).toThrow('days such as mon-fri: "montag" is not a day');
    expect(parse).toThrow('a time zone, such as Europe/Berlin');
    expect(parse).toThrow('overrides.0.hours');
  });
});
