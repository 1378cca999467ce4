/** Upgrades and rollbacks in the simulated account. `test/localstack/upgrade.slow.test.ts` has one on the emulator. */
import { expect, test } from 'vitest';
import { crawlSite, type Row, type Version } from './rollback.ts';
import { inSimulation } from './simulated-place.ts';
import { SITE } from './site.ts';

const crawl = (...versions: readonly Version[]): Promise<Record<string, Row>> =>
  inSimulation((place) => crawlSite(place, { crawl: 'rolled', delayMs: 1000, versions }));

test('a running crawl is upgraded, rolled back and upgraded again: it ends like one that was not disturbed', async () => {
  const undisturbed = await crawl('present');
  expect(Object.keys(undisturbed).toSorted()).toEqual(Object.keys(SITE).toSorted());
  expect(await crawl('previous', 'present', 'previous', 'present')).toEqual(undisturbed);
  expect(await crawl('previous', 'present', 'previous')).toEqual(undisturbed);
});
