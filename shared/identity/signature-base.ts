/** Signatures of HTTP messages by RFC 9421, with Ed25519. */
import { sign } from 'node:crypto';
import type { SigningKey } from './signing-key.ts';

/** A covered component: its identifier as it stands in `Signature-Input`, quotes included, and its value. */
export type Component = readonly [identifier: string, value: string];

export interface SignatureParameters {
  /** Seconds since the epoch. */
  readonly created: number;
  readonly expires: number;
  /** Base64; none: the signature may be repeated. */
  readonly nonce?: string;
  /** For which use the signature is made. */
  readonly tag: string;
}

/** A signature under its label: members of the dictionaries `Signature-Input` and `Signature`. */
export interface LabelledSignature {
  readonly signatureInput: string;
  readonly signature: string;
}

/**
 * Signs the components. Values have no line end and no space around them, as RFC 9421, section 2.1 makes them: else one
 * component could look like two.
 */
export function signComponents(
  components: readonly Component[],
  { created, expires, nonce, tag }: SignatureParameters,
  { keyid, privateKey }: SigningKey,
  label: string,
): LabelledSignature {
  const covered = components.map(([identifier]) => identifier).join(' ');
  const unique = nonce === undefined ? '' : `;nonce="${nonce}"`;
  const parameters = `(${covered});created=${created};keyid="${keyid}";alg="ed25519";expires=${expires}${unique};tag="${tag}"`;
  const lines = components.map(([identifier, value]) => `${identifier}: ${value}\n`).join('');
  const base = `${lines}"@signature-params": ${parameters}`;
  const signature = sign(null, Buffer.from(base, 'latin1'), privateKey).toString('base64');
  return { signatureInput: `${label}=${parameters}`, signature: `${label}=:${signature}:` };
}
