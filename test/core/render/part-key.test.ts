import { expect, test } from 'vitest';
import { changedParts, type KeyedPart, partKeys } from '../../../shared/core/render/part-key.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const get = (url: string): KeyedPart => ({ url, method: 'GET', headers: {} });
const post = (body: string, type = 'application/json'): KeyedPart => ({
  ...get('https://example.org/api'),
  method: 'POST',
  headers: { 'content-type': type },
  body: Buffer.from(body),
});
const keys = (part: KeyedPart) => partKeys(part, NOW);

test.each<readonly [string, KeyedPart, KeyedPart]>([
  ['a time in ms', get(`https://example.org/a?_=${NOW}`), get(`https://example.org/a?_=${NOW + 2345}`)],
  ['a time in s', get('https://example.org/a?t=1795953600'), get('https://example.org/a?t=1795953603')],
  [
    'a random number',
    get('https://example.org/a?r=0.1234567890123'),
    get('https://example.org/a?r=0.98765432198'),
  ],
  ['a time in a body', post(`{"at":${NOW}}`), post(`{"at":${NOW + 5}}`)],
])('%s is the only difference: the steady keys are equal', (_, one, other) => {
  expect(keys(one).exact).not.toBe(keys(other).exact);
  expect(keys(one).steady).toBe(keys(other).steady);
});

test.each<readonly [string, KeyedPart, KeyedPart]>([
  [
    'an id of as many digits',
    get('https://example.org/i/1234567890123'),
    get('https://example.org/i/1234567890124'),
  ],
  ['a method', get('https://example.org/api'), { ...get('https://example.org/api'), method: 'HEAD' }],
  ['a body', post('{"page":1}'), post('{"page":2}')],
])('%s makes another request', (_, one, other) => {
  expect(keys(one).steady).not.toBe(keys(other).steady);
});

test('the boundary of a form is no difference, and its fields are', () => {
  const form = (boundary: string, value: string) =>
    post(`--${boundary}\r\n\r\n${value}\r\n--${boundary}--`, `multipart/form-data; boundary=${boundary}`);
  expect(keys(form('----A1', 'x')).exact).toBe(keys(form('----B2', 'x')).exact);
  expect(keys(form('----A1', 'x')).exact).not.toBe(keys(form('----A1', 'y')).exact);
});

test('what differs between two URLs is named in pairs', () => {
  expect(changedParts(`/a?cb=f${NOW}&id=7`, `/a?cb=f${NOW + 1}&id=7`)).toEqual([
    [String(NOW), String(NOW + 1)],
  ]);
  expect(changedParts('/a', '/b')).toEqual([]);
});
