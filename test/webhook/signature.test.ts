import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signatureOf, verifyWebhook } from '../../shared/webhook/signature.ts';

const SECRET = 'a secret of the test';
const BODY = '{"id":"1"}';
const NOW = 1_700_000_000_500;
const SECOND = 1_700_000_000;
const signed = signatureOf(SECRET, SECOND, BODY);

test('a signature is the HMAC-SHA256 of the time, a dot and the body', () => {
  const hex = createHmac('sha256', SECRET).update(`1700000000.${BODY}`).digest('hex');
  expect(signed).toBe(`t=1700000000,v1=${hex}`);
});

describe('a request is genuine', () => {
  test.each([
    ['by its signature', signed],
    ['by one of several', `t=${SECOND},v1=00,${signed.split(',')[1]}`],
    ['with spaces', signed.replace(',', ', ')],
    ['with parts of a later version', `${signed},v2=abc`],
  ])('%s', (_, header) => {
    expect(verifyWebhook(SECRET, header, BODY, { now: NOW })).toBe(true);
  });
});

describe('a request is refused', () => {
  test.each<[string, string | undefined, { body?: string; secret?: string; now?: number }]>([
    ['without a signature', undefined, {}],
    ['with an empty one', '', {}],
    ['with nonsense', 'v1', {}],
    ['with a time that is none', signed.replace(String(SECOND), 'soon'), {}],
    ['with another time', signed.replace(String(SECOND), String(SECOND + 1)), {}],
    ['with a longer signature', `${signed}0`, {}],
    ['with thousands of signatures', `t=${SECOND}${',v1=00'.repeat(10_000)}`, {}],
    ['with another body', signed, { body: `${BODY} ` }],
    ['by another secret', signed, { secret: `${SECRET}.` }],
    ['after five minutes', signed, { now: NOW + 300_000 }],
    ['before its time', signed, { now: NOW - 302_000 }],
  ])('%s', (_, header, { body = BODY, secret = SECRET, now = NOW }) => {
    expect(verifyWebhook(secret, header, body, { now })).toBe(false);
  });
});
