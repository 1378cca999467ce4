/**
 * Begins to start the emulator of the project `localstack`, and ends it after the last file. The files wait for it (`announced.ts`), and
 * other tests do not.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { messageOf } from '../../../shared/core/base/error-message.ts';
import { announce } from './announced.ts';
import type { Emulator } from './emulator.ts';
import { NoEmulator, startEmulator } from './start-emulator.ts';

export default function setup(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'strand-emulator-start-'));
  const file = join(folder, 'started.json');
  project.provide('emulatorFile', file);
  const started = startAnnounced(file);
  return async () => {
    await (await started)?.stop();
    rmSync(folder, { recursive: true });
  };
}

/** Does not reject: a start that fails fails each file of the project. */
async function startAnnounced(file: string): Promise<Emulator | undefined> {
  const begun = Date.now();
  try {
    const emulator = await startEmulator((line) => console.log(line), process.env.AWS_ENDPOINT_URL);
    const { endpoint, dynamodb, title, functionLogs } = emulator;
    console.log(
      `Emulator of AWS: ${title}, at ${endpoint} after ${((Date.now() - begun) / 1000).toFixed(1)} s`,
    );
    announce(file, { emulator: { endpoint, dynamodb, functionLogs } });
    return emulator;
  } catch (error) {
    if (!(error instanceof NoEmulator) || process.env.CI === 'true') {
      announce(file, { failure: messageOf(error) });
    } else {
      console.warn(error.message);
      announce(file, { emulator: null });
    }
    return undefined;
  }
}
