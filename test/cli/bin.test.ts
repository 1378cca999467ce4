import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const BIN = new URL('../../cli/bin.js', import.meta.url);
/** Makes this Node pass for an old one, in the launcher alone. */
const OLD =
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}})';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-bin-'));
  mkdirSync(join(folder, 'cli'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  copyFileSync(BIN, join(folder, 'cli/bin.js'));
  writeFileSync(
    join(folder, 'cli/strand.ts'),
    `const words: string[] = process.argv.slice(2);
     process.exitCode = 3;
     if (words[0] === 'wait') {
       process.on('SIGTERM', () => process.exit(130));
       setInterval(() => {}, 1000);
     }
     console.log(JSON.stringify(words));`,
  );
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function installNode(where: string): void {
  mkdirSync(join(folder, where), { recursive: true });
  const file = join(folder, where, 'node');
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
  chmodSync(file, 0o755);
}

function start(isOld: boolean, ...words: string[]): ChildProcess {
  const flags = isOld ? ['--import', OLD] : [];
  return spawn(process.execPath, [...flags, join(folder, 'cli/bin.js'), ...words], { stdio: 'pipe' });
}

async function outcome(child: ChildProcess): Promise<{ out: string; err: string; code: number }> {
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    err += chunk;
  });
  const [code] = await once(child, 'close');
  return { out, err, code };
}

test('a Node that runs TypeScript runs the program itself', async () => {
  expect(await outcome(start(false, 'a', '--b=c d'))).toEqual({ out: '["a","--b=c d"]\n', err: '', code: 3 });
});

test('an older Node hands words and exit code through the one beside the package', async () => {
  installNode('node_modules/.bin');
  expect(await outcome(start(true, 'a', '--b=c d'))).toEqual({ out: '["a","--b=c d"]\n', err: '', code: 3 });
});

test('a SIGTERM to the launcher ends the program in its own way', async () => {
  installNode('node_modules/.bin');
  const child = start(true, 'wait');
  await once(child.stdout!, 'data');
  child.kill('SIGTERM');
  expect(await outcome(child)).toMatchObject({ code: 130 });
});

test('without a Node that can, one line says which is needed and where it comes from', async () => {
  expect(await outcome(start(true, 'a'))).toEqual({
    out: '',
    err: 'strand needs Node 24 or later, and this is 20.1.0. Install Node 24, or run `npm ci` without `--omit=dev`: it brings one.\n',
    code: 2,
  });
});
