/** The exports of folders while their threads fail, and while more are begun. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FolderExports } from '../../../../api/local/api-server/folder-exports.ts';
import { startCrawl } from '../../../../api/start-crawl.ts';
import { FolderExportNotes } from '../../../../shared/engines/local/exports/export-notes.ts';
import { systemClock } from '../../../../shared/engines/system-clock.ts';
import { serveAnswers } from '../../small-server.ts';

async function open(address: string) {
  const folder = mkdtempSync(join(tmpdir(), 'strand-exports-'));
  const site = await serveAnswers(address, { '/': '<title>Start</title>' });
  const options = { allowPrivateAddresses: ['127.0.0.0/8'], delayMs: 0, adaptive: false };
  const running = await startCrawl({
    ...{ seeds: [site], out: join(folder, 'docs'), contact: 'me@example.org' },
    ...options,
  });
  await running.done;
  const errors: unknown[] = [];
  const exports = new FolderExports(folder, (error) => errors.push(error));
  onTestFinished(async () => {
    await exports.close();
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  });
  const states = async () => (await exports.list('docs')).map(({ state }) => state);
  return { folder, exports, errors, states };
}

test('a thread that fails is not begun again at once', async () => {
  const { folder, exports, errors, states } = await open('127.81.3.20');
  await exports.begin('docs', { format: 'csv' });
  await vi.waitUntil(async () => (await states())[0] === 'done', { timeout: 60_000 });
  const link = join(folder, 'docs/exports/link');
  const rest = vi.spyOn(systemClock, 'sleep').mockImplementation(async () => rmSync(link, { force: true }));
  // The first thread may look for exports again until it ends.
  symlinkSync('/', link);
  const notes = new FolderExportNotes('docs', join(folder, 'docs/exports'), systemClock);
  await notes.begin({ format: 'csv' });
  await exports.continueAll();
  await vi.waitUntil(async () => (await states()).join() === 'done,done', { timeout: 60_000 });
  expect([errors.length, rest.mock.calls.length]).toEqual([1, 1]);
});

test('an export that fails is not tried again at once', async () => {
  const { folder, exports, errors, states } = await open('127.81.3.23');
  const notes = new FolderExportNotes('docs', join(folder, 'docs/exports'), systemClock);
  const { id } = await notes.begin({ format: 'csv' });
  const out = join(folder, 'docs/exports', id);
  mkdirSync(out);
  symlinkSync('/', join(out, 'link'));
  const rest = vi.spyOn(systemClock, 'sleep');
  rest.mockImplementation(async () => rmSync(join(out, 'link'), { force: true }));
  await exports.continueAll();
  await vi.waitUntil(async () => (await states())[0] !== 'waiting' && (await states())[0] !== 'running', {
    timeout: 60_000,
  });
  expect([await states(), errors.length, rest.mock.calls.length]).toEqual([['done'], 1, 1]);
});

test('an export that is begun while the last one ends is made', async () => {
  const { exports, states } = await open('127.81.3.21');
  const { list } = FolderExportNotes.prototype;
  let isBegun = false;
  vi.spyOn(FolderExportNotes.prototype, 'list').mockImplementation(async function (this: FolderExportNotes) {
    const found = await list.call(this);
    if (isBegun || found[0]?.state !== 'done') return found;
    isBegun = true;
    await exports.begin('docs', { format: 'jsonl' });
    return found;
  });
  await exports.begin('docs', { format: 'csv' });
  await vi.waitUntil(() => isBegun, { timeout: 60_000 });
  await vi.waitUntil(async () => (await states()).join() === 'done,done', { timeout: 60_000 });
});

test('the broken folder of one crawl keeps no other from its exports', async () => {
  const { folder, exports, errors, states } = await open('127.81.3.22');
  const notes = new FolderExportNotes('docs', join(folder, 'docs/exports'), systemClock);
  await notes.begin({ format: 'csv' });
  const broken = mkdtempSync(join(folder, 'broken-'));
  writeFileSync(join(broken, 'exports'), '');
  await exports.continueAll();
  await vi.waitUntil(async () => (await states())[0] === 'done', { timeout: 60_000 });
  expect(errors).toMatchObject([{ code: 'ENOTDIR' }]);
});
