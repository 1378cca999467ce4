/** The identity of a stack in its workers: signs the requests of all crawls. */
import { createRequestSigner, type RequestSigner } from '../shared/fetcher/request-signer.ts';
import { checkKeys, expiryWarning, type Identity, readIdentity } from '../shared/identity/identity.ts';
import { InvalidIdentity } from '../shared/identity/invalid-identity.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { Attention } from './attention.ts';
import { errorFields, type Log } from './log.ts';
import { secretJson } from './secret-json.ts';
import { readSecretParameter } from './secret-parameter.ts';

export interface WorkerIdentityOptions {
  /** The parameter's name. None: requests are not signed. */
  readonly parameter: string | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly announce: Attention['announce'];
  /** Returns the parameter's value. Default: from the Systems Manager. */
  readonly read?: (parameter: string) => Promise<string>;
}

export interface WorkerIdentity {
  /** Undefined if the stack has no identity. */
  readonly sign: RequestSigner | undefined;
  /**
   * Reads the identity at the first call, and again when that was an hour ago: its keys are rotated. Never throws: if the
   * identity cannot be used, requests are not signed, the operator's attention is called, and the next call in a minute
   * tries again. An identity that was read before stays in use.
   */
  load(): Promise<void>;
}

const KEPT_MS = 3_600_000;
const TRY_AGAIN_MS = 60_000;

export function createWorkerIdentity(options: WorkerIdentityOptions): WorkerIdentity {
  const { parameter, clock, log, announce, read = readSecretParameter } = options;
  if (parameter === undefined) return { sign: undefined, load: async () => {} };
  let identity: Identity | undefined;
  let lookAt = Number.NEGATIVE_INFINITY;
  const now = () => clock.now();

  async function report(cause: unknown): Promise<void> {
    const fields = {
      parameter,
      ...(cause instanceof InvalidIdentity ? { cause: cause.message } : errorFields(cause)),
    };
    log('warn', { notSigned: identity === undefined, ...fields });
    await announce('Identity', fields).catch((error) =>
      log('warn', { notAnnounced: 'Identity', ...errorFields(error) }),
    );
  }

  const signer = createRequestSigner({
    identityOf: () => identity as Identity,
    now,
    onExpired: (line) => void report(new InvalidIdentity(line)),
  });
  return {
    sign: (request) => (identity === undefined ? undefined : signer(request)),
    async load() {
      if (now() < lookAt) return;
      try {
        const found = parsed(await read(parameter), parameter);
        checkKeys(found, now(), parameter);
        identity = found;
        lookAt = now() + KEPT_MS;
        const warning = expiryWarning(found, now(), parameter);
        if (warning !== undefined) await report(new InvalidIdentity(warning));
      } catch (error) {
        lookAt = now() + TRY_AGAIN_MS;
        await report(error);
      }
    },
  };
}

function parsed(text: string, parameter: string): Identity {
  const value = secretJson(text);
  if (value === undefined)
    throw new InvalidIdentity(`Expected the parameter ${parameter} to hold an identity as JSON`);
  return readIdentity(value, { where: parameter });
}
