/** Ed25519 keys as JSON Web Keys (RFC 8037). */
import { createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { lazy } from '../base/lazy.ts';
import { InvalidIdentity } from './invalid-identity.ts';

/** The public half of a key, as JWK. */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  /** 32 bytes in base64url. */
  readonly x: string;
}

/** A key that can sign, and when it may. */
export interface SigningKey {
  /** The thumbprint of the key: RFC 7638, for Ed25519 RFC 8037, appendix A.3. */
  readonly keyid: string;
  readonly publicJwk: PublicJwk;
  readonly privateKey: KeyObject;
  /** Seconds since the epoch; none: at once. */
  readonly notBefore?: number | undefined;
  /** Seconds since the epoch; none: never. */
  readonly expiresAt?: number | undefined;
}

/** 32 bytes in base64url without padding. */
const KEY_BYTES = /^[A-Za-z0-9_-]{43}$/;
/** Until the year 9999. */
const second = () => z.int().min(0).max(253_402_300_799).optional();

/** Unknown members are left alone: RFC 7517, section 4. */
const privateJwkSchema = lazy(() =>
  z.object({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    x: z.string().regex(KEY_BYTES),
    d: z.string().regex(KEY_BYTES),
    nbf: second(),
    exp: second(),
  }),
);

/** The thumbprint of the key: base64url of the SHA-256 of its required members in the order of their names. */
export function thumbprintOf({ kty, crv, x }: PublicJwk): string {
  return hash('sha256', JSON.stringify({ crv, kty, x }), 'base64url');
}

/**
 * Reads a private JWK. `where` names it in messages: `the key in identity.json`. Throws {@link InvalidIdentity}, in whose
 * message no part of the key stands.
 */
export function readSigningKey(jwk: unknown, where: string): SigningKey {
  const { kty, crv, d } = (typeof jwk === 'object' && jwk !== null ? jwk : {}) as Record<string, unknown>;
  if (kty !== 'OKP' || crv !== 'Ed25519')
    throw new InvalidIdentity(
      `Expected ${where} to be an Ed25519 key as JWK ({"kty":"OKP","crv":"Ed25519",...}), got ${kindOf(kty, crv)}: ` +
        'strand identity create makes one',
    );
  if (d === undefined)
    throw new InvalidIdentity(
      `Expected ${where} to be a private key, got a public one: it has no member "d"`,
    );
  const parsed = privateJwkSchema().safeParse(jwk);
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map(({ path }) => String(path[0])))].join(', ');
    throw new InvalidIdentity(
      `Expected ${where} to be an Ed25519 JWK: x and d of 43 base64url characters, nbf and exp in whole seconds since the ` +
        `epoch; wrong: ${names} (not shown: the key is secret)`,
    );
  }
  return keyOf(parsed.data, where);
}

function keyOf({ x, d, nbf, exp }: z.output<ReturnType<typeof privateJwkSchema>>, where: string): SigningKey {
  const publicJwk: PublicJwk = { kty: 'OKP', crv: 'Ed25519', x };
  const privateKey = createPrivateKey({ key: { ...publicJwk, d }, format: 'jwk' });
  // Node takes `d` alone. With another key's `x`, the directory would have a key that verifies nothing.
  const { x: derived } = createPublicKey(privateKey).export({ format: 'jwk' });
  if (derived !== x)
    throw new InvalidIdentity(`Expected ${where} to be one key: its public half (x) is another key's`);
  if (nbf !== undefined && exp !== undefined && exp <= nbf)
    throw new InvalidIdentity(`Expected ${where} to expire (exp) after it is valid from (nbf)`);
  return { keyid: thumbprintOf(publicJwk), publicJwk, privateKey, notBefore: nbf, expiresAt: exp };
}

/** Only names that a key format knows: any other text might be a part of a key in the wrong field. */
const KINDS: readonly unknown[] = [
  'OKP',
  'RSA',
  'EC',
  'oct',
  'AKP',
  'Ed25519',
  'Ed448',
  'X25519',
  'X448',
  'P-256',
];

function kindOf(kty: unknown, crv: unknown): string {
  if (kty === undefined) return 'something else (not shown: it may be secret)';
  const [type, curve] = [kty, crv].map((one) => (KINDS.includes(one) ? String(one) : 'another one'));
  return crv === undefined ? `a key of type ${type}` : `a key of type ${type}, curve ${curve}`;
}
