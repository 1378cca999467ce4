/** The table of signs by which a response refuses the crawler, and of what is none. */
import { describe, expect, test } from 'vitest';
import type { RefusalCause } from '../../../shared/core/causes/cause.ts';
import { causeText } from '../../../shared/core/causes/cause-text.ts';
import {
  challengeInBody,
  MAX_SIGN_BYTES,
  mayHaveSigns,
  refusalInHead,
} from '../../../shared/core/refusal/refusal-signs.ts';

type Fields = Readonly<Record<string, string>>;

const inHead = (httpStatus: number, fields: Fields): RefusalCause | undefined =>
  refusalInHead({ httpStatus, headers: Object.entries(fields) });

const wordsOf = (cause: RefusalCause | undefined) => cause && causeText(cause);

describe('a head shows', () => {
  test.each<[status: number, fields: Fields, words: string]>([
    [403, { 'cf-mitigated': 'challenge' }, 'challenged by Cloudflare (HTTP 403)'],
    [503, { 'CF-Mitigated': 'challenge' }, 'challenged by Cloudflare (HTTP 503)'],
    [200, { 'cf-mitigated': ' Challenge ' }, 'challenged by Cloudflare (HTTP 200)'],
    [202, { 'x-amzn-waf-action': 'challenge' }, 'challenged by AWS WAF (HTTP 202)'],
    [405, { 'x-amzn-waf-action': 'captcha' }, 'challenged by AWS WAF (HTTP 405)'],
    [403, { 'x-datadome': 'protected' }, 'challenged by DataDome (HTTP 403)'],
    [405, { 'X-DD-B': '1' }, 'challenged by DataDome (HTTP 405)'],
    [429, { Server: 'DataDome' }, 'challenged by DataDome (HTTP 429)'],
    [403, { 'crawler-error': 'CrawlerForbidden' }, 'blocked (HTTP 403, CrawlerForbidden)'],
    [400, { 'crawler-error': 'StrongAuthRequired' }, 'blocked (HTTP 400, StrongAuthRequired)'],
    [403, { 'crawler-error': 'no <such> code' }, 'blocked (HTTP 403)'],
    [402, { 'crawler-price': 'USD 0.01' }, 'priced (HTTP 402, USD 0.01)'],
    [402, {}, 'priced (HTTP 402)'],
  ])('a refusal: %i %o', (status, fields, words) => {
    expect(wordsOf(inHead(status, fields))).toBe(words);
  });

  test.each<[status: number, fields: Fields]>([
    [200, { 'cf-ray': '8f0-FRA', server: 'cloudflare', 'set-cookie': '__cf_bm=1' }],
    [403, { 'cf-ray': '8f0-FRA', server: 'cloudflare' }],
    [403, {}],
    [429, {}],
    [503, { server: 'cloudflare' }],
    [200, { 'cf-mitigated': 'bypassed' }],
    [200, { 'x-datadome': 'protected', 'x-dd-b': '1' }],
    [404, { 'x-datadome': 'protected' }],
    [200, { 'x-amzn-waf-action': 'challenge' }],
    [202, { 'x-amzn-waf-action': 'captcha' }],
    [405, { 'x-amzn-waf-action': 'challenge' }],
    [403, { 'x-iinfo': '1-2-3', 'x-cdn': 'Imperva' }],
    [403, { server: 'AkamaiGHost' }],
    [200, { 'crawler-charged': 'USD 0.01' }],
    [500, { 'crawler-error': 'Internal' }],
  ])('no refusal: %i %o', (status, fields) => {
    expect(inHead(status, fields)).toBeUndefined();
  });
});

const INCAPSULA =
  '<iframe src="/_Incapsula_Resource?CWUDNSAI=1">Request unsuccessful. Incapsula incident ID: 1</iframe>';
const TURNSTILE = '<script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script>';
const HCAPTCHA = '<script src="https://js.hcaptcha.com/1/api.js"></script><div class="h-captcha"></div>';
const RECAPTCHA =
  '<script src="https://www.google.com/recaptcha/api.js"></script><div class="g-recaptcha"></div>';

describe('a body shows', () => {
  const inBody = (status: number, body: string, textChars: number) =>
    challengeInBody(status, Buffer.from(body), async () => textChars);

  test.each<[status: number, body: string, textChars: number, vendor: string]>([
    [403, '<div id="px-captcha"></div>', 5000, 'HUMAN'],
    [429, '<script>window._pxAppId = "PX1"</script>', 5000, 'HUMAN'],
    [200, INCAPSULA, 499, 'Imperva'],
    [403, INCAPSULA, 0, 'Imperva'],
    [503, 'Incapsula incident ID: 443', 40, 'Imperva'],
    [200, '<div id="sec-if-cpt-container"></div>', 0, 'Akamai'],
    [429, '<div id="sec-if-cpt-container"></div>', 499, 'Akamai'],
  ])('a challenge: %i %s with %i characters', async (status, body, textChars, vendor) => {
    expect(await inBody(status, body, textChars)).toEqual({
      code: 'challenged',
      vendor,
      httpStatus: status,
    });
  });

  test.each<[status: number, body: string, textChars: number]>([
    [200, '<div id="px-captcha"></div>', 0],
    [405, '<script>window._pxAppId = "PX1"</script>', 0],
    [200, INCAPSULA, 500],
    [403, '<div id="sec-if-cpt-container"></div>', 500],
    [200, TURNSTILE, 0],
    [403, TURNSTILE, 0],
    [200, HCAPTCHA, 0],
    [403, HCAPTCHA, 0],
    [200, RECAPTCHA, 0],
    [403, RECAPTCHA, 0],
    [200, '<script src="/akam/13/5f3a"></script>', 0],
  ])('none: %i %s with %i characters', async (status, body, textChars) => {
    expect(await inBody(status, body, textChars)).toBeUndefined();
  });

  test('only in its first 64 KB', async () => {
    const sign = '_pxAppId';
    const at = (bytes: number) => inBody(403, ' '.repeat(bytes) + sign, 0);
    expect(await at(MAX_SIGN_BYTES - sign.length)).toBeDefined();
    expect(await at(MAX_SIGN_BYTES - sign.length + 1)).toBeUndefined();
  });

  test('and its text is counted only if a sign depends on that', async () => {
    const count = async (): Promise<number> => {
      throw new Error('counted');
    };
    expect(await challengeInBody(200, Buffer.from('<p>a page</p>'), count)).toBeUndefined();
  });
});

test('bodies of other statuses are not searched', () => {
  const searched = [200, 202, 302, 400, 402, 403, 404, 405, 410, 429, 500, 502, 503].filter(mayHaveSigns);
  expect(searched).toEqual([403, 405, 429, 503]);
});
