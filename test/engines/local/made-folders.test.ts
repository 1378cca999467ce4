/** Folders for files of the user, such as below a `HOME` that accepts none. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFolders } from '../../../shared/engines/local/make-folders.ts';
import { ownFolder } from '../../../shared/engines/local/own-folder.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'strand-test-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test.skipIf(process.platform === 'win32')('all that are made have the mode that is asked for', () => {
  expect(makeFolders(join(root, 'a', 'b'), 0o700)).toBe(join(root, 'a'));
  expect([join(root, 'a'), join(root, 'a', 'b')].map((path) => statSync(path).mode & 0o777)).toEqual([
    0o700, 0o700,
  ]);
});

test('the folder of the user is at XDG_CONFIG_HOME, unless that is relative', () => {
  const folder = join(root, 'config');
  expect(ownFolder({ XDG_CONFIG_HOME: folder })).toBe(join(folder, 'strand'));
  for (const other of [undefined, '', 'config', './config'])
    expect(ownFolder({ XDG_CONFIG_HOME: other })).toBe(join(homedir(), '.config', 'strand'));
});

const sourceOf = (path: string) => JSON.stringify(new URL(`../../../${path}`, import.meta.url).href);
const run = promisify(execFile);

/** In a process of its own: if it never ends, the limit ends it. */
test.runIf(existsSync('/proc/self')).each([
  ['the key of the user', 'shared/engines/local/folder-trust.ts', 'ownKey(file)', 'undefined'],
  ['the token of agents', 'cli/mcp/token-file.ts', 'readToken(file)', 'ENOENT'],
  ['the use by agents', 'cli/mcp/day-use.ts', "new DayUse(file, '', {}).takePage()", 'ENOENT'],
])('where no folder can be made, %s is not, at once', async (_, path, call, expected) => {
  const name = /\w+(?=\()/.exec(call)?.[0];
  const program = `
    import { ${name} } from ${sourceOf(path)};
    const file = '/proc/strand-test/a/b';
    try { console.log(String(${call})); } catch (error) { console.log(error.code); }`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
    timeout: 60_000,
  });
  expect(stdout.trim()).toBe(expected);
});
