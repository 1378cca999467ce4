/** Gives the project `localstack` its emulator, before the first of its files and until after the last. */
import type { TestProject } from 'vitest/node';
import { NoEmulator, startEmulator } from './start-emulator.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined where none is available. */
    emulator: { readonly endpoint: string; readonly functionLogs?: string } | undefined;
  }
}

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const begun = Date.now();
  try {
    const { endpoint, title, functionLogs, stop } = await startEmulator(
      (line) => console.log(line),
      process.env.AWS_ENDPOINT_URL,
    );
    console.log(
      `Emulator of AWS: ${title}, at ${endpoint} after ${((Date.now() - begun) / 1000).toFixed(1)} s`,
    );
    project.provide('emulator', { endpoint, functionLogs });
    return stop;
  } catch (error) {
    if (!(error instanceof NoEmulator) || process.env.CI === 'true') throw error;
    console.warn(error.message);
    project.provide('emulator', undefined);
    return undefined;
  }
}
