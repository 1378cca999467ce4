/** The deployed stack while its workers die: the cases that a crawl in the cloud must survive. */
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import { connectionOf } from '../../api/stack/connect-stack.ts';
import { stackItems } from '../../shared/engines/aws/archive/stack-items.ts';
import type { UrlDetail } from '../../shared/services/report/url-detail.ts';
import type { KnownHost } from '../crawler/worker/world.ts';
import { PLAIN } from '../web/features.ts';
import { type Deployed, deploy, printErrors, until } from './deployed.ts';
import { hasEmulator } from './resources.ts';
import { configFor, expectLedgers, expectLog, serve, untilSettled } from './stack-crawl.ts';

/** Its worker exits where its environment says. */
const FAULTY_APP = 'node test/localstack/faulty/app.ts';

/**
 * An item for each page that counts, once. If the hook has returned it in a worker that died then, the host's next
 * turn publishes it, after the lease.
 */
async function expectItems({ settings, stack }: Deployed, known: ReadonlyMap<string, KnownHost>) {
  const connection = connectionOf(settings.stack, stack, settings, { clock: stack.engine.clock });
  const records = [...known.values()].flatMap((host) => [...host.records.values()]);
  const pages = records
    .filter(({ kind, state, result }) => kind === undefined && state === 'fetched' && result)
    .map(({ url }) => url);
  const itemsOf = async () => {
    const urls: string[] = [];
    for await (const { url } of stackItems<{ url: string }>(connection.copies.bucketOf('killed')))
      urls.push(url);
    return urls;
  };
  await until(async () => (await itemsOf()).length >= pages.length, 'an item for each page', 180_000);
  expect(pages.length).toBeGreaterThan(100);
  expect((await itemsOf()).sort()).toEqual(pages.sort());
}

describe.skipIf(!hasEmulator())('a deployed stack', () => {
  let deployed: Deployed;
  beforeAll(async () => {
    const workerEnvironment = JSON.stringify({
      STRAND_TEST_EXIT_RATE: '0.01',
      STRAND_TEST_EXIT_URL: '/poison',
    });
    deployed = await deploy({ workerEnvironment }, FAULTY_APP);
  });
  afterAll(() => deployed?.destroy());
  beforeEach(() => onTestFailed(() => printErrors(deployed)));

  test('though workers die at random, and one page kills each that fetches it, nothing is lost or announced twice', async () => {
    const web = await serve('127.77.0.4', { seed: 43, hosts: 8, pagesPerHost: 20, features: PLAIN });
    try {
      const poison = `${web.seeds[0]}poison`;
      await deployed.call('POST', '/crawls', {
        crawl: 'killed',
        seeds: [...web.seeds, poison],
        config: configFor(web),
      });
      await untilSettled(deployed, 'killed', web.seeds.length);
      // A worker that dies has fetched URLs that are unknown.
      const truth = expectLog(web, () => true);
      const known = await expectLedgers(deployed, 'killed', truth);
      const { body } = await deployed.call<UrlDetail>(
        'GET',
        `/crawls/killed/url?url=${encodeURIComponent(poison)}`,
      );
      expect(body).toMatchObject({ status: 'failed', cause: expect.stringContaining('the worker died') });
      await expectItems(deployed, known);
    } finally {
      await web.stop();
    }
  }, 1_200_000);
});
