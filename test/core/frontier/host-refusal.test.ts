import { describe, expect, test } from 'vitest';
import type { RefusalCause } from '../../../shared/core/causes/cause.ts';
import {
  afterRefusal,
  afterResume,
  type HostRefusal,
  MAX_REFUSAL_REST_MS,
  type RefusalFacts,
  refusingCause,
} from '../../../shared/core/frontier/host-refusal.ts';

const HOUR = 3_600_000;
const CAUSE: RefusalCause = { code: 'challenged', vendor: 'Cloudflare', httpStatus: 403 };
const FACTS: RefusalFacts = { isPlain: false, isFirst: true, hasAnswered: true, now: 1000, random: 0 };

/** Counts refusals one after the other. */
function count(n: number, facts: Partial<RefusalFacts> = {}, before?: HostRefusal) {
  let state = before;
  let of: string = '';
  for (let i = 0; i < n; i++) ({ state, of } = afterRefusal(state, CAUSE, { ...FACTS, ...facts }));
  return { state, of };
}

describe('a refusal is', () => {
  test.each<[what: string, n: number, facts: Partial<RefusalFacts>, of: string]>([
    ['of the host if it is its first answer', 1, { hasAnswered: false }, 'host'],
    ['of its URL while pages were there', 2, {}, 'url'],
    ['of the host at the third in a row', 3, {}, 'host'],
    ['of its URL if that is refused again and again', 9, { isFirst: false }, 'url'],
    ['of its URL by a plain status', 19, { isPlain: true }, 'url'],
    ['of the host by the twentieth plain status in a row', 20, { isPlain: true }, 'host'],
    [
      'of its URL by a plain status, though no page was there',
      4,
      { isPlain: true, hasAnswered: false },
      'url',
    ],
    ['of the host by the fifth then', 5, { isPlain: true, hasAnswered: false }, 'host'],
  ])('%s', (_what, n, facts, of) => {
    expect(count(n, facts).of).toBe(of);
  });
});

test('the host rests for 1, 4 and 24 hours, with one refusal after each, and is set aside then', () => {
  let { state } = count(3);
  const rests = [state!.restUntil! - FACTS.now];
  for (const _ of [1, 2]) {
    ({ state } = count(1, {}, state));
    rests.push(state!.restUntil! - FACTS.now);
  }
  expect(rests).toEqual([HOUR, 4 * HOUR, 24 * HOUR]);
  expect(count(1, {}, state)).toMatchObject({ of: 'over', state: { rests: 3, since: 1000 } });
});

test('the longest rest with its jitter is bounded', () => {
  const before = { cause: CAUSE, since: 0, row: 0, rests: 2 };
  const { state } = count(1, { random: 1 }, before);
  expect(state!.restUntil! - FACTS.now).toBe(MAX_REFUSAL_REST_MS);
});

test('after a rest, a plain status counts for the host when it comes five times in a row', () => {
  const { state } = count(20, { isPlain: true });
  expect(count(4, { isPlain: true }, state).of).toBe('url');
  expect(count(5, { isPlain: true }, state)).toMatchObject({ of: 'host', state: { rests: 2 } });
});

test('a resume ends the rest, and the next refusal causes the next one', () => {
  const resumed = afterResume(count(3).state);
  expect(resumed).toMatchObject({ rests: 1, restUntil: undefined });
  expect(count(1, {}, resumed).state).toMatchObject({ rests: 2 });
});

test('a host refuses while it rests or is set aside for that, not by refusals of its URLs', () => {
  const refusal = count(3).state;
  expect(refusingCause({ refusal })).toBe(CAUSE);
  expect(refusingCause({ refusal: count(2).state })).toBeUndefined();
  expect(refusingCause({ setAside: { cause: CAUSE } })).toBe(CAUSE);
  expect(refusingCause({ setAside: { cause: { code: 'hostFailed' } }, refusal })).toBeUndefined();
  expect(refusingCause({})).toBeUndefined();
});
