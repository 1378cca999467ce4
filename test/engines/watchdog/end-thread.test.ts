import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { endThread } from '../../../shared/engines/watchdog/end-thread.ts';

const MODULE = new URL('../../../shared/engines/watchdog/end-thread.ts', import.meta.url).href;

async function start(body: string): Promise<Worker> {
  const code = `
    import { parentPort } from 'node:worker_threads';
    import { createGunzip } from 'node:zlib';
    import { endWhenAsked } from ${JSON.stringify(MODULE)};
    endWhenAsked(parentPort);
    parentPort.postMessage('begun');
    ${body}`;
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  await once(thread, 'message');
  return thread;
}

test('a thread that makes zlib streams is ended, and the process lives', async () => {
  for (let i = 0; i < 60; i++) {
    const thread = await start(
      'const work = () => { for (let i = 0; i < 50; i++) createGunzip().close(); setImmediate(work); }; work();',
    );
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
    await endThread(thread);
    expect(thread.threadId).toBe(-1);
  }
});

test.each([
  ['waits', ''],
  ['computes for ever', 'setImmediate(() => { for (;;); });'],
  ['ends by itself', 'setImmediate(() => process.exit());'],
  ['fails', "parentPort.on('message', () => { throw new Error('of the thread'); });"],
])('a thread that %s is ended once, and may be ended again', async (_, body) => {
  const thread = await start(body);
  const errors: Error[] = [];
  thread.on('error', (error) => errors.push(error));
  thread.postMessage('a message');
  await Promise.all([endThread(thread), endThread(thread)]);
  await endThread(thread);
  expect(thread.threadId).toBe(-1);
  expect(errors.map(({ message }) => message)).toEqual(body.includes('throw') ? ['of the thread'] : []);
});
