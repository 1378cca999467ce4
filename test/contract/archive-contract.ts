import { expect, test } from 'vitest';
import type { RecordLocation } from '../../shared/core/archive/record-location.ts';
import { encodeRecord } from '../../shared/core/archive/warc-record.ts';
import { joined } from '../core/archive/captures.ts';
import { testIf } from './capabilities.ts';
import type { Subject } from './subject.ts';

/** A record with that text, as one gzip member. */
const memberOf = (text: string) =>
  encodeRecord(
    { 'WARC-Type': 'resource', 'WARC-Record-ID': '<urn:uuid:0>', 'WARC-Date': '2026-01-01T00:00:00Z' },
    Buffer.from(text),
  );

export function archiveContract(subject: Subject): void {
  const archive = () => subject.engine.archiveOf('archived');

  testIf(
    subject,
    'readRecord',
    'gives locations that hold the very bytes once they are flushed',
    async () => {
      const read = (location: RecordLocation) => subject.opened.readRecord!('archived', location);
      const appended = await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          const members = [memberOf(`response ${i} `.repeat(50 * i)), memberOf(`request ${i}`)];
          return { members, locations: await archive().append(members) };
        }),
      );
      await archive().flush();
      for (const { members, locations } of appended) {
        const [first, second] = locations as [RecordLocation, RecordLocation];
        expect(second).toMatchObject({ file: first.file, offset: first.offset + first.length });
        for (const [i, member] of members.entries())
          expect(Buffer.compare(await read(locations[i]!), await joined(member))).toBe(0);
      }
    },
  );

  test('appends nothing, and flushes nothing, without complaint', async () => {
    expect(await archive().append([])).toEqual([]);
    await archive().flush();
    await archive().flush();
  });

  test('takes what is to be indexed of the members, or nothing', async () => {
    const line = 'test,a)/ 20260101000000 {"url": "http://a.test/"';
    const members = [memberOf('response'), memberOf('request')];
    const all = await Promise.all(
      [undefined, [], [line], [undefined, line]].map((captures) => archive().append(members, captures)),
    );
    await archive().flush();
    for (const [first, second] of all) expect(second!.offset).toBe(first!.offset + first!.length);
  });

  const payload = (n: number, path = 'a') => ({
    sha1: Buffer.alloc(20, n),
    url: `http://a.test/${path}`,
    date: '2026-01-01T00:00:00.000Z',
    recordId: `<urn:uuid:${n}>`,
  });

  test('where payloads are kept, finds the first of each digest, by crawl', async ({ skip }) => {
    const { payloads } = subject.engine;
    if (!payloads) return skip();
    await payloads.add('archived', [payload(1), payload(2), payload(1, 'b')]);
    await payloads.add('archived', [payload(2, 'b')]);
    for (const n of [1, 2]) {
      const { sha1, ...expected } = payload(n);
      expect(await payloads.find('archived', sha1)).toEqual(expected);
      expect(await payloads.find('other', sha1)).toBeUndefined();
    }
    expect(await payloads.find('archived', payload(3).sha1)).toBeUndefined();
  });

  testIf(
    subject,
    'keepPayloads',
    'knows payloads again after an abrupt end, where they are kept',
    async () => {
      if (!subject.engine.payloads || subject.lacks('reopen') !== undefined) return;
      await subject.engine.payloads.add('archived', [payload(1)]);
      const again = await subject.opened.reopen();
      expect(await again.payloads!.find('archived', payload(1).sha1)).toMatchObject({
        recordId: '<urn:uuid:1>',
      });
    },
  );
}
