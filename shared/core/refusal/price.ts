/** The price that a response with status 402 states, by any of the schemes in use. It is reported, and never paid. */
import type { Price } from '../causes/cause.ts';
import { fieldValues, type ResponseHead } from '../outcome/response-head.ts';

/** No more of a body or field is read. */
export const MAX_PRICE_BYTES = 16_384;
/** Offers of one response that are looked at. */
const MAX_OFFERS = 20;
const MAX_URL_CHARS = 500;

/** `USD 0.01`. */
const MONEY = /^([A-Z]{3}) (\d{1,12}(?:\.\d{1,9})?)$/;
const AMOUNT = /^\d{1,40}$/;
const NAME = /^[\w:.-]{1,80}$/;
// linear: each part ends at the character that begins the next.
const LICENSE = /^<([^>]*)>\s*;(.*)$/s;

/**
 * Returns the price in the head of a response; undefined if it states none.
 *
 * - `crawler-price: USD 0.01` (Cloudflare's pay per crawl)
 * - `PAYMENT-REQUIRED`: the terms of x402, version 2, in base64
 * - `Link: <URL>; rel="license"; type="application/rsl+xml"` (RSL): the terms are at the URL
 */
export function priceInHead({ headers }: Pick<ResponseHead, 'headers'>): Price | undefined {
  const [, currency, amount] = MONEY.exec((fieldValues(headers, 'crawler-price')[0] ?? '').trim()) ?? [];
  if (currency !== undefined && amount !== undefined) return { scheme: 'cloudflare', amount, currency };
  const [terms] = fieldValues(headers, 'payment-required');
  const priced = terms === undefined ? undefined : priceInTerms(fromBase64(terms));
  return priced ?? licenseIn(fieldValues(headers, 'link'));
}

/** Returns the price in the body of a response with status 402, as x402 has it in version 1. */
export function priceInTerms(text: string): Price | undefined {
  let terms: unknown;
  try {
    terms = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { accepts } = (terms ?? {}) as { readonly accepts?: unknown };
  if (!Array.isArray(accepts)) return undefined;
  for (const offer of accepts.slice(0, MAX_OFFERS)) {
    const price = priceOfOffer(offer);
    if (price !== undefined) return price;
  }
  return undefined;
}

function priceOfOffer(offer: unknown): Price | undefined {
  const { amount, maxAmountRequired, asset, network, extra } = (offer ?? {}) as Record<string, unknown>;
  const units = textIn(amount, AMOUNT) ?? textIn(maxAmountRequired, AMOUNT);
  const { name } = (extra ?? {}) as Record<string, unknown>;
  const currency = textIn(name, NAME) ?? textIn(asset, NAME);
  if (units === undefined || currency === undefined) return undefined;
  const on = textIn(network, NAME);
  return { scheme: 'x402', amount: units, currency, ...(on !== undefined && { network: on }) };
}

const textIn = (value: unknown, form: RegExp): string | undefined =>
  typeof value === 'string' && form.test(value) ? value : undefined;

const fromBase64 = (text: string): string =>
  text.length <= MAX_PRICE_BYTES ? Buffer.from(text, 'base64').toString() : '';

function licenseIn(links: readonly string[]): Price | undefined {
  for (const link of links.slice(0, MAX_OFFERS)) {
    const [, url = '', rest = ''] = LICENSE.exec(link.slice(0, MAX_PRICE_BYTES).trim()) ?? [];
    const isLicense = /rel="?license"?/i.test(rest) && /application\/rsl\+xml/i.test(rest);
    if (isLicense && url !== '' && url.length <= MAX_URL_CHARS) return { scheme: 'rsl', license: url };
  }
  return undefined;
}
