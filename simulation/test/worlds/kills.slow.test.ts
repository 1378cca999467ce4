/** The counters of a crawl whose workers are killed again and again. */
import { expect, test } from 'vitest';
import type { Head } from '../../../shared/core/frontier/head.ts';
import { changedCounts, sumOfCounts } from '../../../shared/engines/aws/state/head-counts.ts';
import { createSimCloud, type SimCloud } from '../../models/cloud.ts';
import { randomOf } from '../../models/random.ts';
import { drive, T0 } from '../../models/virtual-time.ts';
import { deploy } from '../../worlds/deployment.ts';
import { createScriptedWeb, type Pages } from './scripted-web.ts';

const MINUTE = 60_000;
const KILLS = 150;

/** Hosts that know each other, each with a chain of pages. */
function createPages(hosts: number, pages: number): Pages {
  const all: Record<string, readonly string[]> = {};
  for (let host = 0; host < hosts; host++)
    for (let page = 0; page < pages; page++) {
      const next = page + 1 < pages ? [`/${page + 1}`] : [];
      all[`http://h${host}.test/${page === 0 ? '' : page}`] = [
        ...next,
        `http://h${(host + 1) % hosts}.test/`,
      ];
    }
  return all;
}

/** The sums over the heads as they are stored. */
function sumsOfHeads(cloud: SimCloud) {
  let sums = {};
  for (const { sk, head } of cloud.dynamo.items(cloud.settings.crawlState))
    if (sk?.S === 'head')
      sums = sumOfCounts(sums, changedCounts(undefined, JSON.parse(head?.S ?? '') as Head));
  return sums as Record<string, number>;
}

test('after 150 workers were killed, the counters of the finished crawl are the sums over its heads', async () => {
  const cloud = createSimCloud({ seed: 14 });
  const { time } = cloud;
  const web = createScriptedWeb(time, createPages(30, 40));
  const deployment = deploy(cloud, { fetcherOf: (process) => web.fetcherOf(process) });
  const { control, registry } = deployment.operator();
  const config = { scope: 'any', delayMs: 2000, turnMaxMs: 4000, contact: 'https://sim.test/' } as const;
  await drive(time, control.create({ crawl: 'c', seeds: ['http://h0.test/'], config }));

  let heads = 0;
  cloud.dynamo.onWrite = (_table, item) => {
    if (item?.sk?.S === 'head') heads++;
  };
  function nextHead(): Promise<void> {
    const before = heads;
    return time.run(time.now() + 10 * MINUTE, () => heads > before);
  }

  const random = randomOf(14, 'kills');
  let wrong = 0;
  let killed = 0;
  for (let tries = 0; killed < KILLS && tries < 20 * KILLS; tries++) {
    await time.advance(1000 + 9000 * random());
    // Every other one between a head and its counters.
    if (killed % 2 === 0) await nextHead();
    if (!deployment.killOne('worker')) continue;
    killed++;
    const { pages, requests } = await drive(time, registry.totals('c'));
    const sums = sumsOfHeads(cloud);
    if (pages !== (sums.pages ?? 0) || requests !== (sums.requests ?? 0)) wrong++;
  }
  expect(killed).toBe(KILLS);
  // Otherwise the kills would have shown nothing.
  expect(wrong).toBeGreaterThan(0);

  const status = () => drive(time, control.status('c'));
  while ((await status()).state !== 'finished' && time.now() < T0 + 3000 * MINUTE) await time.advance(MINUTE);
  deployment.stop();
  const totals = await drive(time, registry.totals('c'));
  const sums = sumsOfHeads(cloud);
  expect((await status()).state).toBe('finished');
  expect(totals).toMatchObject({
    isExact: true,
    hosts: 30,
    hostsWaiting: 0,
    pages: sums.pages,
    requests: sums.requests,
    bytes: sums.bytes,
  });
  expect(totals.urls).toMatchObject({ waiting: 0, fetched: sums['urls.fetched'] });
});
