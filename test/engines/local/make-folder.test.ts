import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFolder } from '../../../shared/engines/local/make-folder.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'strand-test-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Makes the folder. Returns the folders whose names were made durable. */
function syncedBy(folder: string): string[] {
  const synced: string[] = [];
  makeFolder(folder, (path) => synced.push(path));
  return synced;
}

test('the names of all folders that were made are durable, so that a power loss leaves the crawl where it was', () => {
  expect(syncedBy(join(root, 'a', 'b', 'c'))).toEqual([join(root, 'a', 'b'), join(root, 'a'), root]);
  mkdirSync(join(root, 'd'));
  expect(syncedBy(join(root, 'd', 'e'))).toEqual([join(root, 'd')]);
});

test('a folder that is there may have been made by a process that died before it was durable', () => {
  mkdirSync(join(root, 'a'));
  expect(syncedBy(join(root, 'a'))).toEqual([root]);
  expect(syncedBy(`${join(root, 'a')}/`)).toEqual([root]);
});

test('a folder is made and synced, and made again without an error', () => {
  makeFolder(join(root, 'a', 'b'));
  makeFolder(join(root, 'a', 'b'));
});

test('where there can be no folder, nothing is synced and the place is named', () => {
  writeFileSync(join(root, 'file'), '');
  expect(() => syncedBy(join(root, 'file', 'a'))).toThrow(`${join(root, 'file')} is not a folder`);
});

test.runIf(existsSync('/proc/self'))('a place that accepts no folders is refused at once', () => {
  expect(() => syncedBy('/proc/strand-test/a')).toThrow('/proc/strand-test');
});

test('a link that leads nowhere is no folder', () => {
  symlinkSync(join(root, 'nowhere'), join(root, 'link'));
  expect(() => syncedBy(join(root, 'link'))).toThrow();
  writeFileSync(join(root, 'file'), '');
  expect(() => syncedBy(join(root, 'file'))).toThrow(`${join(root, 'file')} is not a folder`);
});
