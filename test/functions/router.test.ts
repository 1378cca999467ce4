import { describe, expect, test } from 'vitest';
import { createDeadLetter } from '../../functions/dead-letter.ts';
import { createRouterHandler } from '../../functions/router-handler.ts';
import { SIZES } from '../../shared/core/base/sizes.ts';
import { NEW_HEAD } from '../../shared/core/frontier/head.ts';
import { URL_RULES_VERSION } from '../../shared/core/url/canonical.ts';
import { requestUrl } from '../../shared/core/url/request-url.ts';
import { createCrawls } from '../../shared/crawler/crawl-state/crawls.ts';
import type { CrawlRecord } from '../../shared/crawler/ports/crawl-registry.ts';
import { wakeAllText } from '../../shared/engines/aws/queues/link-message.ts';
import { createLinkShards } from '../../shared/engines/aws/queues/link-shards.ts';
import { linkShardOf } from '../../shared/engines/aws/queues/link-split.ts';
import { parcelTexts, parseParcelText } from '../../shared/engines/aws/queues/message-text.ts';
import { InvalidCursor } from '../../shared/engines/aws/state/host-page.ts';
import { type AddedSeeds, type Control, ControlError } from '../../shared/services/control/control.ts';
import { createFakeClock } from '../crawler/worker/fake-clock.ts';
import { createMemoryEngine } from '../crawler/worker/memory-engine.ts';
import { begin, CRAWL } from '../crawler/worker/world.ts';
import { batchAnswer, entriesOf, fakeSqs } from '../engines/aws/queues/fake-sqs.ts';
import { contextFor, eventFrom, failedIds, fakeStack, linkEvent, SETTINGS } from './fake-stack.ts';

type SeedRequest = Parameters<Control['seed']>[0];

async function setUp(answer: (request: SeedRequest) => Partial<AddedSeeds> = () => ({})) {
  const clock = createFakeClock();
  const engine = createMemoryEngine(clock);
  await begin({ engine }, ['http://a.test/'], { scope: 'any' });
  for (let resumes = 0; resumes < 4; resumes++) await engine.registry.resume(CRAWL);
  const fake = fakeStack(engine, clock);
  const seeded: SeedRequest[] = [];
  const callers: (string | undefined)[] = [];
  const dead: { body: string; reason: string }[] = [];
  const parked: { queueUrl: string; messageId: string; seconds: number }[] = [];
  const newer: unknown[] = [];
  const handle = createRouterHandler({
    settings: SETTINGS,
    clock,
    log: fake.log,
    stack: fake.stack,
    crawls: createCrawls(engine.registry, clock),
    control: {
      async seed(request, caller) {
        callers.push(caller);
        seeded.push(request);
        return { crawl: request.crawl, added: (request.seeds ?? []).length, refused: [], ...answer(request) };
      },
    },
    deadLetter: async (body, reason) => void dead.push({ body, reason }),
    async park(queueUrl, { messageId }, seconds) {
      // The later one takes longer.
      const turns = 10 * newer.length;
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      parked.push({ queueUrl, messageId, seconds });
    },
    reportNewer: ({ message }, { id }) => newer.push({ id, message }),
  });
  const run = async (bodies: readonly string[], ms = 60_000) =>
    failedIds(await handle(linkEvent(...bodies), contextFor(clock, ms)));
  return { ...fake, clock, engine, handle, seeded, callers, dead, parked, newer, run };
}

const parcel = (crawl: string, ...urls: string[]): string =>
  parcelTexts({ crawl, links: urls.map((url) => ({ url, depth: 1 })) }, 1e6)[0] as string;

