/** Programs of others that verify signed requests, as a site would. */
import { createPublicKey, verify as verifyBytes } from 'node:crypto';
import { component, verifySignature } from 'http-message-sig';
import { verify as verifyWebBotAuth } from 'web-bot-auth';
import { verifierFromJWK } from 'web-bot-auth/crypto';
import type { PublicJwk } from '../../../shared/core/identity/signing-key.ts';

/** A request as a site has received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  /** Names as sent. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface VerifyOptions {
  /** Seconds since the epoch, by the site's clock. Default: now. */
  readonly now?: number;
  /** Seconds that clocks may differ. Default: 0. */
  readonly clockSkew?: number;
}

/** The components that bind a signature to one request of one agent. */
const REQUIRED = ['@authority', '@method', '@path', component('signature-agent', { key: 'sig1' })];

/** Verifies by RFC 9421, with all that the draft demands. Rejects if anything is wrong. */
export async function verifyByRfc9421(
  { method, url, fields }: ReceivedRequest,
  key: PublicJwk,
  { now, clockSkew }: VerifyOptions = {},
): Promise<{
  readonly keyid: string;
  readonly nonce: string;
  readonly created: number;
  readonly expires: number;
}> {
  const publicKey = createPublicKey({ key: { ...key }, format: 'jwk' });
  const { parameters } = await verifySignature(
    {
      kind: 'request',
      method,
      targetUri: url,
      fields: Object.entries(fields).map(([name, value]) => ({ name, value })),
    },
    {
      policy: {
        algorithms: ['ed25519'],
        requiredComponents: REQUIRED,
        requiredParameters: ['created', 'expires', 'keyid', 'alg', 'nonce', 'tag'],
        ...(now !== undefined && { now }),
        ...(clockSkew !== undefined && { clockSkew }),
        validate: ({ label, parameters: { tag } }) => label === 'sig1' && tag === 'web-bot-auth',
      },
      resolveVerifier: () => ({
        algorithm: 'ed25519',
        verify: (data, signature) => verifyBytes(null, data, publicKey, signature),
      }),
    },
  );
  return parameters as never;
}

/** Verifies by the package `web-bot-auth`, by the machine's clock. Rejects if anything is wrong. */
export async function verifyByWebBotAuth(
  { method, url, fields }: ReceivedRequest,
  key: PublicJwk,
): Promise<void> {
  const headers = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]),
  );
  // Version 0.1.3 takes the whole field for the value of one member of a dictionary. RFC 9421, section 2.1.2, means the
  // member's value alone.
  const agent = headers['signature-agent']?.replace(/^sig1=/, '') ?? '';
  const verifier = await verifierFromJWK({ ...key });
  await verifyWebBotAuth({ method, url, headers: { ...headers, 'signature-agent': agent } }, verifier);
}
