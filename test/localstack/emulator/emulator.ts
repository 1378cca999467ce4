import { setTimeout as sleep } from 'node:timers/promises';

/** The version of LocalStack: the image's tag, and the version in requirements.txt. */
export const VERSION = '4.13.1';

/** An emulator of AWS at this machine. */
export interface Emulator {
  /** `http://127.0.0.1:PORT` */
  readonly endpoint: string;
  /**
   * Where its DynamoDB is reached without LocalStack in between, which takes ten times the CPU that the database
   * does. Undefined where there is no such way.
   */
  readonly dynamodb?: string;
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

/** The environment of a program that is to find that emulator, and can find nothing else. */
export const environmentFor = ({ endpoint, dynamodb }: Pick<Emulator, 'endpoint' | 'dynamodb'>) => ({
  AWS_ENDPOINT_URL: endpoint,
  ...(dynamodb !== undefined && { AWS_ENDPOINT_URL_DYNAMODB: dynamodb }),
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
