/** Makes new keys, and replaces one key by another without a gap. */
import { DIRECTORY_MAX_AGE_S } from './directory.ts';
import { type Identity, keyAt } from './identity.ts';
import { InvalidIdentity } from './invalid-identity.ts';
import type { PublicJwk, SigningKey } from './signing-key.ts';

const DAY_S = 86_400;
/**
 * From its creation until a new key signs: a day for the operator to publish it, and the time that verifiers keep their
 * copy of the directory.
 */
const LEAD_S = DAY_S + DIRECTORY_MAX_AGE_S;
/** An old key stays for what it has signed last, and for processes that have not read the new one yet. */
const OVERLAP_S = DAY_S;

/** A key as the identity's file has it. */
export interface PrivateJwk extends PublicJwk {
  readonly d: string;
  readonly nbf?: number;
  readonly exp?: number;
}

/** An identity as its file has it. */
export interface IdentityDocument {
  readonly agent: string;
  readonly keys: readonly PrivateJwk[];
}

export interface NewKey {
  readonly jwk: PublicJwk & { readonly d: string };
  /** Days that it signs. */
  readonly days: number;
}

/** An identity with one key, which signs at once. `now`: ms since the epoch. */
export function newIdentity(agent: string, { jwk, days }: NewKey, now: number): IdentityDocument {
  const nbf = Math.floor(now / 1000);
  return { agent, keys: [{ ...jwk, nbf, exp: nbf + days * DAY_S }] };
}

export interface Rotation {
  readonly document: IdentityDocument;
  /** Seconds since the epoch: from then on the new key signs. The directory has to have it before. */
  readonly signsFrom: number;
}

/**
 * Adds the new key. The present one signs until the new one is known to verifiers, and stays in the directory for another
 * day. If the present key expires sooner, the new one follows it without a gap. `isAtOnce`: the new key signs now and the
 * others are dropped, for a private key that others have seen. Throws {@link InvalidIdentity} if a new key waits already.
 */
export function rotateKeys(
  { agent, keys }: Identity,
  { jwk, days }: NewKey,
  { now, isAtOnce = false }: { readonly now: number; readonly isAtOnce?: boolean },
): Rotation {
  const second = Math.floor(now / 1000);
  const present = keyAt(keys, now);
  const added = (nbf: number) => ({ ...jwk, nbf, exp: nbf + days * DAY_S });
  if (isAtOnce || present === undefined)
    return { document: { agent, keys: [added(second)] }, signsFrom: second };
  const waiting = keys.find(({ notBefore = 0 }) => notBefore > second);
  if (waiting !== undefined)
    throw new InvalidIdentity(
      `A new key waits already: it signs from ${new Date(waiting.notBefore! * 1000).toISOString()}. Publish it; if a key is ` +
        'compromised: --at-once',
    );
  const { expiresAt = Number.POSITIVE_INFINITY } = present;
  const signsFrom = Math.min(second + LEAD_S, expiresAt);
  const old = { ...jwkOf(present), exp: Math.min(expiresAt, signsFrom + OVERLAP_S) };
  const older = keys.filter((key) => key !== present && (key.expiresAt ?? 0) > second).map(jwkOf);
  return { document: { agent, keys: [...older, old, added(signsFrom)] }, signsFrom };
}

/** The identity as a file has it, without the keys that have expired at `now` (ms since the epoch). */
export function documentOf({ agent, keys }: Identity, now: number): IdentityDocument {
  const valid = keys.filter(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt * 1000 > now);
  return { agent, keys: valid.map(jwkOf) };
}

function jwkOf({ publicJwk, privateKey, notBefore, expiresAt }: SigningKey): PrivateJwk {
  const d = privateKey.export({ format: 'jwk' }).d as string;
  const times = {
    ...(notBefore !== undefined && { nbf: notBefore }),
    ...(expiresAt !== undefined && { exp: expiresAt }),
  };
  return { ...publicJwk, d, ...times };
}
