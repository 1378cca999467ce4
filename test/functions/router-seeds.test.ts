/** Messages of seeds: many for one crawl at once, each put aside or repeated by itself. */
import type { SQSRecord } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { type SeedRecord, takeSeeds } from '../../functions/router-seeds.ts';
import { MAX_MESSAGE_URLS } from '../../shared/engines/aws/queues/link-message.ts';
import { ControlError } from '../../shared/services/control/control.ts';

interface Request {
  readonly crawl: string;
  readonly seeds: readonly string[];
  readonly config?: object;
}

function message(
  id: string,
  crawl: string,
  urls: readonly string[],
  more: { config?: object; sender?: string } = {},
) {
  const { config, sender = '' } = more;
  const record = { messageId: id, attributes: { SenderId: sender } } as unknown as SQSRecord;
  return { record, crawl, urls, ...(config && { config }) } as SeedRecord;
}

/** `answer`: the refused seeds of a request, by URL. */
async function take(
  seeds: readonly SeedRecord[],
  answer: (request: Request) => Record<string, string> = () => ({}),
) {
  const requests: Request[] = [];
  const overlaps: Request[] = [];
  let inProgress = 0;
  const senders: unknown[] = [];
  const attempted: string[][] = [];
  const failed: string[] = [];
  const aside: string[][] = [];
  const logged: object[] = [];
  await takeSeeds(seeds, {
    control: {
      async seed(request: Request, sender?: string) {
        requests.push(request);
        senders.push(sender);
        // Two at once for one crawl would contend for its record.
        if (inProgress++ > 0) overlaps.push(request);
        await new Promise((resolve) => setImmediate(resolve));
        inProgress--;
        const refused = Object.entries(answer(request)).map(([url, reason]) => ({ url, reason }));
        return { refused } as never;
      },
    } as never,
    log: (level, fields) => void logged.push({ level, ...fields }),
    async attempt(records, work) {
      const ids = records.map(({ messageId }) => messageId);
      attempted.push(ids);
      await work().catch(() => failed.push(...ids));
    },
    async refuse({ messageId }, reason) {
      await new Promise((resolve) => setImmediate(resolve));
      aside.push([messageId, reason]);
    },
  });
  expect(overlaps).toEqual([]);
  return { requests, senders, attempted, failed, aside, logged };
}

const many = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => `http://${name}.test/${i}`);
const everyOne =
  (reason: string) =>
  ({ seeds }: Request) =>
    Object.fromEntries(seeds.map((url) => [url, reason]));