describe('links', () => {
  test('of many parcels go to their hosts, one message for each', async () => {
    const { run, engine } = await setUp();
    const bodies = [parcel(CRAWL, 'http://b.test/1', 'http://c.test/'), parcel(CRAWL, 'http://b.test/2')];
    expect(await run(bodies)).toEqual([]);
    expect(engine.messages('b.test')).toHaveLength(1);
    expect(engine.messages('b.test')[0]).toMatchObject({ kind: 'links', links: { length: 2 } });
    expect(engine.messages('c.test')).toHaveLength(1);
  });

  test('of a crawl that fails by our own fault come again, and those of others do not', async () => {
    const { run, engine, logged } = await setUp();
    await begin({ engine }, ['http://x.test/'], { delayMs: 'fast' as unknown as number }, 'broken');
    const bodies = [
      parcel('broken', 'http://b.test/1'),
      parcel(CRAWL, 'http://b.test/2'),
      parcel('broken', 'http://c.test/'),
    ];
    expect(await run(bodies)).toEqual(['m0', 'm2']);
    expect(engine.messages('b.test')).toHaveLength(1);
    expect(logged).toEqual([expect.objectContaining({ level: 'error', messages: 2 })]);
  });

  test('of a crawl that is not there are dropped', async () => {
    const { run, engine } = await setUp();
    expect(await run([parcel('gone', 'http://b.test/')])).toEqual([]);
    expect(engine.messages('b.test')).toEqual([]);
  });

  test('that hooks have requested are routed with their parcel', async () => {
    const { run, engine, dead } = await setUp();
    const request = { method: 'POST', headers: { a: 'b' }, body: 'q=1', label: 'list', data: { page: 2 } };
    const name = requestUrl('http://b.test/', request);
    expect(await run([parcel(CRAWL, 'http://c.test/', name)])).toEqual([]);
    expect(dead).toEqual([]);
    expect(engine.messages('b.test')).toMatchObject([{ kind: 'links', links: [{ url: name }] }]);
    expect(engine.messages('c.test')).toHaveLength(1);
  });

  test.each([
    requestUrl('http://B.test/', { method: 'POST' }),
    requestUrl('http://b.test/', { method: 'TRACE' }),
    requestUrl('http://b.test/', { headers: { host: 'c.test' } }),
    'http://b.test/#!x',
    'http://B.test/',
    'http://b.test:80/',
    'http://u@b.test/',
    'http://b.test',
    'http://b.test/#x',
    'file:///etc/passwd',
  ])(
    'to %s, which no worker can have found, go to the dead letters with all of their parcel',
    async (url) => {
      const { run, engine, dead } = await setUp();
      expect(await run([parcel(CRAWL, 'http://b.test/1', url), parcel(CRAWL, 'http://c.test/')])).toEqual([]);
      expect(dead).toMatchObject([{ reason: `Expected a parcel of canonical URLs, got "${url}"` }]);
      expect(engine.messages('b.test')).toEqual([]);
      expect(engine.messages('c.test')).toHaveLength(1);
    },
  );

  test('that would fill the memory do so too', async () => {
    const { run, dead } = await setUp();
    const long = `http://b.test/${'a'.repeat(1_000_000)}`;
    const urls = Array.from({ length: 100 }, (_, i) => `${long}${String(i).padStart(3, '0')}`);
    const body = parcel(CRAWL, ...urls);
    expect(body.length).toBeLessThan(10_000);
    expect(await run([body])).toEqual([]);
    expect(dead).toMatchObject([{ reason: expect.stringMatching(/^Expected a parcel of at most \d+ char/) }]);
  });

  test.each(['#crawls', 'a b', '..', ''])('of a crawl %j, which can be none, do so too', async (crawl) => {
    const { run, dead } = await setUp();
    expect(await run([parcel(crawl, 'http://b.test/')])).toEqual([]);
    expect(dead).toMatchObject([
      { reason: `Expected a parcel of links for a crawl, got one for "${crawl}"` },
    ]);
  });

  test('reach their hosts, though the crawl has been called finished meanwhile', async () => {
    const { run, engine } = await setUp();
    await engine.registry.setStatus(CRAWL, 'finished');
    await run([parcel(CRAWL, 'http://b.test/')]);
    expect(engine.messages('b.test')).toHaveLength(1);
  });
});

