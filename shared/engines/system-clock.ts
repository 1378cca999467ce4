import { randomUUID } from 'node:crypto';
import type { Clock } from '../crawler/ports/clock.ts';
import { createSignal } from './signal.ts';

/** The machine's own time and chance. */
export const systemClock: Clock = {
  now: Date.now,
  random: Math.random,
  uuid: randomUUID,
  sleep: (ms, signal) => createSignal().wait(ms, signal),
};
