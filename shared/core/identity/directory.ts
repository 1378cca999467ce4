/**
 * The directory of an agent's public keys, which verifiers fetch (draft-ietf-webbotauth-httpsig-protocol-01, "Directory
 * Format" and "Possession Proof on the Directory Response").
 */
import { hash } from 'node:crypto';
import type { Identity } from './identity.ts';
import { signComponents } from './signature-base.ts';
import type { PublicJwk, SigningKey } from './signing-key.ts';

/** Where the directory is at the agent's origin. */
export const DIRECTORY_PATH = '/.well-known/http-message-signatures-directory';
/** How long verifiers may keep a copy, in seconds: a new key has to be published so much before it signs. */
export const DIRECTORY_MAX_AGE_S = 86_400;

const DAY_S = 86_400;
/** How long the proof in the response is valid. After that, a verifier has the keys without it. */
const PROOF_LIFETIME_S = 90 * DAY_S;
const TAG = 'http-message-signatures-directory';

/** A public key as the directory has it. */
interface DirectoryKey extends PublicJwk {
  readonly kid: string;
  readonly use: 'sig';
  readonly nbf?: number;
  readonly exp?: number;
}

/** The response that the agent's origin has to send. */
export interface DirectoryResponse {
  readonly keys: readonly DirectoryKey[];
  /** The bytes to serve: the headers hold for these alone. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds since the epoch: until then the signature in the headers is valid. */
  readonly expiresAt: number;
}

/** Returns the directory of the keys that have not expired at `now` (ms since the epoch), signed by each of them. */
export function directoryOf({ agent, keys: all }: Identity, now: number): DirectoryResponse {
  const created = Math.floor(now / 1000);
  const keys = all.filter(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt > created);
  const listed = keys.map(directoryKey);
  const body = JSON.stringify({ keys: listed });
  const digest = `sha-256=:${hash('sha256', body, 'base64')}:`;
  const expiresAt = Math.min(
    created + PROOF_LIFETIME_S,
    ...keys.map(({ expiresAt: end = Number.POSITIVE_INFINITY }) => end),
  );
  const signatures = keys.map(({ keyid, privateKey }, i) =>
    signComponents(
      [
        ['"@authority";req', new URL(agent).host],
        ['"content-digest"', digest],
      ],
      { created, expires: expiresAt, keyid, alg: 'ed25519', tag: TAG },
      privateKey,
      `binding${i}`,
    ),
  );
  return {
    keys: listed,
    body,
    headers: {
      'Content-Type': 'application/http-message-signatures-directory+json',
      'Cache-Control': `max-age=${DIRECTORY_MAX_AGE_S}`,
      'Content-Digest': digest,
      'Signature-Input': signatures.map(({ signatureInput }) => signatureInput).join(', '),
      Signature: signatures.map(({ signature }) => signature).join(', '),
    },
    expiresAt,
  };
}

const directoryKey = ({ keyid, publicJwk, notBefore, expiresAt }: SigningKey): DirectoryKey => ({
  ...publicJwk,
  kid: keyid,
  use: 'sig',
  ...(notBefore !== undefined && { nbf: notBefore }),
  ...(expiresAt !== undefined && { exp: expiresAt }),
});
