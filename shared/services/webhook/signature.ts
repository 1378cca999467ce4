import { createHmac, timingSafeEqual } from 'node:crypto';

export interface VerifyOptions {
  /** The time now, in ms since the epoch. Default: the machine's clock. */
  readonly now?: number;
  /**
   * A message that is older than this, in ms, or as much from the future, is refused: someone may have recorded it.
   * Default: 300,000.
   */
  readonly toleranceMs?: number;
}

const TOLERANCE_MS = 300_000;
/** A header has a time and a few signatures; anything longer is none. */
const MAX_HEADER = 1000;

/** Returns the header `X-Strand-Signature` of a body that is sent at that second (since the epoch). */
export const signatureOf = (secret: string, second: number, body: string): string =>
  `t=${second},v1=${hmacOf(secret, second, body)}`;

/**
 * Whether a webhook's request was signed with the secret. `header`: its `X-Strand-Signature`, which is
 * `t=SECOND,v1=HEX`, HEX being the HMAC-SHA256 of `SECOND.BODY`. `body`: the request's body as received, before it is
 * parsed. Several `v1` may stand there; one that fits is enough.
 */
export function verifyWebhook(
  secret: string,
  header: string | undefined,
  body: string,
  { now = Date.now(), toleranceMs = TOLERANCE_MS }: VerifyOptions = {},
): boolean {
  if (header === undefined || header.length > MAX_HEADER) return false;
  const parts = header.split(',').map((part) => part.trim().split('=', 2));
  const second = Number(parts.find(([name]) => name === 't')?.[1]);
  if (!Number.isInteger(second) || Math.abs(now - second * 1000) > toleranceMs) return false;
  const expected = Buffer.from(hmacOf(secret, second, body));
  return parts.some(([name, hex = '']) => {
    const given = Buffer.from(hex);
    return name === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

const hmacOf = (secret: string, second: number, body: string): string =>
  createHmac('sha256', secret).update(`${second}.${body}`).digest('hex');
