import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const file = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** Starts a thread that prints that it runs. */
const PROGRAM = `
  import { Worker } from 'node:worker_threads';
  import { threadOptions } from ${JSON.stringify(file('shared/crawler/media-thread/thread-options.ts'))};
  const code = "console.log(process.env.WORD)";
  new Worker(new URL('data:text/javascript,' + code), threadOptions({ WORD: 'runs' }));
`;

test('a program on the command line starts threads', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    encoding: 'utf8',
  });
  expect([stdout, stderr]).toEqual(['runs\n', '']);
});
