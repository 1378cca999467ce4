/**
 * Lets each process and thread stand still at random moments, as a busy machine does, and takes no CPU for it:
 *
 *     NODE_OPTIONS=--import=$PWD/test/stalls.ts npx vitest run --project 'unit*' FILE
 *
 * A test that fails with it, and not without, passes only if something is faster than a real limit.
 */
const MAX_STALL_MS = 2000;
const MEAN_GAP_MS = 200;

const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
/** Tests may replace it. */
const { setTimeout } = globalThis;

function planStall(): void {
  const stall = () => {
    Atomics.wait(cell, 0, 0, MAX_STALL_MS * Math.random());
    planStall();
  };
  setTimeout(stall, 2 * MEAN_GAP_MS * Math.random()).unref();
}

planStall();
