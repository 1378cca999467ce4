/**
 * Who a crawler says it is: the origin where its public keys are, and the keys that sign its requests
 * (draft-ietf-webbotauth-httpsig-protocol).
 */
import { InvalidIdentity } from './invalid-identity.ts';
import { readSigningKey, type SigningKey } from './signing-key.ts';

export interface Identity {
  /** An https origin, without a slash at its end: the directory of public keys is there. */
  readonly agent: string;
  /** At least one. */
  readonly keys: readonly SigningKey[];
}

/** More than two overlap in no rotation. */
const MAX_KEYS = 20;
const MAX_AGENT_CHARS = 300;

/**
 * The agent's origin, as it stands in `Signature-Agent`. Throws {@link InvalidIdentity}: verifiers ignore anything but
 * an https origin.
 */
export function readAgent(text: unknown, where = 'the agent of the identity'): string {
  const url = typeof text === 'string' && text.length <= MAX_AGENT_CHARS ? URL.parse(text) : null;
  const expected = `Expected ${where} to be an https origin such as https://crawler.example.org`;
  if (text === undefined)
    throw new InvalidIdentity(`${expected}, where the public keys are published; it is missing`);
  if (url === null) throw new InvalidIdentity(`${expected}, got ${shown(text)}`);
  if (url.protocol !== 'https:')
    throw new InvalidIdentity(`${expected}, got ${shown(text)}: verifiers fetch keys by https only`);
  if (url.username !== '' || url.password !== '')
    throw new InvalidIdentity(`${expected}, got one with a user or password (not shown)`);
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw new InvalidIdentity(
      `${expected}, got ${shown(text)}: the path of the directory is fixed, it cannot be chosen`,
    );
  return url.origin;
}

const shown = (text: unknown): string =>
  typeof text === 'string' ? JSON.stringify(text.slice(0, 100)) : `a value of type ${typeof text}`;

/**
 * Reads an identity: `{ agent, keys: [JWK, ...] }` as `strand identity create` writes it, or one private JWK. `given.agent`
 * counts before the agent that stands there. Throws {@link InvalidIdentity}.
 */
export function readIdentity(
  value: unknown,
  { where, agent }: { readonly where: string; readonly agent?: string | undefined },
): Identity {
  const read = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const list = 'keys' in read ? read.keys : [value];
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_KEYS)
    throw new InvalidIdentity(`Expected ${where} to have 1 to ${MAX_KEYS} keys`);
  const keys = list.map((jwk, i) =>
    readSigningKey(jwk, list.length === 1 ? `the key in ${where}` : `key ${i + 1} in ${where}`),
  );
  if (new Set(keys.map(({ keyid }) => keyid)).size < keys.length)
    throw new InvalidIdentity(`Expected the keys in ${where} to differ, got one of them twice`);
  return { agent: readAgent(agent ?? read.agent, `the agent of ${where}`), keys };
}

const startOf = ({ notBefore = 0 }: SigningKey): number => notBefore;
const endOf = ({ expiresAt = Number.POSITIVE_INFINITY }: SigningKey): number => expiresAt;

/**
 * The key that signs at this time (ms since the epoch): of those that are valid, the one whose time began last. Undefined
 * if none is.
 */
export function keyAt(keys: readonly SigningKey[], now: number): SigningKey | undefined {
  let found: SigningKey | undefined;
  for (const key of keys) {
    const isValid = startOf(key) * 1000 <= now && now < endOf(key) * 1000;
    if (isValid && (found === undefined || startOf(key) > startOf(found))) found = key;
  }
  return found;
}

/** Throws {@link InvalidIdentity} if no key of the identity is valid at this time (ms since the epoch). */
export function checkKeys({ keys }: Identity, now: number, where: string): void {
  if (keyAt(keys, now) !== undefined) return;
  const next = Math.min(...keys.map(startOf).filter((start) => start * 1000 > now));
  const last = Math.max(...keys.map(endOf));
  throw new InvalidIdentity(
    next === Number.POSITIVE_INFINITY
      ? `The key in ${where} expired on ${dayOf(last)}: strand identity rotate makes a new one`
      : `The key in ${where} is not valid before ${dayOf(next)}`,
  );
}

/** A warning comes so early: a rotation needs two of these days. */
const WARNED_S = 14 * 86_400;

/** Returns a warning if the last key of the identity expires within two weeks of `now` (ms since the epoch). */
export function expiryWarning({ keys }: Identity, now: number, where: string): string | undefined {
  const last = Math.max(...keys.map(endOf));
  if (last * 1000 - now > WARNED_S * 1000) return undefined;
  return `The key in ${where} expires on ${dayOf(last)}: strand identity rotate makes a new one, which you publish before`;
}

const dayOf = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
