/** The crawls whose end is to be announced, over the model of DynamoDB. */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { UnannouncedCrawls } from '../../../../shared/engines/aws/state/unannounced.ts';
import { createServices } from '../../../../simulation/test/models/dynamo-services.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { throttling } from '../throttled.ts';

const NEW = { tries: 0, retryAt: 0, finishTries: 0, isFinishDone: false };

function open() {
  const { clients } = createServices();
  const clock = createFakeClock();
  const crawlsOver = (dynamo: typeof clients.dynamo) => new UnannouncedCrawls({ dynamo, table: 'T', clock });
  const crawls = crawlsOver(clients.dynamo);
  const enter = async (crawl: string) => {
    await clients.dynamo.send(new PutItemCommand(crawls.entry(crawl).Put!));
    return (await crawls.load(crawl))!;
  };
  return { clock, clients, crawlsOver, crawls, enter };
}

test('tries and calls of onFinish are noted apart, and forgotten when the crawl is entered again', async () => {
  const { crawls, enter } = open();
  const { entry } = await enter('a');
  const other = await enter('b');
  await crawls.delay({ crawl: 'a', entry, tries: 2, retryAt: 99 });
  await crawls.noteFinish({ crawl: 'a', entry, finishTries: 1, isFinishDone: true });
  expect(await crawls.list()).toEqual([
    { crawl: 'a', entry, tries: 2, retryAt: 99, finishTries: 1, isFinishDone: true },
    { crawl: 'b', entry: other.entry, ...NEW },
  ]);
  const again = await enter('a');
  expect(again.entry).not.toBe(entry);
  expect(again).toMatchObject(NEW);
});

test('a note on a crawl that was announced, or entered again meanwhile, does nothing', async () => {
  const { crawls, enter } = open();
  const { entry } = await enter('a');
  await crawls.strike({ crawl: 'a', entry });
  for (const left of [0, 1]) {
    await crawls.delay({ crawl: 'a', entry, tries: 2, retryAt: 99 });
    await crawls.noteFinish({ crawl: 'a', entry, finishTries: 1, isFinishDone: false });
    await crawls.strike({ crawl: 'a', entry });
    expect(await crawls.list()).toMatchObject(left === 0 ? [] : [NEW]);
    await enter('a');
  }
});

test.each<[string, (crawls: UnannouncedCrawls) => Promise<unknown>]>([
  ['an end', (crawls) => crawls.strike({ crawl: 'a', entry: 'e' })],
  ['a try', (crawls) => crawls.delay({ crawl: 'a', entry: 'e', tries: 1, retryAt: 1 })],
  [
    'a call of onFinish',
    (crawls) => crawls.noteFinish({ crawl: 'a', entry: 'e', finishTries: 1, isFinishDone: false }),
  ],
  ['the list', (crawls) => crawls.list()],
])('%s that is refused for its rate is tried again, and fails if DynamoDB refuses it', async (_, work) => {
  const { clock, clients, crawlsOver, enter } = open();
  await enter('a');
  await clock.drive(work(crawlsOver(throttling(clients.dynamo))));
  const refusing = { send: async () => Promise.reject(new Error('no access')) };
  await expect(work(crawlsOver(refusing as unknown as typeof clients.dynamo))).rejects.toThrow('no access');
});
