import { setTimeout as sleep } from 'node:timers/promises';

/** The version of LocalStack: the image's tag, and the version in requirements.txt. */
export const VERSION = '4.13.1';

/** An emulator of AWS at this machine. */
export interface Emulator {
  /** `http://127.0.0.1:PORT` */
  readonly endpoint: string;
  /** Its name, for people. */
  readonly title: string;
  /**
   * In host mode, the folder of what functions print: FUNCTION/ENVIRONMENT.log, as long as the emulator runs.
   * In any mode it is in the functions' log groups.
   */
  readonly functionLogs?: string;
  /** Ends it, and removes what it kept. */
  stop(): Promise<void>;
}

/** The environment of a program that is to find the emulator at `endpoint`, and can find nothing else. */
export const environmentFor = (endpoint: string) => ({
  AWS_ENDPOINT_URL: endpoint,
  AWS_REGION: 'us-east-1',
  AWS_DEFAULT_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
});

/** Until it answers. Throws once `isOver` says that it will not. */
export async function untilUp(endpoint: string, isOver: () => boolean): Promise<void> {
  for (;;) {
    const answer = await fetch(`${endpoint}/_localstack/health`, { signal: AbortSignal.timeout(2000) }).catch(
      () => {},
    );
    if (answer?.ok) return;
    if (isOver()) throw new Error(`LocalStack did not start at ${endpoint}`);
    await sleep(100);
  }
}
