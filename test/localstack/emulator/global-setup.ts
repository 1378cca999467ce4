/** Gives the project `localstack` its emulator, before the first of its files and until after the last. */
import type { TestProject } from 'vitest/node';
import type { Emulator } from './emulator.ts';
import { NoEmulator, startEmulator } from './start-emulator.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined where none is available. */
    emulator: Pick<Emulator, 'endpoint' | 'dynamodb' | 'functionLogs'> | undefined;
  }
}

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const begun = Date.now();
  try {
    const { endpoint, dynamodb, title, functionLogs, stop } = await startEmulator(
      (line) => console.log(line),
      process.env.AWS_ENDPOINT_URL,
    );
    console.log(
      `Emulator of AWS: ${title}, at ${endpoint} after ${((Date.now() - begun) / 1000).toFixed(1)} s`,
    );
    project.provide('emulator', { endpoint, dynamodb, functionLogs });
    return stop;
  } catch (error) {
    if (!(error instanceof NoEmulator) || process.env.CI === 'true') throw error;
    console.warn(error.message);
    project.provide('emulator', undefined);
    return undefined;
  }
}
