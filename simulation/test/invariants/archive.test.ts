import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import type { CrawlFacts } from '../../invariants/facts.ts';
import { base32 } from '../../invariants/warc.ts';
import {
  crawlFacts,
  fileOf,
  HOME,
  LOG,
  makeFacts,
  messagesOf,
  OTHER,
  PAGE,
  RECORDS,
  urlRecord,
  warcMember,
} from './made-facts.ts';

const found = (crawl: CrawlFacts, log = LOG) => messagesOf(makeFacts({ crawls: [crawl], log }));

/** The crawl, the record of whose page is changed. */
const withPage = (change: (record: UrlRecord) => UrlRecord) =>
  crawlFacts(RECORDS.map((record) => (record.url === PAGE ? change(record) : record)));

/** The crawl, with these bytes where the page's record stands. */
function withMember(member: Uint8Array): CrawlFacts {
  const location = { file: fileOf(PAGE), offset: 0, length: member.length };
  const crawl = withPage((record) => ({ ...record, result: { fetchedAt: 0, ...record.result, location } }));
  return { ...crawl, files: new Map([...crawl.files, [fileOf(PAGE), member]]) };
}

describe('announcedOnce', () => {
  test('a fetched URL without a record, and one that waits with a record, are found', () => {
    const bare = withPage((record) => ({ ...record, result: { fetchedAt: 0, httpStatus: 200 } }));
    expect(found(bare).join()).toContain(`announcedOnce: crawl: ${PAGE} is fetched, and announces no record`);
    const skipped = withPage((record) => ({ ...record, state: 'skipped' }));
    expect(found(skipped).join()).toContain(
      `announcedOnce: crawl: ${PAGE} is skipped, and announces the record at`,
    );
  });

  test('a revisit has its payload in the archive, or is found', () => {
    const body = `the page ${PAGE}`;
    const digest = `sha1:${base32(hash('sha1', body, 'hex'))}`;
    const record = (fields: readonly string[], block: string) =>
      gzipSync(
        `${['WARC/1.1', ...fields, `WARC-Payload-Digest: ${digest}`, `Content-Length: ${block.length}`].join('\r\n')}\r\n\r\n${block}\r\n\r\n`,
      );
    const head = 'HTTP/1.1 200 Some\r\nContent-Type: text/html\r\n\r\n';
    const copy = 'http://a.test/copy';
    const original = record(
      ['WARC-Type: response', `WARC-Target-URI: ${copy}`, 'WARC-Date: 2026-01-01T00:00:00Z'],
      head + body,
    );
    const revisitOf = (date: string) =>
      withMember(
        record(
          [
            'WARC-Type: revisit',
            `WARC-Target-URI: ${PAGE}`,
            `WARC-Refers-To-Target-URI: ${copy}`,
            `WARC-Refers-To-Date: ${date}`,
          ],
          head,
        ),
      );
    const judged = (date: string) => {
      const crawl = revisitOf(date);
      return found({ ...crawl, files: new Map([...crawl.files, ['o.warc.gz', original]]) });
    };
    expect(judged('2026-01-01T00:00:00Z')).toEqual([]);
    expect(judged('2026-01-01T00:00:01Z').join()).toContain(
      `it refers to ${copy} 2026-01-01T00:00:01Z ${digest}, which is not in the archive`,
    );
  });

  test('two URLs that announce one record are found', () => {
    const location = RECORDS[0]?.result?.location;
    const shared = withPage((record) => ({
      ...record,
      result: { fetchedAt: 0, ...record.result, location },
    }));
    const [first, second] = found(shared);
    expect(first).toMatch(`announcedOnce: crawl: ${PAGE} and ${HOME} both announce the record at`);
    expect(second).toMatch(`it is of ${HOME}`);
  });

  test('an object that is not there, or too short, is found', () => {
    const crawl = crawlFacts();
    const files = new Map([...crawl.files].filter(([file]) => file !== fileOf(PAGE)));
    expect(found({ ...crawl, files }).join()).toMatch(
      /announces the record at .*: there is no object a\.test-page/,
    );
    const cut = (crawl.files.get(fileOf(PAGE)) as Uint8Array).subarray(0, 50);
    expect(found({ ...crawl, files: new Map([...files, [fileOf(PAGE), cut]]) }).join()).toContain(
      'has 50 bytes',
    );
  });

  test('bytes that are not exactly one gzip member are found', () => {
    const member = warcMember(PAGE, 200);
    expect(found(withMember(member))).toEqual([]);
    expect(found(withMember(Buffer.concat([member, member]))).join()).toContain(
      'the length of the gzip member',
    );
    expect(found(withMember(member.subarray(1))).join()).toContain('a gzip member begins with');
    expect(found(withMember(member.subarray(0, -1)))).toHaveLength(1);
    const spoilt = Uint8Array.from(member);
    spoilt[spoilt.length - 6] = (spoilt[spoilt.length - 6] as number) ^ 1;
    expect(found(withMember(spoilt)).join()).toContain('expected CRC-32 to be');
  });

  test('a record of another URL, status or body than was served is found', () => {
    expect(found(withMember(warcMember(OTHER, 200))).join()).toContain(`it is of ${OTHER}`);
    expect(found(withMember(warcMember(PAGE, 404))).join()).toContain(
      'its status is 404, the ledger says 200',
    );
    const other = found(withMember(warcMember(PAGE, 200, 'something else'))).join();
    expect(other).toContain("its body's SHA-1 is");
    expect(other).toContain('the web never served it whole with SHA-1');
    const cut = LOG.map((one) => (one.url === PAGE ? { ...one, isCut: true } : one));
    expect(found(crawlFacts(), cut)).toContainEqual(expect.stringContaining('the web never served it whole'));
  });

  describe('of joined files', () => {
    const JOINED = 'joined-20260101000000-x.warc.gz';
    const lead = Buffer.alloc(100);
    const page = urlRecord(PAGE, 'fetched', 200);
    const { offset = 0, length = 0 } = page.result?.location ?? {};
    const line = (at: number, more = {}) =>
      `test,a)/page 20260101000000 ${JSON.stringify({ url: PAGE, status: '200', length: String(length), offset: String(at), filename: JOINED, ...more })}\n`;
    const rowOf = (at: number) => `${PAGE} ${at} ${length}`;
    function joined(index: string | undefined, rows = [rowOf(lead.length + offset)]): CrawlFacts {
      const crawl = crawlFacts();
      const source = crawl.files.get(fileOf(PAGE)) as Uint8Array;
      const files = new Map(crawl.files);
      files.delete(fileOf(PAGE));
      files.set(JOINED, Buffer.concat([lead, source]));
      if (index !== undefined) files.set('joined-20260101000000-x.cdxj', Buffer.from(index));
      const place = { file: JOINED, offset: lead.length, bytes: source.length };
      return { ...crawl, files, tables: new Map([[JOINED, rows]]), joined: new Map([[fileOf(PAGE), place]]) };
    }
    const at = lead.length + offset;

    test('a record is found where its file stands now, with its line in the index', () => {
      expect(found(joined(line(at)))).toEqual([]);
    });

    test('an index that is missing, or lacks, doubles or miswrites a line is found', () => {
      expect(found(joined(undefined)).join()).toContain(
        'its index joined-20260101000000-x.cdxj is not there',
      );
      expect(found(joined(line(at + 1))).join()).toContain(`has 0 lines for offset ${at}, expected 1`);
      expect(found(joined(line(at) + line(at))).join()).toContain(`has 2 lines for offset ${at}, expected 1`);
      expect(found(joined(line(at, { status: '404' }))).join()).toContain('"status":"404"');
      expect(found(joined(line(at) + line(5, { filename: 'x' }))).join()).toContain(
        `has a line for ${PAGE} in x`,
      );
      expect(found(joined(`z${line(5)}${line(at)}`)).join()).toContain('is not in order');
    });

    test('tables that lack a row of the index, or have another one, are found', () => {
      for (const rows of [[], [rowOf(at), rowOf(at)], [rowOf(at + 1)]])
        expect(found(joined(line(at), rows)).join()).toContain(
          `the tables of ${JOINED} have ${rows.length} rows`,
        );
      expect(found({ ...joined(line(at)), tables: new Map() }).join()).toContain('have no rows');
    });

    test('a record beyond its source is found', () => {
      const crawl = joined(line(at));
      const place = { file: JOINED, offset: lead.length, bytes: offset + length - 1 };
      expect(found({ ...crawl, joined: new Map([[fileOf(PAGE), place]]) }).join()).toContain(
        'was joined with',
      );
    });
  });
});
