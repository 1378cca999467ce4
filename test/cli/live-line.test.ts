import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { terminalOf } from '../../cli/drawn-line.ts';
import { createLiveLine, createRateMeter, type Progress, renderLive } from '../../cli/live-line.ts';

const PROGRESS: Progress = {
  pages: 1234,
  urls: 6354,
  waiting: 5120,
  hosts: 52,
  hostsActive: 8,
  hostsWaiting: 40,
  bytes: 31_000_000,
  errors: 3,
  startedAt: 0,
  now: 134_000,
  limits: { maxPages: 2000 },
  pagesPerSecond: 9.2,
};

/** A terminal that only remembers. */
function screen(isTTY: boolean, columns = 60) {
  const written: string[] = [];
  return { isTTY, columns, written, write: (text: string) => written.push(text) };
}

describe('one line shows the crawl', () => {
  test.each([
    [
      140,
      '1,234 pages  9.2/s  5,120 URLs waiting  8 hosts active  40 hosts waiting  31 MB  3 errors  2m 14s  ~1m 23s left',
    ],
    [100, '1,234 pages  9.2/s  5,120 URLs waiting  8 hosts active  31 MB  3 errors  2m 14s  ~1m 23s left'],
    [80, '1,234 pages  9.2/s  5,120 URLs waiting  3 errors  2m 14s  ~1m 23s left'],
    [60, '1,234 pages  9.2/s  5,120 URLs waiting  3 errors  2m 14s'],
    [40, '1,234 pages  9.2/s  3 errors  2m 14s'],
    [12, '1,234 pages'],
    [5, '1,234'],
    [0, ''],
  ])('with %d columns the least important parts are left out', (columns, line) => {
    expect(renderLive(PROGRESS, columns, false)).toBe(line);
  });

  test('never wider than the terminal, whatever the numbers, and the same text in colour', () => {
    const count = fc.oneof(fc.nat(), fc.maxSafeNat());
    const progress = fc.record({
      pages: count,
      urls: count,
      waiting: count,
      hosts: count,
      hostsActive: count,
      hostsWaiting: count,
      bytes: count,
      errors: count,
      startedAt: count,
      now: count,
      limits: fc.option(
        fc.record({ maxPages: count, maxBytes: count, endsAt: count }, { requiredKeys: [] }),
        { nil: undefined },
      ),
      pagesPerSecond: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: undefined }),
      bytesPerSecond: fc.option(fc.double({ min: 0, max: 1e12, noNaN: true }), { nil: undefined }),
    });
    fc.assert(
      fc.property(progress, fc.integer({ min: 0, max: 250 }), (seen, columns) => {
        const plain = renderLive(seen, columns, false);
        expect(plain.length).toBeLessThanOrEqual(columns);
        expect(plain).not.toMatch(/NaN|Infinity|undefined|-/);
        if (columns >= 40) {
          expect(plain).toMatch(/pages?/);
          if (seen.pagesPerSecond !== undefined) expect(plain).toContain('/s');
        }
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences are what is taken off
        expect(renderLive(seen, columns, true).replace(/\x1b\[\d+m/g, '')).toBe(plain);
      }),
    );
  });

  test.each([
    [{}, undefined],
    [{ endsAt: 144_000 }, '~10s left'],
    [{ endsAt: 1 }, '~0s left'],
    [{ maxPages: 1326, endsAt: 999_000 }, '~10s left'],
    [{ maxBytes: 32_000_000 }, '~20s left'],
  ])('the time left with limits %j is %s', (limits, left) => {
    const line = renderLive({ ...PROGRESS, limits, bytesPerSecond: 50_000 }, 200, false);
    if (left) expect(line).toContain(left);
    else expect(line).not.toContain('left');
  });
});

describe('the rate', () => {
  test('is that of the last ten seconds, not of the whole crawl', () => {
    const measure = createRateMeter();
    for (let now = 0; now <= 60_000; now += 100) measure({ now, pages: now, bytes: 0 });
    for (let now = 60_100; now < 70_000; now += 100) measure({ now, pages: 60_000, bytes: 0 });
    expect(measure({ now: 70_500, pages: 60_000, bytes: 0 })).toEqual({
      pagesPerSecond: 0,
      bytesPerSecond: 0,
    });
  });

  test('is unknown before there are two moments, and after the clock was set back', () => {
    const measure = createRateMeter();
    expect(measure({ now: 5000, pages: 100, bytes: 0 })).toEqual({});
    expect(measure({ now: 6000, pages: 107, bytes: 500 })).toEqual({
      pagesPerSecond: 7,
      bytesPerSecond: 500,
    });
    expect(measure({ now: 1000, pages: 120, bytes: 600 })).toEqual({});
    expect(measure({ now: 3000, pages: 130, bytes: 600 })).toEqual({ pagesPerSecond: 5, bytesPerSecond: 0 });
  });
});

describe('the live line on a stream', () => {
  test('is drawn over itself, stays below what is logged, and leaves nothing behind', () => {
    const stream = screen(true);
    const live = createLiveLine(stream, { NO_COLOR: '1' });
    live.update(PROGRESS);
    live.log('a.example: gone\x1b[2J');
    live.done();
    live.update({ ...PROGRESS, now: 999_000 });
    const line = '1,234 pages  9.2/s  5,120 URLs waiting  3 errors  2m 14s';
    expect(stream.written).toEqual([
      `\r\x1b[K${line}`,
      `\r\x1b[Ka.example: gone\ufffd[2J\n${line}`,
      '\r\x1b[K',
    ]);
  });

  test('is drawn ten times a second at most', () => {
    const stream = screen(true);
    const live = createLiveLine(stream, {});
    for (let ms = 0; ms < 1000; ms += 10) live.update({ ...PROGRESS, now: 134_000 + ms });
    expect(stream.written).toHaveLength(10);
  });

  test.each([
    ['a pipe', screen(false), {}],
    ['a dumb terminal', screen(true), { TERM: 'dumb' }],
  ])('is not there in %s, which gets the logged lines alone', (_, stream, environment) => {
    const live = createLiveLine(stream, environment);
    live.update(PROGRESS);
    live.log('a line');
    live.done();
    expect(stream.written).toEqual(['a line\n']);
  });

  test('where there is no terminal, it is printed once a minute', () => {
    const stream = screen(false);
    const live = createLiveLine(stream, {});
    for (let second = 0; second <= 130; second++)
      live.update({ ...PROGRESS, now: PROGRESS.now + 1000 * second, pages: PROGRESS.pages + second });
    expect(stream.written).toEqual([
      expect.stringMatching(/^1,294 pages /),
      expect.stringMatching(/^1,354 pages /),
    ]);
  });

  test('says that the crawl starts while no URL is known, and not that none waits', () => {
    const line = renderLive(
      { ...PROGRESS, pages: 0, urls: 0, waiting: 0, hostsActive: 0, hostsWaiting: 0 },
      200,
      false,
    );
    expect(line).toMatch(/^0 pages .*starting/);
    expect(line).not.toMatch(/waiting|active/);
  });

  test.each([
    [true, {}, { isLive: true, colour: true }],
    [true, { NO_COLOR: '' }, { isLive: true, colour: true }],
    [true, { NO_COLOR: '0' }, { isLive: true, colour: false }],
    [true, { TERM: 'dumb' }, { isLive: false, colour: false }],
    [false, {}, { isLive: false, colour: false }],
  ])('a terminal (%s) with %j can show %j', (isTTY, environment, shown) => {
    expect(terminalOf({ isTTY }, environment)).toEqual(shown);
  });
});
