import { expect, test } from 'vitest';
import { isIdle, isScriptRedirect, isStuck } from '../../../shared/core/render/settle.ts';

test.each([
  [{ hasLoaded: true, hasNavigated: false, inFlight: 0, held: 0 }, true],
  [{ hasLoaded: false, hasNavigated: false, inFlight: 0, held: 0 }, false],
  [{ hasLoaded: true, hasNavigated: false, inFlight: 1, held: 0 }, false],
  [{ hasLoaded: false, hasNavigated: false, inFlight: 1, held: 1 }, false],
  [{ hasLoaded: false, hasNavigated: false, inFlight: 0, held: 1 }, true],
  [{ hasLoaded: false, hasNavigated: true, inFlight: 0, held: 0 }, true],
])('a page %o is idle: %s', (activity, expected) => {
  expect(isIdle(activity)).toBe(expected);
});

test.each([
  ['a busy page', 500, 5000, false],
  ['a page on a busy machine', 3000, 300, false],
  ['a loop', 900, 900, true],
  ['a loop where CPU is unknown, at first', 3000, undefined, false],
  ['a loop where CPU is unknown', 6000, undefined, true],
])('a script of %s is ended: %s ms, %s ms of CPU', (_, waitedMs, cpuMs, expected) => {
  expect(isStuck(waitedMs, cpuMs)).toBe(expected);
});

test('a page that shows text before it leads elsewhere is no redirect', () => {
  expect([isScriptRedirect(0), isScriptRedirect(199), isScriptRedirect(200)]).toEqual([true, true, false]);
});
