import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signatureOf, verifyWebhook } from '../../../shared/services/webhook/signature.ts';

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
    ['with its time after it', signed.split(',').reverse().join()],
    ['with a second time, of which the first counts', `${signed},t=${SECOND + 1}`],
    ['five minutes later', signed, SECOND * 1000 + 300_000],
    ['by a clock that is five minutes behind', signed, SECOND * 1000 - 300_000],
    ['with a header of 1000 characters', `${signed},v2=`.padEnd(1000, 'x')],
  ])('%s', (_, header, now = NOW) => {
    expect(verifyWebhook(SECRET, header, BODY, { now })).toBe(true);
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
    ['with a shorter signature', signed.slice(0, -1), {}],
    ['with an empty signature', `t=${SECOND},v1=`, {}],
    ['with a signature without a value', `t=${SECOND},v1`, {}],
    ['with the signature under another name', signed.replace('v1=', 'v2='), {}],
    ['with the time under another name', signed.replace('t=', 's='), {}],
    ['with a part of a second', signed.replace(String(SECOND), `${SECOND}.5`), {}],
    ['with a header that is longer than 1000 characters', `${signed},v2=`.padEnd(1001, 'x'), {}],
    ['with another body', signed, { body: `${BODY} ` }],
    ['by another secret', signed, { secret: `${SECRET}.` }],
    ['after five minutes', signed, { now: SECOND * 1000 + 300_001 }],
    ['before its time', signed, { now: SECOND * 1000 - 300_001 }],
  ])('%s', (_, header, { body = BODY, secret = SECRET, now = NOW }) => {
    expect(verifyWebhook(secret, header, body, { now })).toBe(false);
  });
});

test('a receiver may allow more or less time, and its own clock counts', () => {
  const later = { now: SECOND * 1000 + 60_000 };
  expect(verifyWebhook(SECRET, signed, BODY, { ...later, toleranceMs: 60_000 })).toBe(true);
  expect(verifyWebhook(SECRET, signed, BODY, { ...later, toleranceMs: 59_999 })).toBe(false);
  const second = Math.floor(Date.now() / 1000);
  expect(verifyWebhook(SECRET, signatureOf(SECRET, second, BODY), BODY)).toBe(true);
  expect(verifyWebhook(SECRET, signed, BODY)).toBe(false);
});
