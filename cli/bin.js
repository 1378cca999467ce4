#!/usr/bin/env node
// The `strand` command. Plain JavaScript that any Node runs. In the repository the rest is TypeScript, which is tested
// with Node 24 alone; the published package is JavaScript, and runs on Node 22.19 too. An older Node hands over to the
// Node that was installed beside this package.
//
// And plain JavaScript so that what was compiled once, types stripped, need not be again: the cache serves what is loaded
// after it was enabled, and what strips types is loaded (0.1 s of CPU) for the first file that is not in it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';

const isSource = existsSync(fileURLToPath(new URL('strand.ts', import.meta.url)));
const OLDEST = isSource ? '24' : '22.19';

if (isRecent()) {
  module.enableCompileCache();
  await import('./strand.ts');
} else {
  handOver();
}

function isRecent() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [oldestMajor, oldestMinor = 0] = OLDEST.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

function handOver() {
  // In this package's own folder, or in the folder that this package was installed into.
  const node = ['../node_modules/.bin/node', '../../.bin/node']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
  if (!node) {
    console.error(
      `strand needs Node ${OLDEST} or later, and this is ${process.versions.node}. ` +
        (isSource
          ? 'Install Node 24, or run `npm ci` without `--omit=dev`: it brings one.'
          : 'Install Node 24, or run `npm install node@24` in this folder.'),
    );
    process.exitCode = 2;
    return;
  }
  const strand = fileURLToPath(import.meta.url);
  // Not spawnSync: blocked in it, this process would die of a SIGTERM alone and leave the crawl running.
  const child = spawn(node, [strand, ...process.argv.slice(2)], { stdio: 'inherit' });
  const onTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
    process.on(signal, () => {
      // A terminal sends its Ctrl-C to the child as well; twice would mean "at once".
      if (signal !== 'SIGINT' || !onTerminal) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    console.error(`strand could not start ${node}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}
