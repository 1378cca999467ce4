import { expect, test } from 'vitest';
import { parseCron } from '../../../shared/core/crawl/cron.ts';
import { parseSchedule, scheduleFault } from '../../../shared/core/crawl/schedule.ts';
import { timeZone } from '../../../shared/core/crawl/time-zone.ts';

const at = (text: string): number => Date.parse(text);

function timesOf(expression: string, zone: string, from: string, count: number): string[] {
  const schedule = parseSchedule(expression, zone);
  const times: string[] = [];
  for (let time: number | undefined = at(from); times.length < count && time !== undefined; ) {
    time = schedule.next(time);
    if (time !== undefined) times.push(new Date(time).toISOString().slice(0, 16));
  }
  return times;
}

test.each([
  ['0 6 * * 1-5', ['2026-11-27T06:00', '2026-11-30T06:00', '2026-12-01T06:00']],
  ['*/20 3 * * *', ['2026-11-27T03:00', '2026-11-27T03:20', '2026-11-27T03:40']],
  ['15,45 */12 1 jan-mar *', ['2027-01-01T00:15', '2027-01-01T00:45', '2027-01-01T12:15']],
  ['0 0 * * 7', ['2026-11-29T00:00', '2026-12-06T00:00', '2026-12-13T00:00']],
  ['0 0 * * fri-sun', ['2026-11-27T00:00', '2026-11-28T00:00', '2026-11-29T00:00']],
  ['@monthly', ['2026-12-01T00:00', '2027-01-01T00:00', '2027-02-01T00:00']],
  // Either of the two fields of days, unless one begins with a star.
  ['0 0 1 * mon', ['2026-11-30T00:00', '2026-12-01T00:00', '2026-12-07T00:00']],
  ['0 0 */2 * mon', ['2026-12-07T00:00', '2026-12-21T00:00', '2027-01-11T00:00']],
  ['0 0 29 2 *', ['2028-02-29T00:00', '2032-02-29T00:00', '2036-02-29T00:00']],
  ['0 0 L * ?', ['2026-11-30T00:00', '2026-12-31T00:00', '2027-01-31T00:00']],
  ['0 0 ? * tue#2', ['2026-12-08T00:00', '2027-01-12T00:00', '2027-02-09T00:00']],
  ['0 0 ? * 5L', ['2026-11-27T00:00', '2026-12-25T00:00', '2027-01-29T00:00']],
  // The 1st is a Sunday in November 2026, the 15th a Sunday, and a Friday in January.
  ['0 0 1W * *', ['2026-12-01T00:00', '2027-01-01T00:00', '2027-02-01T00:00']],
  ['0 0 LW * *', ['2026-11-30T00:00', '2026-12-31T00:00', '2027-01-29T00:00']],
  ['cron(0 6 ? * MON-FRI *)', ['2026-11-27T06:00', '2026-11-30T06:00', '2026-12-01T06:00']],
  ['cron(0/30 8 ? * 2 *)', ['2026-11-30T08:00', '2026-11-30T08:30', '2026-12-07T08:00']],
  ['cron(0 0 1 1 ? 2027,2029)', ['2027-01-01T00:00', '2029-01-01T00:00']],
])('%s', (expression, expected) => {
  expect(timesOf(expression, 'UTC', '2026-11-26T12:00Z', 3)).toEqual(expected);
});

test('is by the clocks of the zone, in summer and in winter', () => {
  expect(timesOf('0 6 * * *', 'Europe/Berlin', '2026-10-23T12:00Z', 3)).toEqual([
    '2026-10-24T04:00',
    '2026-10-25T05:00',
    '2026-10-26T05:00',
  ]);
  expect(timesOf('30 9 * * *', 'Asia/Kathmandu', '2026-10-23T12:00Z', 1)).toEqual(['2026-10-24T03:45']);
});

