/** The crawls whose end is to be announced, over the model of DynamoDB. */
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
  return { clock, clients, crawlsOver, crawls: crawlsOver(clients.dynamo) };
}

test('tries and calls of onFinish are noted apart, and forgotten when the crawl is entered again', async () => {
  const { crawls } = open();
  await crawls.enter('a');
  await crawls.enter('b');
  await crawls.delay({ crawl: 'a', tries: 2, retryAt: 99 });
  await crawls.noteFinish({ crawl: 'a', finishTries: 1, isFinishDone: true });
  expect(await crawls.list()).toEqual([
    { crawl: 'a', tries: 2, retryAt: 99, finishTries: 1, isFinishDone: true },
    { crawl: 'b', ...NEW },
  ]);
  await crawls.enter('a');
  expect(await crawls.list()).toEqual([
    { crawl: 'a', ...NEW },
    { crawl: 'b', ...NEW },
  ]);
});

test('a note on a crawl that was announced meanwhile does nothing', async () => {
  const { crawls } = open();
  await crawls.enter('a');
  await crawls.strike('a');
  await crawls.delay({ crawl: 'a', tries: 2, retryAt: 99 });
  await crawls.noteFinish({ crawl: 'a', finishTries: 1, isFinishDone: false });
  expect(await crawls.list()).toEqual([]);
});

test.each<[string, (crawls: UnannouncedCrawls) => Promise<unknown>]>([
  ['an entry', (crawls) => crawls.enter('a')],
  ['an end', (crawls) => crawls.strike('a')],
  ['a try', (crawls) => crawls.delay({ crawl: 'a', tries: 1, retryAt: 1 })],
  ['a call of onFinish', (crawls) => crawls.noteFinish({ crawl: 'a', finishTries: 1, isFinishDone: false })],
  ['the list', (crawls) => crawls.list()],
])('%s that is refused for its rate is tried again, and fails if DynamoDB refuses it', async (_, work) => {
  const { clock, clients, crawls, crawlsOver } = open();
  await crawls.enter('a');
  await clock.drive(work(crawlsOver(throttling(clients.dynamo))));
  const refusing = { send: async () => Promise.reject(new Error('no access')) };
  await expect(work(crawlsOver(refusing as unknown as typeof clients.dynamo))).rejects.toThrow('no access');
});