describe('links to very many hosts', () => {
  const SHARDS = [0, 1].map((n) => `https://sqs/1/links-${n}`);

  /** A router that splits links to more than three hosts. */
  async function withShards(fails: (queue: string) => boolean = () => false) {
    const set = await setUp();
    const { client, calls } = fakeSqs((call) =>
      fails(String(call.input.QueueUrl)) ? new Error('the shard takes nothing') : batchAnswer(call),
    );
    const { clock, engine, stack, log, dead, parked } = set;
    const linkShards = createLinkShards({ client, queueUrls: SHARDS, clock });
    const handle = createRouterHandler({
      settings: { ...SETTINGS, linkShardUrls: SHARDS },
      clock,
      log,
      stack: { ...stack, engine: { ...stack.engine, linkShards, sizes: { ...SIZES, splitHosts: 3 } } },
      crawls: createCrawls(engine.registry, clock),
      control: { seed: async () => Promise.reject(new Error('not asked')) },
      deadLetter: async (body, reason) => void dead.push({ body, reason }),
      park: async (queueUrl, { messageId }, seconds) => void parked.push({ queueUrl, messageId, seconds }),
      reportNewer() {},
    });
    const runFrom = async (queue: string, bodies: readonly string[]) =>
      failedIds(await handle(eventFrom(queue, bodies), contextFor(clock, 60_000)));
    const sent = () =>
      calls.flatMap((call) =>
        entriesOf(call).map(({ MessageBody }) => ({
          queue: call.input.QueueUrl,
          body: String(MessageBody),
          ...parseParcelText(String(MessageBody)),
        })),
      );
    const hosts = () =>
      ['a', 'b', 'c', 'd', 'e'].filter((name) => engine.messages(`${name}.test`).length > 0);
    return { ...set, runFrom, sent, hosts };
  }

  const FOUR = [
    parcel(CRAWL, 'http://b.test/1', 'http://c.test/'),
    parcel(CRAWL, 'http://d.test/', 'http://b.test/1', 'http://e.test/'),
  ];

  test('go to the shards of their hosts, each once, and to no host', async () => {
    const { runFrom, sent, hosts } = await withShards();
    expect(await runFrom('links', FOUR)).toEqual([]);
    expect(hosts()).toEqual([]);
    for (const { queue, crawl, links } of sent()) {
      expect(crawl).toBe(CRAWL);
      for (const { url } of links) expect(SHARDS[linkShardOf(new URL(url).host, 2)]).toBe(queue);
    }
    const urls = sent().flatMap(({ links }) => links.map(({ url }) => url));
    expect(urls.toSorted()).toEqual(
      ['b.test/1', 'c.test/', 'd.test/', 'e.test/'].map((url) => `http://${url}`),
    );
  });

  test('continue from a shard to the hosts, however many these are', async () => {
    const { runFrom, sent, hosts } = await withShards();
    expect(await runFrom('links-1', FOUR)).toEqual([]);
    expect(sent()).toEqual([]);
    expect(hosts()).toEqual(['b', 'c', 'd', 'e']);
  });

  test('arrive at the hosts by both ways one after the other', async () => {
    const { runFrom, sent, hosts } = await withShards();
    await runFrom('links', FOUR);
    for (const { queue, body } of sent())
      expect(await runFrom(String(queue).split('/').at(-1) ?? '', [body])).toEqual([]);
    expect(hosts()).toEqual(['b', 'c', 'd', 'e']);
  });

  test('that are few go to the hosts at once, also if other crawls have more', async () => {
    const { runFrom, sent, hosts, engine } = await withShards();
    await begin({ engine }, ['http://x.test/'], { scope: 'any' }, 'other');
    const few = parcel('other', 'http://b.test/', 'http://c.test/', 'http://d.test/');
    expect(await runFrom('links', [few, ...FOUR])).toEqual([]);
    expect(hosts()).toEqual(['b', 'c', 'd']);
    expect(new Set(sent().map(({ crawl }) => crawl))).toEqual(new Set([CRAWL]));
  });

  test('that the scope rules out do not count', async () => {
    const { runFrom, sent, engine } = await withShards();
    await begin({ engine }, ['http://b.test/'], { scope: 'host' }, 'narrow');
    const urls = ['a', 'b', 'c', 'd', 'e'].map((host) => `http://${host}.test/1`);
    expect(await runFrom('links', [parcel('narrow', ...urls)])).toEqual([]);
    expect(sent()).toEqual([]);
    expect(engine.messages('b.test')).toMatchObject([
      { crawl: 'narrow', links: [{ url: 'http://b.test/1' }] },
    ]);
  });

  test('come again, if one shard does not take its own', async () => {
    const { runFrom, hosts } = await withShards((queue) => queue === SHARDS[0]);
    expect(await runFrom('links', FOUR)).toEqual(['m0', 'm1']);
    expect(hosts()).toEqual([]);
  });

  test('are looked at before they go to a shard, and not again', async () => {
    const { runFrom, sent, dead, engine } = await withShards();
    const foreign = parcel(CRAWL, 'http://B.test/', 'http://c.test/', 'http://d.test/', 'http://e.test/');
    expect(await runFrom('links', [foreign])).toEqual([]);
    expect(dead).toMatchObject([{ reason: 'Expected a parcel of canonical URLs, got "http://B.test/"' }]);
    expect(sent()).toEqual([]);
    expect(await runFrom('links-0', ['nonsense', ...FOUR])).toEqual([]);
    expect(dead).toHaveLength(2);
    expect(engine.messages('e.test')).toHaveLength(1);
  });

  test('go to the hosts where there are no shards', async () => {
    const { run, engine } = await setUp();
    const urls = Array.from({ length: 600 }, (_, i) => `http://h${i}.test/`);
    expect(await run([parcel(CRAWL, ...urls)])).toEqual([]);
    expect(engine.messages('h599.test')).toHaveLength(1);
  });
});

