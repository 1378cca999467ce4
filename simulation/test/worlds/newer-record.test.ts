/**
 * A crawl whose record is of a newer version: that one began it, and then the present one was deployed again. The crawl
 * waits, at any function that meets it, and continues with the version that knows its settings.
 */

import { gunzipSync, gzipSync } from 'node:zlib';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { createSimCloud } from '../../models/cloud.ts';
import { drive, T0 } from '../../models/virtual-time.ts';
import { deploy } from '../../worlds/deployment.ts';
import { createScriptedWeb, type Pages } from './scripted-web.ts';

const MINUTE = 60_000;
const HOSTS = 6;
const PAGES = 40;

/** Hosts with chains of pages, which lead to other hosts, too; and one whose link comes while the crawl waits. */
const SITE: Pages = {
  'http://late.test/': [],
  ...Object.fromEntries(
    Array.from({ length: HOSTS * PAGES }, (_, i) => {
      const [host, page] = [Math.floor(i / PAGES), i % PAGES];
      const next = page + 1 < PAGES ? [`http://h${host}.test/${page + 1}`] : [];
      const other = `http://h${(host + 1) % HOSTS}.test/${page || ''}`;
      return [`http://h${host}.test/${page || ''}`, [...next, other]];
    }),
  ),
};

test('a crawl whose settings the present version does not know waits: nothing is fetched, nothing is lost, and it is announced', async () => {
  const cloud = createSimCloud({ seed: 3 });
  const { time, dynamo, settings, sqs } = cloud;
  const web = createScriptedWeb(time, SITE);
  const deployment = deploy(cloud, { fetcherOf: (process) => web.fetcherOf(process) });
  const { control } = deployment.operator();
  const config = { scope: 'any', delayMs: 1000, contact: 'https://sim.test/' } as const;
  await drive(time, control.create({ crawl: 'c', seeds: ['http://h0.test/'], config }));
  const clients = cloud.clientsOf(cloud.begin('deployer'));

  /** Stores the record with other settings, as another version has them. */
  async function change(act: (config: Record<string, unknown>) => void): Promise<void> {
    for (const { pk, sk, record } of dynamo.items(settings.crawlState)) {
      if (!record?.B) continue;
      const stored = JSON.parse(gunzipSync(record.B).toString());
      act(stored.config);
      const command = new UpdateItemCommand({
        TableName: settings.crawlState,
        Key: { pk, sk } as never,
        UpdateExpression: 'SET #record = :record, nonce = :nonce',
        ExpressionAttributeNames: { '#record': 'record' },
        ExpressionAttributeValues: {
          ':record': { B: gzipSync(JSON.stringify(stored)) },
          ':nonce': { S: String(time.now()) },
        },
      });
      await drive(time, clients.dynamo.send(command));
    }
  }

  await time.run(T0 + 30 * MINUTE, () => web.requests.length >= Object.keys(SITE).length / 3);
  await change((stored) => {
    stored.ofNextYear = true;
  });
  deployment.replaceAll();
  await time.advance(MINUTE);
  await drive(time, deployment.operator().send('c', [{ url: 'http://late.test/', depth: 1 }]));
  const before = web.requests.length;
  await time.advance(90 * MINUTE);
  expect(web.requests.length).toBe(before);
  // The waker's runs fail as well: it is one more alarm.
  const others = deployment.failures.filter(({ process }) => !process.startsWith('waker'));
  expect(others).toEqual([]);
  for (const url of [settings.turnDeadLetterUrl, settings.linkDeadLetterUrl])
    expect(url && [...sqs.messages(url)]).toEqual([]);
  const notes = [...dynamo.items(settings.crawlState)].map((item) => JSON.stringify(item));
  expect(notes.some((note) => note.includes('NewerFormat'))).toBe(true);

  await change((stored) => {
    delete stored.ofNextYear;
  });
  deployment.replaceAll();
  const state = async () => (await drive(time, control.status('c'))).state;
  while ((await state()) !== 'finished' && time.now() < T0 + 300 * MINUTE) await time.advance(MINUTE);
  deployment.stop();
  expect(await state()).toBe('finished');
  // Turns that were under way when the record changed are done again. Each page is committed once.
  const pages = new Set(web.requests.map(({ url }) => url).filter((url) => SITE[url]));
  expect([...pages].toSorted()).toEqual(Object.keys(SITE).toSorted());
  const { urls } = await drive(time, deployment.operator().registry.totals('c'));
  expect(urls).toMatchObject({ fetched: pages.size, waiting: 0 });
});
