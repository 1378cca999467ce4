import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { usageOf } from '../../../shared/crawler/media-thread/thread-usage.ts';

async function workerOf(code: string): Promise<Worker> {
  const worker = new Worker(code, { eval: true });
  onTestFinished(async () => void (await worker.terminate()));
  await once(worker, 'message');
  return worker;
}
const REST = 'const { parentPort } = require("node:worker_threads"); parentPort.postMessage(0);';

test('time in which other work of the machine keeps the thread from running does not count', async () => {
  const still = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);';
  const worker = await workerOf(
    `const begun = performance.now(); ${still} ${REST} setInterval(() => {}, 1e6);`,
  );
  const { active } = worker.performance.eventLoopUtilization();
  expect(active).toBeGreaterThan(1000);
  const { busyMs } = (await usageOf(worker))!;
  expect(busyMs).toBeLessThan(active);
});

test('the time of one that waits for nothing counts: it may hang', async () => {
  const worker = await workerOf(`${REST} setInterval(() => {}, 1e6);`);
  const first = (await usageOf(worker))!;
  await vi.waitFor(async () => expect((await usageOf(worker))!.busyMs).toBeGreaterThan(first.busyMs + 300), {
    timeout: 60_000,
  });
});

test('a thread that has ended has no usage', async () => {
  const worker = await workerOf(REST);
  await worker.terminate();
  expect(await usageOf(worker)).toBeUndefined();
});