describe('seeds', () => {
  test('are of the sender that SQS names', async () => {
    const { handle, clock, callers } = await setUp();
    const { Records } = linkEvent('{"crawl": "x", "urls": ["a.test"]}', 'b.test');
    Records[0]!.attributes.SenderId = 'AROAX:ann';
    await handle({ Records }, contextFor(clock, 60_000));
    expect(callers).toEqual(['sender AROAX:ann', undefined]);
  });

  test('of many messages are taken in at once, those of one crawl and configuration together', async () => {
    const { run, seeded } = await setUp();
    const bodies = [
      '{"url": "https://a.test/"}',
      'https://b.test/\nhttps://a.test/',
      '{"crawl": "news", "urls": ["https://d.test/"]}',
      '{"crawl": "news", "urls": ["https://c.test/"], "config": {"maxPages": 5}}',
    ];
    expect(await run(bodies)).toEqual([]);
    expect(seeded).toEqual([
      { crawl: 'news', seeds: ['https://c.test/'], config: { maxPages: 5 } },
      { crawl: 'default', seeds: ['https://a.test/', 'https://b.test/'] },
      { crawl: 'news', seeds: ['https://d.test/'] },
    ]);
  });

  test('of more than 10,000 URLs are taken in by parts', async () => {
    const { run, seeded } = await setUp();
    const urls = (host: string) => Array.from({ length: 6000 }, (_, i) => `https://${host}/${i}`).join('\n');
    expect(await run([urls('a.test'), urls('b.test')])).toEqual([]);
    expect(seeded.map(({ seeds = [] }) => seeds.length)).toEqual([6000, 6000]);
  });

  test('that are refused go to the dead letters with the reason, and others of the batch do not', async () => {
    const { run, seeded, dead } = await setUp(({ seeds = [] }) => {
      if (seeds.includes('https://bad.test/'))
        throw new ControlError('invalid', 'no contact', 'config.contact');
      return {};
    });
    const bad = '{"urls": ["https://bad.test/"]}';
    expect(await run(['https://a.test/', bad, 'https://b.test/'])).toEqual([]);
    expect(dead).toEqual([{ body: bad, reason: 'config.contact: no contact' }]);
    expect(seeded.map(({ seeds = [] }) => seeds.length)).toEqual([3, 1, 1, 1]);
  });

  test.each(['conflict', 'notFound'] as const)('that meet a %s go to the dead letters', async (code) => {
    const { run, dead } = await setUp(() => {
      throw new ControlError(code, 'The crawl is stopped: resume it first');
    });
    expect(await run(['https://a.test/'])).toEqual([]);
    expect(dead).toEqual([{ body: 'https://a.test/', reason: 'The crawl is stopped: resume it first' }]);
  });

  test('that are refused in part are named in the log, some of them; a message with no others becomes a dead letter', async () => {
    const refused = Array.from({ length: 30 }, (_, i) => ({
      url: `https://bad.test/${i}`,
      reason: 'excluded',
    }));
    const { run, dead, logged } = await setUp(() => ({ refused }));
    const partly = ['https://a.test/', ...refused.map(({ url }) => url)].join('\n');
    expect(await run([partly, 'https://bad.test/1 https://bad.test/2'])).toEqual([]);
    const lines = logged.filter(({ message }) => /refused/.test(String(message)));
    expect(lines).toHaveLength(21);
    expect(lines[0]).toMatchObject({ level: 'warn', url: 'https://bad.test/0', reason: 'excluded' });
    expect(lines[20]).toMatchObject({ message: '10 other seeds are refused' });
    expect(dead.map(({ reason }) => reason)).toEqual(['"https://bad.test/1": excluded, and 1 others']);
  });

  test('come again where a service of ours fails', async () => {
    const { run, dead } = await setUp(({ crawl }) => {
      if (crawl === 'news') throw new Error('no table');
      return {};
    });
    expect(await run(['{"crawl": "news", "url": "https://a.test/"}', 'https://b.test/'])).toEqual(['m0']);
    expect(dead).toEqual([]);
  });
});

