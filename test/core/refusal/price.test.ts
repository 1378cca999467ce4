import { describe, expect, test } from 'vitest';
import type { Price } from '../../../shared/core/causes/cause.ts';
import { priceText } from '../../../shared/core/causes/cause-text.ts';
import { MAX_PRICE_BYTES, priceInHead, priceInTerms } from '../../../shared/core/refusal/price.ts';

type Fields = readonly (readonly [string, string])[];

const OFFER = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  amount: '10000',
  payTo: '0x1234',
  extra: { name: 'USDC', version: '2' },
};
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const x402: Price = { scheme: 'x402', amount: '10000', currency: 'USDC', network: 'eip155:8453' };

describe('the price in a head is', () => {
  test.each<[what: string, fields: Fields, price: Price | undefined]>([
    [
      'that of pay per crawl',
      [['Crawler-Price', 'USD 0.01']],
      { scheme: 'cloudflare', amount: '0.01', currency: 'USD' },
    ],
    [
      'a whole number',
      [['crawler-price', ' EUR 2 ']],
      { scheme: 'cloudflare', amount: '2', currency: 'EUR' },
    ],
    ['none without a currency', [['crawler-price', '0.01']], undefined],
    ['none with another sign', [['crawler-price', 'USD -1']], undefined],
    ['none that is endless', [['crawler-price', `USD ${'9'.repeat(13)}`]], undefined],
    ['none with more words', [['crawler-price', 'USD 1 each']], undefined],
    ['the first offer of x402', [['PAYMENT-REQUIRED', base64({ x402Version: 2, accepts: [OFFER] })]], x402],
    [
      'the first offer that can be read',
      [['payment-required', base64({ accepts: [{}, null, OFFER] })]],
      x402,
    ],
    ['none of broken terms', [['payment-required', '%%%']], undefined],
    ['none of terms that are too long', [['payment-required', 'A'.repeat(MAX_PRICE_BYTES + 1)]], undefined],
    [
      'at the licence that RSL names',
      [['Link', '<https://example.org/license.xml>; rel="license"; type="application/rsl+xml"']],
      { scheme: 'rsl', license: 'https://example.org/license.xml' },
    ],
    ['at no other link', [['link', '<https://example.org/l>; rel="license"']], undefined],
    [
      'at no endless link',
      [['link', `<https://e.org/${'a'.repeat(600)}>; rel=license; type=application/rsl+xml`]],
      undefined,
    ],
  ])('%s', (_what, headers, price) => {
    expect(priceInHead({ headers })).toEqual(price);
  });
});

test.each<[terms: unknown, price: Price | undefined]>([
  [
    { x402Version: 1, accepts: [{ maxAmountRequired: '10000', asset: '0x03', network: 'base-sepolia' }] },
    { scheme: 'x402', amount: '10000', currency: '0x03', network: 'base-sepolia' },
  ],
  [{ accepts: [{ amount: '1', asset: 'a b' }] }, undefined],
  [{ accepts: [{ amount: 1, asset: 'X' }] }, undefined],
  [
    { accepts: [{ amount: '1', asset: 'X', network: 'x'.repeat(81) }] },
    { scheme: 'x402', amount: '1', currency: 'X' },
  ],
  [{ accepts: Array.from({ length: 21 }, (_, i) => (i === 20 ? OFFER : {})) }, undefined],
  [{ accepts: 'all' }, undefined],
  [null, undefined],
  [[], undefined],
])('terms in a body: %j', (terms, price) => {
  expect(priceInTerms(JSON.stringify(terms))).toEqual(price);
});

test('a body that is no JSON states no price', () => {
  expect(priceInTerms('<html>Payment required</html>')).toBeUndefined();
});

test.each<[Price, string]>([
  [{ scheme: 'cloudflare', amount: '0.01', currency: 'USD' }, 'USD 0.01'],
  [x402, '10000 units of USDC on eip155:8453, x402'],
  [{ scheme: 'x402', amount: '1', currency: 'X' }, '1 units of X, x402'],
  [{ scheme: 'rsl', license: 'https://example.org/l' }, 'terms at https://example.org/l'],
])('%j is said as %s', (price, text) => {
  expect(priceText(price)).toBe(text);
});
