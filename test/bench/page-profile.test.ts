import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FEATURES, NO_FEATURE } from '../../bench/claims/page-path/features.ts';
import {
  type CpuProfile,
  IDLE,
  type ProfileNode,
  type StepRule,
  stepTimes,
} from '../../bench/claims/page-path/profile.ts';
import { OTHERWISE, STEPS } from '../../bench/claims/page-path/steps.ts';
import { sharedOut } from '../../bench/claims/page-path/thread-times.ts';

const frame = (id: number, url: string, functionName = '', children: number[] = []): ProfileNode => ({
  id,
  callFrame: { functionName, url },
  children,
});
const root = 'file:///somewhere/shared';

type Stack = readonly (readonly [url: string, name?: string])[];

const stepOf = (...stack: Stack) => placeOf(stack, STEPS, OTHERWISE);

/** One millisecond in the last node of a stack, outermost frame first. */
function placeOf(stack: Stack, rules: readonly StepRule[], otherwise: string): string | undefined {
  const nodes = stack.map(([url, name], i) => frame(i, url, name, i + 1 < stack.length ? [i + 1] : []));
  const profile: CpuProfile = { nodes, samples: [stack.length - 1], timeDeltas: [1000] };
  return [...stepTimes(profile, rules, otherwise).keys()][0];
}

test('what a library does belongs to the step that called it, and the innermost file counts', () => {
  const visit = [`${root}/crawler/turn/page/visit.ts`] as const;
  const undici = ['file:///somewhere/node_modules/undici/lib/client.js'] as const;
  expect(stepOf(visit)).toBe('turn');
  expect(stepOf(visit, undici)).toBe('fetch');
  expect(stepOf(undici, [`${root}/core/parser/html-scanner.ts`], ['', 'indexOf'])).toBe('link scan');
  expect(stepOf(undici, [`${root}/core/parser/coding-decoder.ts`], ['node:zlib'])).toBe('content decoding');
  expect(stepOf([`${root}/core/parser/link-set.ts`, 'resolved'], [`${root}/core/url/canonical.ts`])).toBe(
    'resolve, canonical form',
  );
  expect(
    stepOf([`${root}/core/frontier/ledger.ts`, 'prepareCommit'], [`${root}/core/frontier/segment.ts`]),
  ).toBe('ledger: parts for a commit');
  expect(stepOf([`${root}/core/frontier/ledger.ts`, 'merge'], [`${root}/core/frontier/run.ts`])).toBe(
    'ledger: merge, next, settle',
  );
  expect(stepOf(['', '(garbage collector)'])).toBe('garbage collection');
  expect(stepOf(['', '(idle)'])).toBe(IDLE);
  expect(stepOf(['node:internal/process/task_queues'])).toBe(OTHERWISE);
});

test('what a feature calls belongs to it, and the work that quarantine watches does not', () => {
  const featureOf = (...stack: Stack) => placeOf(stack, FEATURES, NO_FEATURE);
  const url = [`${root}/core/url/canonical.ts`] as const;
  const quarantine = `${root}/crawler/turn/quarantine.ts`;
  expect(featureOf(url)).toBe(NO_FEATURE);
  expect(featureOf([`${root}/crawler/turn/recrawl/change-watch.ts`], url)).toBe('recrawl');
  expect(featureOf([quarantine, 'isBlocked'], url)).toBe('quarantine');
  expect(featureOf([quarantine, 'watch'], [`${root}/crawler/turn/page/visit.ts`], url)).toBe(NO_FEATURE);
});

test('the steps of any profile add up to its samples', () => {
  const urls = [
    '',
    'node:zlib',
    'node:net',
    `${root}/core/parser/document.ts`,
    `${root}/crawler/turn/turn.ts`,
    'file:///else.js',
  ];
  const profiles = fc
    .array(fc.record({ url: fc.constantFrom(...urls), parent: fc.nat() }), { minLength: 1, maxLength: 30 })
    .chain((given) =>
      fc.record({
        nodes: fc.constant(
          given.map(({ url }, id) =>
            frame(
              id,
              url,
              'f',
              given.flatMap(({ parent }, child) => (child > 0 && parent % child === id ? [child] : [])),
            ),
          ),
        ),
        ticks: fc.array(fc.tuple(fc.nat(given.length - 1), fc.nat(10_000)), { maxLength: 50 }),
      }),
    );
  fc.assert(
    fc.property(profiles, ({ nodes, ticks }) => {
      const samples = ticks.map(([node]) => node);
      const timeDeltas = ticks.map(([, delta]) => delta);
      const times = stepTimes({ nodes, samples, timeDeltas }, STEPS, OTHERWISE);
      const sum = [...times.values()].reduce((all, time) => all + time, 0);
      expect(sum).toBe(timeDeltas.reduce((all, delta) => all + delta, 0));
    }),
  );
});

test('the CPU of other threads is shared out by what each kind has used meanwhile', () => {
  const before = new Map([['zlib', 10]]);
  const after = new Map([
    ['zlib', 40],
    ['compiler', 10],
  ]);
  expect(sharedOut(80, before, after)).toEqual(
    new Map([
      ['zlib', 60],
      ['compiler', 20],
    ]),
  );
  expect([...sharedOut(5, after, after).values()]).toEqual([5]);
  expect([...sharedOut(5, new Map(), new Map()).values()]).toEqual([5]);
});
