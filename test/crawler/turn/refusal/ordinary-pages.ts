/** Ordinary pages with scripts of verification codes and fields of protections, and how many of them count as refusals. */
import type { FetchedResponse } from '../../../../shared/core/outcome/fetch-outcome.ts';
import { memoryBody } from '../../../../shared/core/outcome/memory-body.ts';
import { createDocumentParser } from '../../../../shared/core/parser/document.ts';
import {
  challengeIn,
  mayBeChallenge,
  refusalIn,
} from '../../../../shared/crawler/turn/refusal/response-signs.ts';

type Fields = Readonly<Record<string, string>>;

const SCRIPTS: Readonly<Record<string, string>> = {
  Turnstile:
    '<script src="https://challenges.cloudflare.com/turnstile/v0/api.js" async></script><div class="cf-turnstile"></div>',
  hCaptcha: '<script src="https://js.hcaptcha.com/1/api.js"></script><div class="h-captcha"></div>',
  reCAPTCHA: '<script src="https://www.google.com/recaptcha/api.js"></script><div class="g-recaptcha"></div>',
  FriendlyCaptcha: '<script src="/friendly-challenge.js"></script><div class="frc-captcha"></div>',
  Akamai: '<script src="/akam/13/5f3a9c1b"></script><img src="/akam/13/pixel_5f3a9c1b?a=1">',
  Imperva: '<script src="/_Incapsula_Resource?SWJIYLWA=719d34d3"></script>',
  HUMAN: '<script>window._pxAppId="PX12345";</script><script src="/12345/init.js"></script>',
};

const FIELDS: readonly Fields[] = [
  { server: 'cloudflare', 'cf-ray': '8f0a-FRA', 'set-cookie': '__cf_bm=abc; path=/' },
  { 'x-datadome': 'protected', 'x-dd-b': '1', 'set-cookie': 'datadome=abc' },
  { 'x-iinfo': '1-2-3 NNNN', 'x-cdn': 'Imperva', 'set-cookie': 'visid_incap_1=a' },
  { server: 'AkamaiGHost', 'set-cookie': '_abck=1; path=/' },
  { 'x-amzn-waf-action': 'allow', 'x-amz-cf-id': 'abc' },
];

const TEXT = 'An article with some words, which a reader came for. '.repeat(12);
const FORM = '<form action="/contact"><label>Your message</label><textarea name="m"></textarea></form>';

/** A response with that body, as a fetcher gives it. */
export function responseOf(
  body: string | Uint8Array,
  httpStatus = 200,
  fields: Fields = {},
): FetchedResponse {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return {
    status: 'response',
    url: 'https://a.test/page',
    startedAt: 0,
    endedAt: 1,
    httpStatus,
    statusText: '',
    headers: Object.entries({ 'content-type': 'text/html; charset=utf-8', ...fields }),
    body: memoryBody(bytes),
    requestHead: new Uint8Array(),
    ipAddress: '192.0.2.1',
  };
}

/** Twenty pages: long ones with each script, short forms with the scripts of a form, and each set of fields with few words. */
export function ordinaryPages(): readonly (readonly [name: string, response: FetchedResponse])[] {
  const page = (content: string) => `<!doctype html><title>A page</title><body>${content}</body>`;
  const long = Object.entries(SCRIPTS).map(
    ([name, script]) => [`an article with ${name}`, responseOf(page(script + TEXT))] as const,
  );
  const short = ['Turnstile', 'hCaptcha', 'reCAPTCHA', 'FriendlyCaptcha'].map(
    (name) => [`a short form with ${name}`, responseOf(page(SCRIPTS[name] + FORM))] as const,
  );
  const said = FIELDS.map(
    (fields) =>
      [`a short page with ${Object.keys(fields)[0]}`, responseOf(page('Thank you.'), 200, fields)] as const,
  );
  const refused = ['Turnstile', 'hCaptcha', 'reCAPTCHA'].map(
    (name) => [`a login that is needed, with ${name}`, responseOf(page(SCRIPTS[name] + FORM), 403)] as const,
  );
  const behind = responseOf(page('No access.'), 403, FIELDS[0]);
  return [...long, ...short, ...said, ...refused, ['a 403 behind a CDN', behind]];
}

/** The names of those pages that count as refusals. */
export async function falseAlarmsAmong(
  pages: Iterable<readonly [name: string, response: FetchedResponse]>,
): Promise<string[]> {
  const names: string[] = [];
  for (const [name, response] of pages) {
    const { url, headers } = response;
    const parser = createDocumentParser({ url, headers, maxDecodedBytes: 10_000_000, maxLinks: 100_000 });
    parser.write(await response.body.bytes());
    const facts = await parser.end();
    const isPage = response.httpStatus < 300;
    if (
      (await refusalIn(response)) ??
      (isPage && mayBeChallenge(facts) ? await challengeIn(response) : undefined)
    )
      names.push(name);
  }
  return names;
}
