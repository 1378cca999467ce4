/** Signs the requests of a crawl by its identity. */
import { randomBytes } from 'node:crypto';
import { type Identity, keyAt } from '../../core/identity/identity.ts';
import { type RequestToSign, type SignatureFields, signRequest } from '../../core/identity/sign-request.ts';

/** Returns the header fields of the request's signature; undefined if it goes without one. */
export type RequestSigner = (request: RequestToSign) => SignatureFields | undefined;

export interface RequestSignerOptions {
  /** The identity as it is now: its keys may be rotated while a crawl runs. */
  readonly identityOf: () => Identity;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Called once, when no key of the identity is valid any more: from then on requests are not signed. */
  readonly onExpired: (line: string) => void;
}

/** As many as `web-bot-auth` makes. */
const NONCE_BYTES = 64;

export function createRequestSigner({ identityOf, now, onExpired }: RequestSignerOptions): RequestSigner {
  let isReported = false;
  return (request) => {
    const { agent, keys } = identityOf();
    const moment = { now: now(), nonce: randomBytes(NONCE_BYTES).toString('base64') };
    const key = keyAt(keys, moment.now);
    if (key !== undefined) return signRequest(request, moment, agent, key);
    if (!isReported)
      onExpired(
        `The keys of ${agent} have expired: requests are not signed. strand identity rotate makes a new one`,
      );
    isReported = true;
    return undefined;
  };
}
