import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import {
  createPayloadIndex,
  hasPayloads,
  PAYLOADS_SCHEMA,
} from '../../../../shared/engines/local/items/payload-index.ts';

function newDatabase(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(PAYLOADS_SCHEMA);
  return database;
}

const payload = (n: number, path = 'a') => ({
  sha1: Buffer.alloc(20, n),
  url: `http://example.test/${path}`,
  date: '2026-01-02T03:04:05.067Z',
  recordId: `<urn:uuid:00000000-0000-4000-8000-00000000000${n}>`,
});
const archived = ({ sha1: _, ...rest }: ReturnType<typeof payload>) => rest;

test('finds a payload by its digest, in its own crawl, and of several the first', async () => {
  const index = createPayloadIndex(newDatabase());
  await index.add('news', []);
  await index.add('news', [payload(1), payload(2), payload(1, 'later')]);
  await index.add('news', [payload(1, 'later still')]);
  expect(await index.find('news', payload(1).sha1)).toEqual(archived(payload(1)));
  expect(await index.find('news', new Uint8Array(payload(2).sha1))).toEqual(archived(payload(2)));
  expect(await index.find('news', payload(3).sha1)).toBeUndefined();
  expect(await index.find('other', payload(1).sha1)).toBeUndefined();
});

test('after its own it finds those of an earlier crawl, whatever that was called, and changes nothing there', async () => {
  const earlier = newDatabase();
  await createPayloadIndex(earlier).add('before', [payload(1), payload(2)]);
  const index = createPayloadIndex(newDatabase(), earlier);
  await index.add('now', [payload(2, 'now'), payload(3)]);
  expect(await index.find('now', payload(1).sha1)).toEqual(archived(payload(1)));
  expect(await index.find('now', payload(2).sha1)).toEqual(archived(payload(2, 'now')));
  expect(await createPayloadIndex(earlier).find('before', payload(3).sha1)).toBeUndefined();
});

test('an earlier crawl that kept no such index has no payloads', async () => {
  const none = new DatabaseSync(':memory:');
  expect(await createPayloadIndex(newDatabase(), none).find('now', payload(1).sha1)).toBeUndefined();
  expect([hasPayloads(none), hasPayloads(newDatabase())]).toEqual([false, false]);
  const some = newDatabase();
  await createPayloadIndex(some).add('now', [payload(1)]);
  expect(hasPayloads(some)).toBe(true);
});
