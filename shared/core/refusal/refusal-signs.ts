/**
 * The signs by which a response refuses the crawler: a challenge, a block or a price. Only what a vendor sends with the
 * refusal itself counts. What is on every page of its customers (`cf-ray`, `server: cloudflare`, `x-iinfo`, a script of
 * Turnstile, hCaptcha or reCAPTCHA) does not count.
 */
import type { BlockedCause, ChallengedCause, PricedCause, RefusalCause } from '../causes/cause.ts';
import { fieldValues, type ResponseHead } from '../outcome/response-head.ts';
import { priceInHead } from './price.ts';

/** A body is searched up to here. */
export const MAX_SIGN_BYTES = 65_536;
/** A page with as many characters of text is not a challenge, whatever stands in it. */
export const MAX_CHALLENGE_CHARS = 500;

type Head = Pick<ResponseHead, 'httpStatus' | 'headers'>;

const DATADOME = new Set([403, 405, 429]);
const HUMAN = new Set([403, 429]);
/** Statuses with which a body is searched. That of a page is searched only if it is short. */
const WITH_SIGNS = new Set([403, 405, 429, 503]);

/** A word of {@link BlockedCause}. */
const ERROR_CODE = /^[A-Za-z0-9]{1,40}$/;

/** Returns the refusal that the head of a response shows. For an ordinary page this looks through its fields once. */
export function refusalInHead(head: Head): RefusalCause | undefined {
  const { httpStatus } = head;
  if (is(head, 'cf-mitigated', 'challenge')) return challenged('Cloudflare', httpStatus);
  if (httpStatus < 400) return httpStatus === 202 ? challengedByWaf(head, 'challenge') : undefined;
  if (httpStatus === 402) return priced(head);
  return blockedIn(head) ?? challengedByWaf(head, 'captcha') ?? challengedByDataDome(head);
}

const challenged = (vendor: string, httpStatus: number): ChallengedCause => ({
  code: 'challenged',
  vendor,
  httpStatus,
});

function challengedByWaf(head: Head, action: 'challenge' | 'captcha'): ChallengedCause | undefined {
  const isStatus = head.httpStatus === (action === 'challenge' ? 202 : 405);
  return isStatus && is(head, 'x-amzn-waf-action', action)
    ? challenged('AWS WAF', head.httpStatus)
    : undefined;
}

function challengedByDataDome(head: Head): ChallengedCause | undefined {
  const { httpStatus, headers } = head;
  if (!DATADOME.has(httpStatus)) return undefined;
  const isOurs =
    is(head, 'server', 'datadome') ||
    fieldValues(headers, 'x-datadome').length > 0 ||
    fieldValues(headers, 'x-dd-b').length > 0;
  return isOurs ? challenged('DataDome', httpStatus) : undefined;
}

function blockedIn({ httpStatus, headers }: Head): BlockedCause | undefined {
  if (httpStatus >= 500) return undefined;
  const [error] = fieldValues(headers, 'crawler-error');
  if (error === undefined) return undefined;
  const detail = error.trim();
  return { code: 'blocked', httpStatus, ...(ERROR_CODE.test(detail) && { detail }) };
}

function priced(head: Head): PricedCause {
  const price = priceInHead(head);
  return { code: 'priced', httpStatus: head.httpStatus, ...(price && { price }) };
}

const is = ({ headers }: Head, field: string, value: string): boolean =>
  fieldValues(headers, field).some((given) => given.trim().toLowerCase() === value);

/** Whether the body of a response with an error status is to be searched by {@link challengeInBody}. */
export const mayHaveSigns = (httpStatus: number): boolean => WITH_SIGNS.has(httpStatus);

interface BodySign {
  readonly vendor: string;
  readonly text: string;
  /** With these statuses; absent: with any, in a page with hardly any text. */
  readonly statuses?: ReadonlySet<number>;
}

const BODY_SIGNS: readonly BodySign[] = [
  { vendor: 'HUMAN', text: 'px-captcha', statuses: HUMAN },
  { vendor: 'HUMAN', text: '_pxAppId', statuses: HUMAN },
  { vendor: 'Imperva', text: '_Incapsula_Resource' },
  { vendor: 'Imperva', text: 'Incapsula incident ID' },
  { vendor: 'Akamai', text: 'sec-if-cpt-container' },
];

/**
 * Returns the challenge that the first {@link MAX_SIGN_BYTES} of a decoded body show. `textChars`: counts the characters of the
 * page's text; called only if a sign depends on it.
 */
export async function challengeInBody(
  httpStatus: number,
  start: Uint8Array,
  textChars: () => Promise<number>,
): Promise<ChallengedCause | undefined> {
  const bytes = Buffer.from(start.buffer, start.byteOffset, Math.min(start.length, MAX_SIGN_BYTES));
  for (const { vendor, text, statuses } of BODY_SIGNS) {
    if (statuses !== undefined && !statuses.has(httpStatus)) continue;
    if (!bytes.includes(text, 0, 'latin1')) continue;
    if (statuses !== undefined || (await textChars()) < MAX_CHALLENGE_CHARS)
      return challenged(vendor, httpStatus);
  }
  return undefined;
}
