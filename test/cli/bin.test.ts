import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { needs } from '../needs.ts';

const BIN = new URL('../../cli/bin.js', import.meta.url);
/** Makes this Node pass for another one, in the launcher alone. */
const passingFor = (version: string) =>
  `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`;

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

function start(version: string | undefined, ...words: string[]): ChildProcess {
  const flags = version === undefined ? [] : ['--import', passingFor(version)];
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
  expect(await outcome(start(undefined, 'a', '--b=c d'))).toEqual({
    out: '["a","--b=c d"]\n',
    err: '',
    code: 3,
  });
});

test('an older Node hands words and exit code through the one beside the package', async () => {
  installNode('node_modules/.bin');
  expect(await outcome(start('20.1.0', 'a', '--b=c d'))).toEqual({
    out: '["a","--b=c d"]\n',
    err: '',
    code: 3,
  });
});

needs('signals')('a SIGTERM to the launcher ends the program in its own way', async () => {
  installNode('node_modules/.bin');
  const child = start('20.1.0', 'wait');
  await once(child.stdout!, 'data');
  child.kill('SIGTERM');
  expect(await outcome(child)).toMatchObject({ code: 130 });
});

test('the published package runs on Node 22.19', async () => {
  rmSync(join(folder, 'cli/strand.ts'));
  writeFileSync(join(folder, 'cli/strand.js'), 'console.log(JSON.stringify(process.argv.slice(2)))');
  // As the build does.
  const text = readFileSync(join(folder, 'cli/bin.js'), 'utf8').replace(
    "import('./strand.ts')",
    "import('./strand.js')",
  );
  writeFileSync(join(folder, 'cli/bin.js'), text);
  expect(await outcome(start('22.19.0', 'a'))).toEqual({ out: '["a"]\n', err: '', code: 0 });
  expect(await outcome(start('22.18.0', 'a'))).toEqual({
    out: '',
    err: 'strand needs Node 22.19 or later, and this is 22.18.0. Install Node 24, or run `npm install node@24` in this folder.\n',
    code: 2,
  });
});

test('without a Node that can, one line says which is needed and where it comes from', async () => {
  expect(await outcome(start('20.1.0', 'a'))).toEqual({
    out: '',
    err: 'strand needs Node 24 or later, and this is 20.1.0. Install Node 24, or run `npm ci` without `--omit=dev`: it brings one.\n',
    code: 2,
  });
});
