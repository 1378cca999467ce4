import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keptIn, noteKept } from '../../../api/local/kept-outputs.ts';
import { StorageFailed } from '../../../shared/core/base/storage-failed.ts';

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'kept-outputs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return { folder, file: join(folder, 'outputs.json') };
}

test('files that are kept are noted, beside those noted before', async () => {
  const { folder, file } = open();
  expect(await keptIn(folder, {})).toEqual({});
  await noteKept(folder, { documents: true });
  await noteKept(folder, { search: true });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ documents: true, search: true });
  expect(await keptIn(folder, { documents: false })).toEqual({ documents: false, search: true });
});

test.each([
  ['{"sea', 'is damaged: '],
  ['null', 'is damaged: expected an object, got null'],
  ['[1]', 'is damaged: expected an object, got [1]'],
  ['', 'is damaged: '],
])('a note %j is named, with what to do', async (text, reason) => {
  const { folder, file } = open();
  writeFileSync(file, text);
  const failed = (work: Promise<unknown>) => work.catch((error: unknown) => error);
  for (const error of [await failed(keptIn(folder, {})), await failed(noteKept(folder, { search: true }))]) {
    expect(error).toBeInstanceOf(StorageFailed);
    expect((error as Error).message).toContain(`${file} ${reason}`);
    expect((error as Error).message).toContain('resume it with --search');
  }
});

test('a note that cannot be read or written is a failure of the storage, which names it', async () => {
  const { folder, file } = open();
  mkdirSync(`${file}.part`);
  await expect(noteKept(folder, { search: true })).rejects.toThrow(StorageFailed);
  mkdirSync(file);
  await expect(keptIn(folder, {})).rejects.toThrow(file);
  await expect(keptIn(folder, {})).rejects.toThrow(StorageFailed);
});
