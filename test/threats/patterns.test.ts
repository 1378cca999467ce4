/** No crawl's patterns take the time of the other crawls of a worker. */
import { beforeAll, expect, test } from 'vitest';
import { allowLinearFlag } from '../../shared/engines/linear-regexps.ts';
import { checkPatterns } from '../../shared/services/control/check-patterns.ts';

beforeAll(() => allowLinearFlag());

const SLOW = '(?:(?!z).)*z';

test.each([
  ['many slow ones', { exclude: Array(18).fill(SLOW) }],
  ['a slow one for long URLs', { exclude: [`^${SLOW}.*y`], maxUrlLength: 16_384 }],
  ['slow ones for hosts', { overrides: [{ hosts: ['a.test'], include: Array(18).fill(SLOW) }] }],
])('%s are refused', (_, given) => {
  expect(() => checkPatterns(given, 2083)).toThrow(/may take too long/);
});
