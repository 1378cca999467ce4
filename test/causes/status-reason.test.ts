import { expect, test } from 'vitest';
import { keptReason, reasonIn, type StatusReason } from '../../shared/causes/status-reason.ts';

const PROXY: StatusReason = { code: 'proxy', text: 'maxCost: is the name of our proxy' };

test('a reason is read back as it was kept, whatever its text says', () => {
  const kept = JSON.parse(JSON.stringify(keptReason(PROXY)));
  expect(kept.reason).toBe(PROXY.text);
  expect(reasonIn(kept)).toEqual(PROXY);
  expect(reasonIn(keptReason(undefined))).toBeUndefined();
});

test.each([
  ['10 pages', 'maxPages'],
  ['1000000 bytes', 'maxBytes'],
  ['0.5 seconds', 'maxTime'],
  ['1e+21 seconds', 'maxTime'],
  ['maxCost: it would soon have cost 5 US dollars', 'maxCost'],
  ['1000 requisites for each of 10 pages', 'requisites'],
  ['proxy: connect ECONNREFUSED 127.0.0.1:3128', 'proxy'],
  ['by the operator', 'operator'],
  ['seeds were added', 'seedsAdded'],
])('%j, as older versions kept it, has the code %s', (reason, code) => {
  expect(reasonIn({ reason })).toEqual({ code, text: reason });
});

test('a reason that an older version has set since counts, not the one that it left behind', () => {
  expect(reasonIn({ why: PROXY, reason: 'by the operator' })).toMatchObject({ code: 'operator' });
  expect(reasonIn({ why: PROXY })).toBeUndefined();
});

test('other texts, and codes of newer versions, have no code', () => {
  expect(reasonIn({ reason: 'Tuesday' })).toBeUndefined();
  const newer = { code: 'weather', text: 'rain' } as unknown as StatusReason;
  expect(reasonIn({ reason: 'rain', why: newer })).toBeUndefined();
});
