/** Reads a secret of the stack, and reads it again later: the operator may replace it while workers run. */
import type { Clock } from '../shared/crawler/ports/clock.ts';
import { readParameter } from '../shared/services/accounts/read-parameter.ts';
import type { Attention } from './attention.ts';
import { errorFields, type Log } from './log.ts';

export interface SecretOptions {
  /** The parameter's name. Absent: the stack does not have this secret. */
  readonly parameter: string | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly announce: Attention['announce'];
  /** Returns the parameter's value. Default: from the Systems Manager. */
  readonly read?: (parameter: string) => Promise<string>;
}

export interface SecretReaderOptions extends SecretOptions {
  readonly parameter: string;
  /** The trouble to announce if the secret cannot be used. */
  readonly trouble: 'Identity' | 'Secrets';
  /** Takes a value into use. Throws if it cannot be used, and then the earlier one stays; no message shows a part of it. */
  readonly use: (text: string) => void | Promise<void>;
}

export interface SecretReader {
  /**
   * Reads the secret at the first call, and again when that was an hour ago. Never throws: if it cannot be used, the operator's
   * attention is called, and the next call in a minute tries again.
   */
  load(): Promise<void>;
  /** Calls the operator's attention. Never throws. */
  report(cause: unknown): Promise<void>;
}

const KEPT_MS = 3_600_000;
const TRY_AGAIN_MS = 60_000;

export function createSecretReader(options: SecretReaderOptions): SecretReader {
  const { parameter, clock, log, announce, read = readParameter, trouble, use } = options;
  let lookAt = Number.NEGATIVE_INFINITY;
  let isInUse = false;

  async function report(error: unknown): Promise<void> {
    const fields = { parameter, cause: errorFields(error).message };
    log('warn', { unusable: trouble, isEarlierInUse: isInUse, ...fields });
    await announce(trouble, fields).catch((failure) =>
      log('warn', { notAnnounced: trouble, ...errorFields(failure) }),
    );
  }

  return {
    report,
    async load() {
      if (clock.now() < lookAt) return;
      try {
        await use(await read(parameter));
        isInUse = true;
        lookAt = clock.now() + KEPT_MS;
      } catch (error) {
        lookAt = clock.now() + TRY_AGAIN_MS;
        await report(error);
      }
    },
  };
}
