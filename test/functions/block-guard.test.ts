import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { needs } from '../needs.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-guard-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const GUARD = new URL('../../functions/block-guard.ts', import.meta.url).href;

/** Runs `body` in a process that is guarded. The limit is five times `blockTimeoutMs`. */
async function guarded(body: string, onBlocked: string, blockTimeoutMs = 200) {
  const module = join(folder, 'module.mjs');
  const found = JSON.stringify(join(folder, 'found.json'));
  writeFileSync(
    module,
    `import { writeFileSync } from 'node:fs';
    import { isMainThread } from 'node:worker_threads';
    import { startBlockGuard, taskIn } from ${JSON.stringify(GUARD)};
    export async function onBlocked(memory, blockedMs) {
      writeFileSync(${found}, JSON.stringify({ task: taskIn(memory), blockedMs, isMainThread }));
      ${onBlocked}
    }
    if (isMainThread) {
      const work = startBlockGuard({ module: import.meta.url, blockTimeoutMs: ${blockTimeoutMs} });
      ${body}
    }`,
  );
  const child = spawn(process.execPath, [module], { stdio: 'ignore' });
  const [code, signal] = await once(child, 'exit');
  return { code, signal, found: () => JSON.parse(readFileSync(join(folder, 'found.json'), 'utf8')) };
}

needs('signals').each([
  ['stored', '', 200, 1000],
  // The time is a multiple of 250 ms, and not less than what is allowed.
  ['not stored, by an error', `throw new Error('no table');`, 201, 1250],
])(
  'a process that a page blocks is ended, and the page %s',
  async (_, onBlocked, blockTimeoutMs, blockedMs) => {
    const { signal, found } = await guarded(
      `work.run('news', 'http://a.test/hang', 'parse', () => { for (;;); });`,
      onBlocked,
      blockTimeoutMs,
    );
    expect(signal).toBe('SIGKILL');
    expect(found()).toEqual({
      task: { crawl: 'news', url: 'http://a.test/hang', step: 'parse' },
      blockedMs,
      isMainThread: false,
    });
  },
);

test('a process that is busy with no page, or for less long, ends by itself', async () => {
  // Blocked, without need of a processor: a busy machine makes neither of both longer than the limit of 5 s.
  const block = (ms: number) => `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms});`;
  const { code, signal } = await guarded(
    `${block(6500)} work.run('news', 'http://a.test/', 'parse', () => { ${block(500)} });`,
    '',
    1000,
  );
  expect([code, signal]).toEqual([0, null]);
});
