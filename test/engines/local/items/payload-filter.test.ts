import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import {
  createPayloadFilter,
  payloadFilterMemory,
} from '../../../../shared/engines/local/items/payload-filter.ts';
import { createPayloadIndex, PAYLOADS_SCHEMA } from '../../../../shared/engines/local/items/payload-index.ts';

const digest = (n: number): Uint8Array => createHash('sha1').update(String(n)).digest();
const digests = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => digest(from + i));

test('what was added may be there, in all threads, and most of what was not is not', () => {
  const memory = payloadFilterMemory(2 ** 10);
  const [filter, other] = [createPayloadFilter(memory), createPayloadFilter(memory)];
  for (const sha1 of digests(0, 1000)) filter.add(sha1);
  expect(digests(0, 1000).every(other.mayHave)).toBe(true);
  // 2,000 of 32,768 bits: one in 270.
  const wrong = digests(1000, 11_000).filter(other.mayHave).length;
  expect(wrong).toBeGreaterThan(0);
  expect(wrong).toBeLessThan(100);
});

test('an index asks its database only for payloads that may be there', async () => {
  const database = new DatabaseSync(':memory:');
  database.exec(PAYLOADS_SCHEMA);
  const filter = createPayloadFilter(payloadFilterMemory());
  const index = createPayloadIndex(database, undefined, filter);
  const about = { url: 'http://example.test/', date: '2026-01-02T03:04:05.067Z', recordId: '<urn:uuid:1>' };
  await index.add('news', [{ sha1: digest(1), ...about }]);
  await createPayloadIndex(database).add('news', [{ sha1: digest(2), ...about }]);
  expect(await index.find('news', digest(1))).toEqual(about);
  // Not in the filter, whatever the table says.
  expect(await index.find('news', digest(2))).toBeUndefined();
});
