import type { WriteStream } from 'node:fs';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withOutput } from '../../cli/export/output-file.ts';
import { ServiceUnavailable, UsageError } from '../../cli/usage-error.ts';
import { needs } from '../needs.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-out-'));
  path = join(folder, 'out.csv');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a file has its name, and replaces an older one, once all is written', async () => {
  writeFileSync(path, 'old');
  await withOutput(path, async (out) => {
    out.write('new');
    expect(readFileSync(path, 'utf8')).toBe('old');
  });
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(readdirSync(folder)).toEqual(['out.csv']);
});

test('a file of the user that is called FILE.part stays as it is', async () => {
  writeFileSync(`${path}.part`, 'mine');
  await withOutput(path, async (out) => void out.write('new'));
  await withOutput(path, () => Promise.reject(new Error('no'))).catch(() => {});
  expect(readdirSync(folder).sort()).toEqual(['out.csv', 'out.csv.part']);
  expect(readFileSync(`${path}.part`, 'utf8')).toBe('mine');
});

test('what fails while it is made leaves the older file, and comes as it is', async () => {
  writeFileSync(path, 'old');
  const failure = new Error('no such part');
  const failing = withOutput(path, async (out) => {
    out.write('new');
    throw failure;
  });
  await expect(failing).rejects.toBe(failure);
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(folder)).toEqual(['out.csv']);
});

test('a full disk is reported with the name of the file', async () => {
  const failing = withOutput(path, async (out) => {
    (out as WriteStream).destroy(new Error('ENOSPC: no space left on device, write'));
  });
  await expect(failing).rejects.toThrow(ServiceUnavailable);
  await expect(failing).rejects.toThrow(`${path} cannot be written: ENOSPC`);
  expect(readdirSync(folder)).toEqual([]);
});

test('so is a name that cannot be fetched', async () => {
  mkdirSync(path);
  const failing = withOutput(path, async (out) => void out.write('new'));
  await expect(failing).rejects.toThrow(`${path} cannot be written: EISDIR`);
  expect(readdirSync(folder)).toEqual(['out.csv']);
  const nowhere = join(folder, 'none', 'out.csv');
  const refused = withOutput(nowhere, async () => {});
  await expect(refused).rejects.toThrow(UsageError);
  await expect(refused).rejects.toThrow(`${nowhere} cannot be written: ENOENT`);
});

needs('links')(
  'what is no plain file, such as a device or a link, is written into and stays what it is',
  async () => {
    const target = join(folder, 'target');
    writeFileSync(target, 'old');
    symlinkSync(target, path);
    await withOutput(path, async (out) => void out.write('new'));
    expect([lstatSync(path).isSymbolicLink(), readFileSync(target, 'utf8')]).toEqual([true, 'new']);
    const failure = new Error('no such part');
    const failing = withOutput(path, async () => {
      throw failure;
    });
    await expect(failing).rejects.toBe(failure);
    expect(readdirSync(folder).sort()).toEqual(['out.csv', 'target']);
  },
);