describe('messages of seeds', () => {
  test('of one crawl are taken in at once, each URL once; those of other crawls and settings apart', async () => {
    const { requests, senders, attempted, failed, aside } = await take([
      message('1', 'a', ['http://a.test/1', 'http://a.test/2'], { sender: 'AID:me' }),
      message('2', 'b', ['http://b.test/']),
      message('3', 'a', ['http://a.test/2', 'http://a.test/3'], { sender: 'AID:you' }),
      message('4', 'a', ['http://a.test/4'], { config: { maxPages: 1 } }),
    ]);
    // Those with settings first, with which the crawl is to begin.
    expect(requests).toEqual([
      { crawl: 'a', seeds: ['http://a.test/4'], config: { maxPages: 1 } },
      { crawl: 'a', seeds: ['http://a.test/1', 'http://a.test/2', 'http://a.test/3'] },
      { crawl: 'b', seeds: ['http://b.test/'] },
    ]);
    // The first one stands for them.
    expect(senders).toEqual([undefined, 'sender AID:me', undefined]);
    expect([attempted, failed, aside]).toEqual([[['4'], ['1', '3'], ['2']], [], []]);
  });

  test('are taken in with as many URLs at once as one message may have', async () => {
    const half = MAX_MESSAGE_URLS / 2;
    const sizes = async (...counts: number[]) => {
      const seeds = counts.map((count, i) => message(`${i}`, 'a', many(`h${i}`, count)));
      return (await take(seeds)).requests.map((one) => one.seeds.length);
    };
    expect(await sizes(half, half)).toEqual([2 * half]);
    expect(await sizes(half, half + 1, half - 1, 1)).toEqual([half, 2 * half, 1]);
    expect(await sizes(MAX_MESSAGE_URLS, 1)).toEqual([MAX_MESSAGE_URLS, 1]);
    expect(await sizes()).toEqual([]);
  });

  test('come again together if the crawl cannot be written; the others do not', async () => {
    const { failed, aside, logged } = await take(
      [
        message('1', 'a', ['http://a.test/1']),
        message('2', 'b', ['http://b.test/']),
        message('3', 'a', ['http://a.test/2']),
      ],
      ({ crawl }) => {
        if (crawl === 'a') throw new Error('no table');
        return {};
      },
    );
    expect([failed, aside, logged]).toEqual([['1', '3'], [], []]);
  });

  test('are tried one by one if they are refused together: only the wrong one is put aside', async () => {
    const { requests, aside, failed } = await take(
      ['1', '2', '3'].map((n) => message(n, 'a', [`http://a.test/${n}`])),
      ({ seeds }) => {
        if (seeds.includes('http://a.test/2'))
          throw new ControlError('invalid', 'too many', 'config.maxPages');
        return {};
      },
    );
    expect(requests.map(({ seeds }) => seeds.length)).toEqual([3, 1, 1, 1]);
    expect([aside, failed]).toEqual([[['2', 'config.maxPages: too many']], []]);
  });

  test('that are sent again are taken in by what holds then: the crawl may have been made meanwhile', async () => {
    const answers = [new ControlError('notFound', 'no such crawl'), { refused: [] }];
    const aside: string[] = [];
    const control = {
      async seed() {
        const answer = answers.shift();
        if (answer instanceof Error) throw answer;
        return answer;
      },
    } as never;
    const deps = {
      control,
      log: () => {},
      attempt: (_: unknown, work: () => Promise<void>) => work(),
      refuse: async (_: unknown, reason: string) => void aside.push(reason),
    };
    for (let i = 0; i < 2; i++) await takeSeeds([message('1', 'a', ['http://a.test/'])], deps);
    expect(aside).toEqual(['no such crawl']);
    expect(answers).toEqual([]);
  });

  test.each([
    ['no such crawl', undefined, 'no such crawl'],
    ['seeds: is empty', 'seeds', 'seeds: is empty'],
    ['is empty', 'seeds', 'seeds: is empty'],
  ])('that are refused as %s (%s) are put aside with the reason %s', async (text, field, reason) => {
    const { aside } = await take([message('1', 'a', ['http://a.test/'])], () => {
      throw new ControlError('invalid', text, field);
    });
    expect(aside).toEqual([['1', reason]]);
  });
});

describe('seeds that are refused', () => {
  test('are logged where others of their message were taken', async () => {
    const { aside, logged } = await take(
      [message('1', 'a', ['http://a.test/', 'bad:', 'worse:']), message('2', 'a', ['http://b.test/'])],
      () => ({ 'bad:': 'no URL', 'worse:': 'none at all' }),
    );
    const line = { level: 'warn', message: 'A seed is refused', crawl: 'a' };
    expect(aside).toEqual([]);
    expect(logged).toEqual([
      { ...line, url: 'bad:', reason: 'no URL' },
      { ...line, url: 'worse:', reason: 'none at all' },
    ]);
  });

  test('have their message put aside if nothing of it can be used, whatever is with it', async () => {
    const { aside, logged } = await take(
      [
        message('1', 'a', ['x:1']),
        message('2', 'a', ['http://b.test/']),
        message('3', 'a', ['x:2', 'x:3', 'x:4']),
        message('4', 'a', []),
      ],
      ({ seeds }) =>
        Object.fromEntries(seeds.filter((url) => url.startsWith('x:')).map((url) => [url, 'no URL'])),
    );
    expect(aside).toEqual([
      ['1', '"x:1": no URL'],
      ['3', '"x:2": no URL, and 2 others'],
    ]);
    expect(logged).toEqual([]);
  });

  test('are counted beyond twenty of a message', async () => {
    const wrong = Array.from({ length: 23 }, (_, i) => `x:${i}`);
    const refused = Object.fromEntries(wrong.map((url) => [url, 'no URL']));
    const { logged } = await take([message('1', 'a', ['http://a.test/', ...wrong])], () => refused);
    expect(logged).toHaveLength(21);
    expect(logged.at(-1)).toEqual({
      level: 'warn',
      message: '3 other seeds are refused',
      crawl: 'a',
      id: '1',
    });
    const twenty = await take([message('1', 'a', ['http://a.test/', ...wrong.slice(3)])], () => refused);
    expect(twenty.logged).toHaveLength(20);
  });

  test('of a whole group put each message aside', async () => {
    const { aside } = await take(
      [message('1', 'a', ['x:1']), message('2', 'a', ['x:2'])],
      everyOne('no URL'),
    );
    expect(aside.map(([id]) => id)).toEqual(['1', '2']);
  });
});
