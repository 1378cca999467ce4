/**
 * Web Bot Auth: requests that name their sender, and prove it (draft-ietf-webbotauth-httpsig-protocol-01). The
 * signature covers the authority, the method, the path and the agent, so that a reader of the request can repeat only
 * that request, and only for minutes.
 */
import { type Component, signComponents } from './signature-base.ts';
import type { SigningKey } from './signing-key.ts';

/**
 * `created` lies this much before the request: a verifier whose clock is behind would otherwise reject it as a signature from
 * the future. Certificate authorities backdate certificates for the same reason.
 */
const BACKDATED_S = 30;
/** A verifier's clock may be five minutes ahead, and the request may take half a minute to arrive. */
const LIFETIME_S = 330;

const LABEL = 'sig1';
const TAG = 'web-bot-auth';

/** The header fields of a signature, by name. */
export interface SignatureFields extends Readonly<Record<string, string>> {
  readonly 'Signature-Agent': string;
  readonly 'Signature-Input': string;
  readonly Signature: string;
}

export interface RequestToSign {
  /** Absolute http(s) URL. */
  readonly url: string;
  readonly method: string;
}

export interface SigningMoment {
  /** ms since the epoch. */
  readonly now: number;
  /** 64 random bytes in base64: no two signatures are alike, so a retry is not taken for a replay. */
  readonly nonce: string;
}

/** Returns the fields that the request has to be sent with. `agent`: an https origin. */
export function signRequest(
  { url, method }: RequestToSign,
  { now, nonce }: SigningMoment,
  agent: string,
  key: SigningKey,
): SignatureFields {
  const { host, pathname } = new URL(url);
  const member = `"${agent}"`;
  const components: Component[] = [
    // Without the scheme's default port: RFC 9421, section 2.2.3. `URL` writes names in Punycode.
    ['"@authority"', host],
    ['"@method"', method],
    // As it stands in the request, escapes included; never empty: RFC 9421, section 2.2.6.
    ['"@path"', pathname],
    [`"signature-agent";key="${LABEL}"`, member],
  ];
  const second = Math.floor(now / 1000);
  const parameters = {
    created: second - BACKDATED_S,
    keyid: key.keyid,
    alg: 'ed25519',
    expires: second + LIFETIME_S,
    nonce,
    tag: TAG,
  };
  const { signatureInput, signature } = signComponents(components, parameters, key.privateKey, LABEL);
  return {
    'Signature-Agent': `${LABEL}=${member}`,
    'Signature-Input': signatureInput,
    Signature: signature,
  };
}
