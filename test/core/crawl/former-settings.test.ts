import { expect, test } from 'vitest';
import { withoutFormer } from '../../../shared/core/crawl/former-settings.ts';

test.each([
  [{ config: { allowInvalidCertificates: true, tls: 'record' } }, { config: { tls: 'any' } }],
  [{ config: { allowInvalidCertificates: false, tls: 'record' } }, { config: { tls: 'record' } }],
  [
    { config: { maxPages: 5 }, status: 'paused' },
    { config: { maxPages: 5 }, status: 'paused' },
  ],
])('a record %j of an earlier version becomes %j', (stored, expected) => {
  expect(withoutFormer(stored)).toEqual(expected);
});

test.each([null, undefined, 7, 'x', {}, { config: null }, { config: 'x' }, { config: [] }])(
  'what is no record of a crawl, %j, stays as it is',
  (stored) => {
    expect(withoutFormer(stored as never)).toBe(stored);
  },
);