describe('a message that is none', () => {
  test('goes to the dead letters with its reason, and counts as done', async () => {
    const { run, dead, engine } = await setUp();
    expect(await run(['{"urls": "x"}', parcel(CRAWL, 'http://b.test/'), 'nonsense'])).toEqual([]);
    expect(dead).toEqual([
      { body: '{"urls": "x"}', reason: 'Expected `urls` to be of type array, got "x"' },
      {
        body: 'nonsense',
        reason: expect.stringMatching(/^Expected URLs, a JSON object, or a parcel of links/),
      },
    ]);
    expect(engine.messages('b.test')).toHaveLength(1);
  });

  test('of a newer version is hidden for minutes, reported, and no dead letter', async () => {
    const { run, dead, parked, newer, logged, engine } = await setUp();
    const bytes = Buffer.from(parcel(CRAWL, 'http://c.test/'), 'base64');
    bytes[1] = 99;
    const bodies = [bytes.toString('base64'), parcel(CRAWL, 'http://b.test/1')];
    expect(await run(bodies)).toEqual(['m0']);
    expect(parked).toEqual([{ queueUrl: SETTINGS.linkQueueUrl, messageId: 'm0', seconds: 60 }]);
    expect(newer).toEqual([{ id: 'm0', message: expect.stringContaining('message version 99') }]);
    expect([dead, logged]).toEqual([[], []]);
    expect(engine.messages('b.test')).toHaveLength(1);
  });

  test('to a crawl with settings of a newer version is hidden as well', async () => {
    const { run, dead, parked, newer, logged, engine } = await setUp();
    const { registry } = engine;
    const { config } = (await registry.load(CRAWL)) as CrawlRecord;
    await registry.create('newer', {
      config: { ...config, ofNextYear: true } as typeof config,
      scopeSeeds: [],
      urlRulesVersion: URL_RULES_VERSION,
      status: 'running',
    });
    const ofNewer = ['c', 'd', 'e'].map((host) => parcel('newer', `http://${host}.test/`));
    expect(await run([parcel(CRAWL, 'http://b.test/1'), ...ofNewer])).toEqual(['m1', 'm2', 'm3']);
    const hidden = { queueUrl: SETTINGS.linkQueueUrl, seconds: 60 };
    expect(parked).toEqual(['m1', 'm2', 'm3'].map((messageId) => ({ ...hidden, messageId })));
    const message = expect.stringContaining('ofNextYear');
    expect(newer).toEqual(['m1', 'm2', 'm3'].map((id) => ({ id, message })));
    expect([dead, logged]).toEqual([[], []]);
    expect(engine.messages('b.test')).toHaveLength(1);
  });

  test('comes again where it cannot be put there', async () => {
    const { stack, clock, log, engine } = await setUp();
    const handle = createRouterHandler({
      settings: SETTINGS,
      clock,
      log,
      stack,
      crawls: createCrawls(engine.registry, clock),
      control: { seed: async () => Promise.reject(new Error('not asked')) },
      deadLetter: async () => Promise.reject(new Error('no queue')),
      park: async () => {},
      reportNewer() {},
    });
    expect(failedIds(await handle(linkEvent('nonsense'), contextFor(clock, 60_000)))).toEqual(['m0']);
  });

  test('is sent on as it came, its reason as one line of at most 1 KB that SQS takes', async () => {
    const { client, calls } = fakeSqs(() => ({}));
    const send = createDeadLetter({ client, queueUrl: 'dead', clock: createFakeClock() });
    await send('the body\u0001', `a\nb\u0000${'\ud83d\ude00'.repeat(400)}\ud800`);
    const [{ name, input }] = calls as [(typeof calls)[0]];
    expect([name, input.QueueUrl, input.MessageBody]).toEqual(['SendMessage', 'dead', 'the body\u0001']);
    const { reason } = input.MessageAttributes as { reason: { DataType: string; StringValue: string } };
    expect(reason.DataType).toBe('String');
    expect(reason.StringValue).toMatch(/^a b\ufffd\u{1f600}+$/u);
    expect(Buffer.byteLength(reason.StringValue)).toBeGreaterThan(1020);
    expect(Buffer.byteLength(reason.StringValue)).toBeLessThanOrEqual(1024);
  });
});

