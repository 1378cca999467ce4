import { expect, test } from 'vitest';
import { sha1Label } from '../../../shared/core/archive/digest.ts';
import { originalOf } from '../../../shared/core/archive/original-of.ts';

const SHA1 = new Uint8Array(20).fill(7);
const ID = '<urn:uuid:00000000-0000-4000-8000-000000000001>';
const FIELDS = {
  'WARC-Type': 'response',
  'WARC-Record-ID': ID,
  'WARC-Target-URI': 'http://a.test/',
  'WARC-Date': '2026-01-02T03:04:05.678Z',
  'WARC-Payload-Digest': sha1Label(SHA1),
};
const FIRST = {
  'WARC-Refers-To': '<urn:uuid:00000000-0000-4000-8000-000000000002>',
  'WARC-Refers-To-Target-URI': 'http://a.test/first',
  'WARC-Refers-To-Date': '2025-01-02T03:04:05Z',
};

function of(fields: Record<string, string | undefined>, httpStatus = 200) {
  const given = Object.entries({ ...FIELDS, ...fields }).filter(
    (field): field is [string, string] => field[1] !== undefined,
  );
  return originalOf({ record: { version: '1.1', fields: given, blockLength: 9 }, httpStatus }, SHA1);
}

test('a response holds its payload itself', () => {
  expect(of({})).toEqual({ url: 'http://a.test/', date: '2026-01-02T03:04:05.678Z', recordId: ID });
  expect(of({ 'WARC-Record-ID': undefined })).toEqual({ url: 'http://a.test/', date: FIELDS['WARC-Date'] });
  expect(of({}, 404)).toMatchObject({ url: 'http://a.test/' });
});

test('a revisit refers to the record that holds it, whatever its own head says', () => {
  const expected = {
    url: 'http://a.test/first',
    date: '2025-01-02T03:04:05Z',
    recordId: FIRST['WARC-Refers-To'],
  };
  const revisit = { ...FIRST, 'WARC-Type': 'revisit', 'WARC-Truncated': 'length' };
  expect(of(revisit)).toEqual(expected);
  expect(of(revisit, 0)).toEqual(expected);
  expect(of({ ...revisit, 'WARC-Refers-To': undefined })).toEqual({ url: expected.url, date: expected.date });
});

test.each<[string, Record<string, string | undefined>, number]>([
  ['of another payload', { 'WARC-Payload-Digest': sha1Label(new Uint8Array(20)) }, 200],
  ['without a digest', { 'WARC-Payload-Digest': undefined }, 200],
  ['of another algorithm', { 'WARC-Payload-Digest': 'md5:1B2M2Y8AsgTpgAmY7PhCfg==' }, 200],
  ['that was cut off', { 'WARC-Truncated': 'length' }, 200],
  ['that is a redirect', {}, 301],
  ['that is a part', {}, 206],
  ['whose head cannot be read', {}, 0],
  ['of another type', { 'WARC-Type': 'resource' }, 200],
  ['without a date', { 'WARC-Date': undefined }, 200],
  ['that refers to nothing', { 'WARC-Type': 'revisit' }, 200],
])('a record %s is no original', (_, fields, httpStatus) => {
  expect(of(fields, httpStatus)).toBeUndefined();
});
