/** The identity of a stack in its workers: signs the requests of all crawls. */

import { checkKeys, expiryWarning, type Identity, readIdentity } from '../shared/core/identity/identity.ts';
import { InvalidIdentity } from '../shared/core/identity/invalid-identity.ts';
import { createRequestSigner, type RequestSigner } from '../shared/crawler/fetcher/request-signer.ts';
import { secretJson } from './secret-json.ts';
import { createSecretReader, type SecretOptions } from './secret-reader.ts';

export interface WorkerIdentity {
  /** Undefined if the stack has no identity. */
  readonly sign: RequestSigner | undefined;
  /**
   * Reads the identity when it is time ({@link createSecretReader}): its keys are rotated. If it cannot be used, requests are not
   * signed, or by the one that was read before.
   */
  load(): Promise<void>;
}

export function createWorkerIdentity(options: SecretOptions): WorkerIdentity {
  const { parameter, clock } = options;
  if (parameter === undefined) return { sign: undefined, load: async () => {} };
  let identity: Identity | undefined;
  const now = () => clock.now();

  const { load, report } = createSecretReader({
    ...options,
    parameter,
    trouble: 'Identity',
    async use(text) {
      const found = parsed(text, parameter);
      checkKeys(found, now(), parameter);
      identity = found;
      const warning = expiryWarning(found, now(), parameter);
      if (warning !== undefined) await report(new InvalidIdentity(warning));
    },
  });
  const signer = createRequestSigner({
    identityOf: () => identity as Identity,
    now,
    onExpired: (line) => void report(new InvalidIdentity(line)),
  });
  return { sign: (request) => (identity === undefined ? undefined : signer(request)), load };
}

function parsed(text: string, parameter: string): Identity {
  const value = secretJson(text);
  if (value === undefined)
    throw new InvalidIdentity(`Expected the parameter ${parameter} to hold an identity as JSON`);
  return readIdentity(value, { where: parameter });
}