test('a time that the clocks skip counts as the end of the gap', () => {
  // Berlin goes from 02:00 to 03:00 on 29 March 2026.
  expect(timesOf('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 2)).toEqual([
    '2026-03-29T01:00',
    '2026-03-30T00:30',
  ]);
  expect(timesOf('*/20 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 2)).toEqual([
    '2026-03-29T01:00',
    '2026-03-30T00:00',
  ]);
  // Samoa had no 30 December 2011.
  expect(timesOf('0 12 30 12 *', 'Pacific/Apia', '2011-12-01T00:00Z', 1)).toEqual(['2011-12-30T10:00']);
});

test('a time that comes twice counts once, and each hour counts', () => {
  // Berlin goes from 03:00 back to 02:00 on 25 October 2026.
  expect(timesOf('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', 2)).toEqual([
    '2026-10-25T00:30',
    '2026-10-26T01:30',
  ]);
  expect(timesOf('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30Z', 4)).toEqual([
    '2026-10-25T00:00',
    '2026-10-25T01:00',
    '2026-10-25T02:00',
    '2026-10-25T03:00',
  ]);
  // Lord Howe Island goes back by half an hour.
  expect(timesOf('*/30 * * * *', 'Australia/Lord_Howe', '2026-04-04T14:00Z', 4)).toEqual([
    '2026-04-04T14:30',
    '2026-04-04T15:00',
    '2026-04-04T15:30',
    '2026-04-04T16:00',
  ]);
});

test('each time is one that the clocks show, and none is left out', () => {
  const HOUR = 3_600_000;
  const expressions = ['7 */5 * * *', '0 6 * * 1-5', '*/25 1-3 * * *', '30 2 13 * fri', '15 * */3 * *'];
  const zones = ['Europe/Berlin', 'America/New_York', 'America/St_Johns', 'Africa/Casablanca', 'Asia/Tokyo'];
  for (const zone of zones)
    for (const expression of expressions) {
      const { hours, minutes, hasDay } = parseCron(expression);
      const { offsetAt } = timeZone(zone);
      for (const from of ['2026-03-28T00:00Z', '2026-10-24T00:00Z', '2026-11-12T00:00Z'].map(at)) {
        const shown: number[] = [];
        const changes: number[] = [];
        for (let hour = from; hour < from + 48 * HOUR; hour += HOUR / 2) {
          const offset = offsetAt(hour);
          if (offset !== offsetAt(hour - HOUR / 2)) changes.push(hour);
          for (let time = hour; time < hour + HOUR / 2; time += 60_000) {
            const clock = new Date(time + offset);
            const [year, month, day] = [clock.getUTCFullYear(), clock.getUTCMonth() + 1, clock.getUTCDate()];
            const isNamed = hours.includes(clock.getUTCHours()) && minutes.includes(clock.getUTCMinutes());
            if (isNamed && hasDay({ year, month, day })) shown.push(time);
          }
        }
        const found: number[] = [];
        const schedule = parseSchedule(expression, zone);
        for (let time = schedule.next(from - 1); time !== undefined && time < from + 48 * HOUR; )
          time = schedule.next(found[found.push(time) - 1] as number);
        // The tests above say what is expected around a change of the clocks.
        const isFar = (time: number) => changes.every((change) => Math.abs(time - change) > HOUR);
        expect(found.filter(isFar), `${expression} in ${zone}`).toEqual(shown.filter(isFar));
      }
    }
});

test.each([
  ['0 6 * *', 'five fields'],
  ['0 0 6 * * 1-5', 'five fields'],
  ['cron(0 6 * * *)', 'six fields'],
  ['60 6 * * *', 'the minute "60" is none: 0 to 59'],
  ['0 6 * * mo', 'the day of the week "MO"'],
  ['0 6 31-1 * *', 'the day of the month "31-1"'],
  ['*/0 * * * *', 'the minute "*/0"'],
  ['0 0 30 2 *', 'no day is one of these'],
  ['7d', 'five fields'],
  ['', 'five fields'],
])('refuses %s', (expression, why) => {
  expect(scheduleFault(expression)).toContain(why);
});

test('refuses what is too long to be one', () => {
  expect(scheduleFault(`${'1,'.repeat(400)}1 * * * *`)).toContain('longer than 300');
});

test('refuses a zone that is none', () => {
  expect(() => parseSchedule('@daily', 'Europe/Berlinn')).toThrow(RangeError);
});
