import { expect, test } from 'vitest';
import { encodeRecord } from '../../shared/archive/warc-record.ts';
import type { RecordLocation } from '../../shared/ports.ts';
import { joined } from '../archive/captures.ts';
import { testIf } from './capabilities.ts';
import type { Subject } from './engine-contract.ts';

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
}
