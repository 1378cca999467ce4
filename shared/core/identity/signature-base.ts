/** Signatures of HTTP messages by RFC 9421, with Ed25519. */
import { type KeyObject, sign } from 'node:crypto';

/** A covered component: its identifier as it stands in `Signature-Input`, quotes included, and its value. */
export type Component = readonly [identifier: string, value: string];

/** Parameters of a signature by name, in their order: numbers are integers, texts printable ASCII without quotes. */
export type SignatureParameters = Readonly<Record<string, number | string>>;

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
  parameters: SignatureParameters,
  key: KeyObject,
  label: string,
): LabelledSignature {
  const covered = components.map(([identifier]) => identifier).join(' ');
  const written = Object.entries(parameters)
    .map(([name, value]) => (typeof value === 'number' ? `;${name}=${value}` : `;${name}="${value}"`))
    .join('');
  const signatureParams = `(${covered})${written}`;
  const lines = components.map(([identifier, value]) => `${identifier}: ${value}\n`).join('');
  const base = `${lines}"@signature-params": ${signatureParams}`;
  const signature = sign(null, Buffer.from(base, 'latin1'), key).toString('base64');
  return { signatureInput: `${label}=${signatureParams}`, signature: `${label}=:${signature}:` };
}
