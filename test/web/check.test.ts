import { describe, expect, test } from 'vitest';
import { checkLog } from './check.ts';
import { PLAIN } from './features.ts';
import { generateWeb, type Web } from './graph.ts';
import type { LogEntry } from './server.ts';
import { closure } from './truth.ts';

describe('the judge', () => {
  const web: Web = generateWeb({ seed: 1, hosts: 1, pagesPerHost: 1, features: PLAIN });
  const truth = closure(web, { seeds: web.seeds, scope: 'host', robotsAgent: 'Strand' });
  const log = (
    ...entries: [path: string, startedAt: number, endedAt: number, more?: Partial<LogEntry>][]
  ): LogEntry[] =>
    entries.map(([path, startedAt, endedAt, more], index) => ({
      index,
      host: 'h0.test',
      path,
      method: 'GET',
      userAgent: '',
      startedAt,
      endedAt,
      status: path === '/robots.txt' ? 404 : 200,
      ...more,
    }));

  test.each([
    ['nothing wrong', log(['/robots.txt', 0, 5], ['/', 105, 110]), []],
    ['a gap within the tolerance', log(['/robots.txt', 0, 5], ['/', 103.5, 110]), []],
    ['a gap beyond it', log(['/robots.txt', 0, 5], ['/', 102, 110]), ['requested 97.0 ms after']],
    [
      'an overlap',
      log(['/robots.txt', 0, 5], ['/', 4, 110]),
      ['requested before robots.txt', '2 requests in flight'],
    ],
    ['no robots.txt', log(['/', 4, 110]), ['requested before robots.txt']],
    [
      'robots.txt failed',
      log(['/robots.txt', 0, 5, { status: 503 }], ['/', 105, 110]),
      ['requested before robots.txt'],
    ],
    [
      'robots.txt twice',
      log(['/robots.txt', 0, 5], ['/robots.txt', 200, 205], ['/', 305, 310]),
      ['requested 2 times'],
    ],
    ['nothing at all', [], ['never requested']],
    [
      'another spelling',
      log(['/robots.txt', 0, 5], ['/', 105, 110], ['/./', 210, 215]),
      ['requested 2 times'],
    ],
    [
      'an unknown URL',
      log(['/robots.txt', 0, 5], ['/', 105, 110], ['/no', 210, 215]),
      ['must not be requested'],
    ],
    [
      'an unknown host',
      log(['/robots.txt', 0, 5], ['/', 105, 110], ['/', 0, 1, { host: 'x.test' }]),
      ['must not be requested'],
    ],
    [
      'given up, noticed late',
      log(['/robots.txt', 0, 130, { isAborted: true, status: 404 }], ['/', 120, 125]),
      ['requested before', 'requested 40.0 ms after'],
    ],
    [
      'still in flight',
      log(['/robots.txt', 0, 5], ['/', 105, Infinity], ['/', 210, 215]),
      ['requested 2 times', '2 requests in flight'],
    ],
  ])('says about %s what is wrong with it', (_name, entries, wrongs) => {
    const found = checkLog(web, entries, { truth, delayMs: 100 });
    expect(found).toHaveLength(wrongs.length);
    for (const wrong of wrongs) expect(found.join('\n')).toContain(wrong);
  });

  test('excuses one repetition at once after a closed connection, if asked to', () => {
    const closed = { status: 0 };
    const once = log(['/robots.txt', 0, 5], ['/', 105, 110, closed], ['/', 111, 115]);
    const more = log(
      ['/robots.txt', 0, 5],
      ['/', 105, 110, closed],
      ['/', 111, 115, closed],
      ['/', 116, 120],
    );
    const options = { truth, delayMs: 100, allowReconnect: true };
    expect(checkLog(web, once, options)).toEqual([]);
    expect(checkLog(web, once, { ...options, allowReconnect: false })).toHaveLength(2);
    expect(checkLog(web, more, options)).toHaveLength(2);
  });

  test('excuses repeats, and unfinished work, if asked to', () => {
    const twice = log(['/robots.txt', 0, 5], ['/', 105, 110], ['/', 210, 215]);
    expect(checkLog(web, twice, { truth, allowRepeats: ({ index }) => index === 2 })).toEqual([]);
    expect(checkLog(web, [], { truth, isComplete: false })).toEqual([]);
  });
});
