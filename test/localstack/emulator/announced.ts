/**
 * How the emulator's start is announced to the processes of tests, which begin before it is over: by a file. To install it
 * takes minutes the first time, in which the processors are free for other tests.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import type { Emulator } from './emulator.ts';

export type Announced = Pick<Emulator, 'endpoint' | 'dynamodb' | 'functionLogs'>;

type Outcome = { readonly emulator: Announced | null } | { readonly failure: string };

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of a file that is there once the start of the emulator is over. */
    emulatorFile: string;
  }
}

const LOOK_MS = 100;

/** `outcome`: an emulator, none because this machine cannot have one, or why its start failed. */
export function announce(file: string, outcome: Outcome): void {
  writeFileSync(`${file}.part`, JSON.stringify(outcome));
  renameSync(`${file}.part`, file);
}

/** The emulator once it has started; undefined if this machine cannot have one. Throws if its start failed. */
export async function announcedEmulator(): Promise<Announced | undefined> {
  for (;;) {
    const outcome = look();
    if (outcome) return emulatorIn(outcome);
    await sleep(LOOK_MS);
  }
}

/** Where functions write what they print, in a test that runs with the emulator. */
export function functionLogs(): string | undefined {
  const outcome = look();
  return outcome && emulatorIn(outcome)?.functionLogs;
}

function look(): Outcome | undefined {
  try {
    return JSON.parse(readFileSync(inject('emulatorFile'), 'utf8')) as Outcome;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function emulatorIn(outcome: Outcome): Announced | undefined {
  if ('failure' in outcome) throw new Error(`The emulator of AWS did not start: ${outcome.failure}`);
  return outcome.emulator ?? undefined;
}
