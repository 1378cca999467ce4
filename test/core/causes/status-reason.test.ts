import { expect, test } from 'vitest';
import { reasonIn, type StatusReason } from '../../../shared/core/causes/status-reason.ts';

const PROXY: StatusReason = { code: 'proxy', text: 'maxCost: is the name of our proxy' };

test('a reason is read back as it was kept, whatever its text says', () => {
  expect(reasonIn(JSON.parse(JSON.stringify({ why: PROXY })))).toEqual(PROXY);
  expect(reasonIn({})).toBeUndefined();
});

test('a code of a newer version is not known', () => {
  expect(reasonIn({ why: { code: 'weather', text: 'rain' } as unknown as StatusReason })).toBeUndefined();
});
