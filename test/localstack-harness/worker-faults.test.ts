import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundleFunction } from '../../cdk/bundle-function.ts';
import { NEW_HEAD } from '../../shared/core/frontier/head.ts';
import { createFakeClock } from '../crawler/worker/fake-clock.ts';
import { createMemoryEngine } from '../crawler/worker/memory-engine.ts';
import { createScriptedFetcher, page } from '../crawler/worker/scripted-fetcher.ts';
import {
  readWorkerFaults,
  withFaultyCommits,
  withFaultyFetches,
} from '../localstack/faulty/worker-faults.ts';

class Exit extends Error {}

/** Chance that gives these numbers, one after the other. */
function chance(...numbers: number[]) {
  return {
    random: () => numbers.shift() ?? 1,
    exit: (): never => {
      throw new Exit();
    },
  };
}

describe('without their variables there are no faults', () => {
  test.each([{}, { STRAND_TEST_EXIT_RATE: '', STRAND_TEST_EXIT_URL: '' }])('%j', (env) => {
    const faults = readWorkerFaults(env);
    expect(faults).toBeUndefined();
    const clock = createFakeClock();
    const engine = createMemoryEngine(clock);
    const fetcher = createScriptedFetcher(clock, {});
    expect(withFaultyCommits(engine, faults, chance(0, 0))).toBe(engine);
    expect(withFaultyFetches(fetcher, faults, chance())).toBe(fetcher);
  });

  test('one of them alone leaves the other’s place as it is', () => {
    const clock = createFakeClock();
    const engine = createMemoryEngine(clock);
    const fetcher = createScriptedFetcher(clock, {});
    expect(withFaultyCommits(engine, readWorkerFaults({ STRAND_TEST_EXIT_URL: '/poison' }), chance(0))).toBe(
      engine,
    );
    expect(withFaultyFetches(fetcher, readWorkerFaults({ STRAND_TEST_EXIT_RATE: '1' }), chance())).toBe(
      fetcher,
    );
  });
});

test.each(['x', '-1', '1.5', 'NaN'])('a rate of %s is refused', (rate) => {
  expect(() => readWorkerFaults({ STRAND_TEST_EXIT_RATE: rate })).toThrow(
    `Expected STRAND_TEST_EXIT_RATE to be a number from 0 to 1, got "${rate}"`,
  );
});

test.each<[string, number[], boolean, number | undefined]>([
  ['is as always, mostly', [0.5], false, 1],
  ['is as always from the rate on', [0.3], false, 1],
  ['ends the process after it, half the time', [0.1, 0.5], true, 1],
  ['ends the process before it', [0.1, 0.2], true, undefined],
  ['ends the process after it', [0.1, 0.7], true, 1],
])('a commit %s', async (_, numbers, exits, version) => {
  const engine = createMemoryEngine(createFakeClock());
  const faulty = withFaultyCommits(
    engine,
    readWorkerFaults({ STRAND_TEST_EXIT_RATE: '0.3' }),
    chance(...numbers),
  );
  const committing = faulty.ledgers.commit('news', 'a.test', { ...NEW_HEAD, version: 1 });
  if (exits) await expect(committing).rejects.toThrow(Exit);
  else await committing;
  expect((await engine.ledgers.loadHead('news', 'a.test'))?.version).toBe(version);
});

test('a poison page ends the process before it is fetched; others do not', async () => {
  const clock = createFakeClock();
  const inner = createScriptedFetcher(
    clock,
    { 'http://a.test/': page(), 'http://a.test/poison/1': page() },
    0,
  );
  const fetcher = withFaultyFetches(inner, readWorkerFaults({ STRAND_TEST_EXIT_URL: '/poison' }), chance());
  expect(await fetcher.fetch({ url: 'http://a.test/' })).toMatchObject({ httpStatus: 200 });
  await expect(fetcher.fetch({ url: 'http://a.test/poison/1' })).rejects.toThrow(Exit);
  expect(inner.log.map(({ url }) => url)).toEqual(['http://a.test/']);
});

test('a response with the header ends the process once it has come; others do not', async () => {
  const clock = createFakeClock();
  const site = { 'http://a.test/': page(), 'http://a.test/last': { headers: { 'X-Exit': '1' } } };
  const inner = createScriptedFetcher(clock, site, 0);
  const faults = readWorkerFaults({ STRAND_TEST_EXIT_HEADER: 'x-exit' });
  const fetcher = withFaultyFetches(inner, faults, chance());
  expect(await fetcher.fetch({ url: 'http://a.test/' })).toMatchObject({ httpStatus: 200 });
  await expect(fetcher.fetch({ url: 'http://a.test/last' })).rejects.toThrow(Exit);
  expect(inner.log).toHaveLength(2);
});

test('only the second entry module has faults: the deployed worker contains none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'strand-entries-'));
  const bundled = (name: string, entry?: string): string => {
    const outdir = join(folder, name);
    bundleFunction('worker', { outdir, sourcemap: false, ...(entry && { entry }) });
    return readFileSync(join(outdir, 'index.mjs'), 'utf8');
  };
  try {
    expect(bundled('deployed')).not.toContain('STRAND_TEST_EXIT');
    const faulty = bundled('faulty', join(import.meta.dirname, '../localstack/faulty/worker.ts'));
    expect(faulty).toContain('STRAND_TEST_EXIT_RATE');
    expect(faulty).toMatch(/export\{[^}]*handler[^}]*onBlocked/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
