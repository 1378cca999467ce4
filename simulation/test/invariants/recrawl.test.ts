import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { T0 } from '../../models/virtual-time.ts';
import type { WebRequest } from '../../worlds/spec.ts';
import {
  crawlFacts,
  headAt,
  hostWith,
  makeFacts,
  PAGE,
  ROBOTS,
  request,
  struck,
  urlRecord,
  violationsOf,
} from './made-facts.ts';

const EVERY = 600;
const totals = (requests: number) => ({ ...NEW_HEAD.totals, requests });

/** Requests for the page at these seconds; `counted`: those that the head counts, robots.txt included. */
function factsOf(
  at: readonly number[],
  {
    counted = at.length + 1,
    record = fetchedAt(at.at(-1) ?? 0),
    files,
    strikes = struck(),
    stoppedAt = 3000,
  }: {
    readonly counted?: number;
    readonly record?: UrlRecord;
    readonly files?: ReadonlyMap<string, Uint8Array>;
    readonly strikes?: ReturnType<typeof struck>;
    readonly stoppedAt?: number;
  } = {},
) {
  const answers: Partial<WebRequest>[] = at.map((_, i) => (i === 0 ? {} : { httpStatus: 304 }));
  const log = [
    request(ROBOTS, 0, 0.1, { httpStatus: 404 }),
    ...at.map((seconds, i) => request(PAGE, seconds, seconds + 0.1, answers[i])),
  ];
  const heads = [headAt(2900, undefined, { totals: totals(counted) })];
  const crawl = hostWith(heads, [record], { recrawlEveryMs: EVERY * 1000 });
  const statuses = [{ ...crawlFacts().statuses[0], status: 'stopped', at: T0 + stoppedAt * 1000 }];
  return makeFacts({
    log,
    crawls: [{ ...crawl, statuses, files: files ?? archiveOf(at) } as typeof crawl],
    strikes,
  });
}

const fetchedAt = (seconds: number, dueIn = EVERY): UrlRecord => {
  const record = urlRecord(PAGE, 'fetched', 200, { attempts: 0, dueAt: T0 + (seconds + dueIn) * 1000 });
  return { ...record, result: { ...record.result, fetchedAt: T0 + seconds * 1000 } };
};

/** A response and its revisits. */
function archiveOf(at: readonly number[], refersTo = at[0] ?? 0): Map<string, Uint8Array> {
  const date = (seconds: number) => new Date(T0 + seconds * 1000).toISOString();
  const records = at.map((seconds, i) => {
    const isFirst = i === 0;
    const block = isFirst ? 'HTTP/1.1 200 OK\r\n\r\nText' : '';
    const fields = [
      'WARC/1.1',
      `WARC-Type: ${isFirst ? 'response' : 'revisit'}`,
      `WARC-Target-URI: ${PAGE}`,
      `WARC-Date: ${date(seconds)}`,
      'WARC-Payload-Digest: sha1:AAAA',
      ...(isFirst
        ? []
        : [
            `WARC-Refers-To-Target-URI: ${PAGE}`,
            `WARC-Refers-To-Date: ${date(refersTo)}`,
            'WARC-Truncated: length',
          ]),
      `Content-Length: ${block.length}`,
    ];
    return gzipSync(`${fields.join('\r\n')}\r\n\r\n${block}\r\n\r\n`);
  });
  return new Map([['a.warc.gz', Buffer.concat(records)]]);
}

describe('refetched', () => {
  test('a page may be requested again after its interval', () => {
    expect(violationsOf('refetched', factsOf([10, 611, 1220, 2000]))).toEqual([]);
  });

  test('a request before it is found', () => {
    expect(violationsOf('refetched', factsOf([10, 611, 900, 2000]))).toEqual([
      `refetched: crawl: ${PAGE} was answered with 304 T0+611.000 s and requested again 289.000 s later, expected 600.000 s; 0 requests were lost with their turns`,
    ]);
  });

  test('unless its turn may have been lost', () => {
    const strikes = struck('workerKilled');
    expect(violationsOf('refetched', factsOf([10, 611, 900, 2000], { counted: 4, strikes }))).toEqual([]);
    expect(violationsOf('refetched', factsOf([10, 611, 900, 2000], { strikes }))).toHaveLength(1);
  });

  test('a page that has been due for long at the end is found, and one with a due time that is not its own', () => {
    expect(violationsOf('refetched', factsOf([10], { stoppedAt: 7000 }))).toEqual([
      `refetched: crawl: ${PAGE} was fetched T0+10.000 s, and was due T0+610.000 s`,
    ]);
    expect(violationsOf('refetched', factsOf([10], { record: fetchedAt(10, 300) }))).toEqual([
      `refetched: crawl: ${PAGE} was fetched T0+10.000 s, and is due 300.000 s later, expected 600.000 s`,
    ]);
  });
});

describe('capturesKept', () => {
  test('each answer has its record', () => {
    expect(violationsOf('capturesKept', factsOf([10, 611, 1220]))).toEqual([]);
  });

  test('an answer without one is found, and a record without an answer', () => {
    const found = (at: readonly number[]) =>
      violationsOf('capturesKept', factsOf([10, 611, 1220], { files: archiveOf(at) }));
    expect(found([10, 611])[0]).toBe(
      `capturesKept: crawl: the web answered ${PAGE} 3 times, the archive has 2 records`,
    );
    expect(found([10, 611, 700, 1220])).toEqual([
      `capturesKept: crawl: the web answered ${PAGE} 3 times, the archive has 4 records`,
    ]);
  });

  test('no more are missing than were lost with their turns', () => {
    const strikes = struck('workerKilled');
    const files = archiveOf([10, 611]);
    expect(violationsOf('capturesKept', factsOf([10, 611, 1220], { counted: 3, files, strikes }))).toEqual(
      [],
    );
    expect(violationsOf('capturesKept', factsOf([10, 611, 1220], { files, strikes }))).toEqual([
      'capturesKept: crawl: 1 answers of a.test are not in the archive, and 0 requests were lost with their turns',
    ]);
  });

  test('a revisit of what is not there is found', () => {
    const files = archiveOf([10, 611, 1220], 55);
    expect(violationsOf('capturesKept', factsOf([10, 611, 1220], { files }))).toHaveLength(2);
  });
});