test.each([
  ['without what surrounds it', ' \n too late \t', 'too late'],
  ['by a word of ours where it is empty', ' \n ', 'no reason given'],
  ['whole, if it is as long as it may be', 'x'.repeat(1024), 'x'.repeat(1024)],
])('the reason of a dead letter is sent %s', async (_, reason, expected) => {
  const { client, calls } = fakeSqs(() => ({}));
  await createDeadLetter({ client, queueUrl: 'dead', clock: createFakeClock() })('the body', reason);
  expect(calls[0]?.input.MessageAttributes).toMatchObject({ reason: { StringValue: expected } });
});

describe('waking all hosts of a crawl', () => {
  /**
   * Hosts h0.test and on, of which each third has nothing waiting, and each ninth nothing waiting but was set
   * aside.
   */
  async function withHosts(count: number) {
    const set = await setUp();
    for (let i = 0; i < count; i++) {
      const counts = { ...NEW_HEAD.ledger.counts, waiting: i % 3 === 0 ? 0 : 1 };
      await set.engine.ledgers.commit(CRAWL, `h${i}.test`, {
        ...NEW_HEAD,
        version: 1,
        ledger: { ...NEW_HEAD.ledger, counts },
        ...(i % 9 === 0 && { setAside: { cause: { code: 'other', text: 'failed' }, at: 1 } }),
      });
    }
    return set;
  }

  test('wakes those with URLs waiting and those set aside, as resumed', async () => {
    const { run, engine, texts } = await withHosts(12);
    expect(await run([wakeAllText(CRAWL, 4)])).toEqual([]);
    const woken = Array.from({ length: 12 }, (_, i) => i).filter(
      (i) => engine.messages(`h${i}.test`).length > 0,
    );
    expect(woken).toEqual([0, 1, 2, 4, 5, 7, 8, 9, 10, 11]);
    expect(engine.messages('h0.test')).toEqual([{ kind: 'wake', crawl: CRAWL, resume: 4 }]);
    expect(texts).toEqual([]);
  });

  test('by a resume that has not happened wakes none: hosts would obey none before it', async () => {
    const { run, engine, texts, dead } = await withHosts(3);
    expect(await run([wakeAllText(CRAWL, 5)])).toEqual([]);
    expect(engine.messages('h1.test')).toEqual([]);
    expect(texts).toEqual([]);
    expect(dead).toMatchObject([{ reason: expect.stringMatching(/resume up to number 4 .* got 5/) }]);
  });

  test('a second time wakes the hosts as they are then', async () => {
    const { run, engine } = await withHosts(3);
    await run([wakeAllText(CRAWL, 4)]);
    const counts = { ...NEW_HEAD.ledger.counts, waiting: 1 };
    await engine.ledgers.commit(CRAWL, 'late.test', {
      ...NEW_HEAD,
      version: 1,
      ledger: { ...NEW_HEAD.ledger, counts },
    });
    await run([wakeAllText(CRAWL, 4)]);
    expect(engine.messages('late.test')).toHaveLength(1);
    expect(engine.messages('h1.test')).toHaveLength(2);
  });

  test('of a crawl that was known to be paused wakes them as soon as it runs', async () => {
    const { run, engine } = await withHosts(3);
    await engine.registry.setStatus(CRAWL, 'paused');
    expect(await run([wakeAllText(CRAWL, 4)])).toEqual([]);
    await engine.registry.setStatus(CRAWL, 'running');
    expect(await run([wakeAllText(CRAWL, 4)])).toEqual([]);
    expect(engine.messages('h1.test')).toHaveLength(1);
  });

  test('continues by a message of its own where there are many, until all are woken once', async () => {
    const { run, engine, texts } = await withHosts(5600);
    let rounds = 0;
    for (let next: string | undefined = wakeAllText(CRAWL, 4); next !== undefined; next = texts.pop()) {
      expect(await run([next])).toEqual([]);
      rounds++;
    }
    expect(rounds).toBe(2);
    expect(engine.messages('h5599.test')).toEqual([{ kind: 'wake', crawl: CRAWL, resume: 4 }]);
    const counts = Array.from({ length: 5600 }, (_, i) => engine.messages(`h${i}.test`).length);
    expect(counts).toEqual(counts.map((_, i) => (i % 3 !== 0 || i % 9 === 0 ? 1 : 0)));
  });

  test.each(['paused', 'stopped', 'limited', 'finished'] as const)(
    'that is %s wakes none',
    async (status) => {
      const { run, engine, texts, dead } = await withHosts(12);
      await engine.registry.setStatus(CRAWL, status);
      expect(await run([wakeAllText(CRAWL, 4), wakeAllText('gone', 4)])).toEqual([]);
      expect(engine.messages('h1.test')).toEqual([]);
      expect([texts, dead]).toEqual([[], []]);
    },
  );

  test('from a cursor that nobody gave is refused', async () => {
    const { run, stack, dead } = await setUp();
    stack.engine.ledgers.hostPage = async () => {
      throw new InvalidCursor('no such cursor');
    };
    expect(await run([wakeAllText(CRAWL, 4, 'x')])).toEqual([]);
    expect(dead).toEqual([{ body: wakeAllText(CRAWL, 4, 'x'), reason: 'no such cursor' }]);
  });

  test('comes again if no time is left once those before it are done', async () => {
    const { run, stack, clock, engine } = await withHosts(3);
    const { hostPage } = stack.engine.ledgers;
    stack.engine.ledgers.hostPage = async (...args) => {
      await new Promise((resolve) => setImmediate(resolve));
      clock.set(20_000);
      return hostPage(...args);
    };
    expect(
      await run(
        [2, 3, 4].map((resume) => wakeAllText(CRAWL, resume)),
        49_000,
      ),
    ).toEqual(['m2']);
    expect(engine.messages('h1.test')).toMatchObject([{ resume: 2 }, { resume: 3 }]);
  });

  test('comes again if the hosts cannot be read', async () => {
    const { run, stack, dead } = await setUp();
    stack.engine.ledgers.hostPage = async () => {
      throw new Error('no table');
    };
    expect(await run([wakeAllText(CRAWL, 4)])).toEqual(['m0']);
    expect(dead).toEqual([]);
  });
});

test('what no time is left for comes again', async () => {
  const { run, engine, flushes } = await setUp();
  expect(await run([parcel(CRAWL, 'http://b.test/'), 'https://a.test/', 'nonsense'], 5000)).toEqual([
    'm2',
    'm0',
    'm1',
  ]);
  expect(engine.messages('b.test')).toEqual([]);
  expect(flushes()).toBe(1);
});
