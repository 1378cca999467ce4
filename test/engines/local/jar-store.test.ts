import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NEW_ACCOUNT } from '../../../shared/core/access/account-state.ts';
import { openMemoryDatabase } from '../../../shared/engines/local/database.ts';
import { createJarStore } from '../../../shared/engines/local/jar-store.ts';

const KEY = { domain: 'a.test', account: 'reader' };
const JAR = { version: 1, generation: 2, cookies: '["a secret"]' };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-jars-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('cookies are stored encrypted, and read by another process of the same user', async () => {
  const database = openMemoryDatabase();
  const keyFile = join(folder, 'own.key');
  await createJarStore(database, keyFile).replace('c', KEY, JAR);
  expect(await createJarStore(database, keyFile).load('c', KEY)).toEqual(JAR);
  expect(Buffer.from(database.serialize()).includes('a secret')).toBe(false);
});

test('the page on which a login has ended is encrypted, too: its path may be what signs in', async () => {
  const database = openMemoryDatabase();
  const keyFile = join(folder, 'own.key');
  const account = { ...NEW_ACCOUNT, landing: 'http://a.test/magic/k3J9xQ' };
  const jar = { ...JAR, account };
  await createJarStore(database, keyFile).replace('c', KEY, jar);
  expect(await createJarStore(database, keyFile).load('c', KEY)).toEqual(jar);
  expect(Buffer.from(database.serialize()).includes('k3J9xQ')).toBe(false);
});

test.each([
  ['another user', 'other.key'],
  ['a process without a key', undefined],
])('%s finds the jar without its cookies', async (_, file) => {
  const database = openMemoryDatabase();
  await createJarStore(database, join(folder, 'own.key')).replace('c', KEY, JAR);
  const other = createJarStore(database, file && join(folder, file));
  expect(await other.load('c', KEY)).toEqual({ ...JAR, cookies: '[]' });
});
