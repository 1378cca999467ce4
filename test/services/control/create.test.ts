import { describe, expect, test } from 'vitest';
import type { NewCrawl } from '../../../shared/services/control/control.ts';
import type { ControlPolicy } from '../../../shared/services/control/create-control.ts';
import { A, B, CONTACT, openRoom } from './control-room.ts';

describe('a new crawl', () => {
  test('runs, is called after its first seed, and its seeds are on their way', async () => {
    const { control, engine, done } = openRoom();
    const summary = await control.create({ seeds: ['a.test:8080/x#y', 'b.test'] });
    expect(summary).toMatchObject({
      crawl: 'a.test_8080',
      state: 'running',
      pages: 0,
      urls: 0,
      rate: 0,
      cost: 0,
    });
    expect(done).toEqual(['create a.test_8080', 'send 2']);
    expect(await engine.registry.load('a.test_8080')).toMatchObject({
      scopeSeeds: ['https://a.test:8080/x', B],
      status: 'running',
    });
  });

  test('keeps its options as given over the defaults, and none of those that nobody set', async () => {
    const { control, engine } = openRoom({ policy: { defaults: { contact: CONTACT, delayMs: 2000 } } });
    await control.create({ crawl: 'one', seeds: [A], config: { delayMs: 3000, maxDepth: undefined } });
    const record = await engine.registry.load('one');
    // The schema's own default is longer than a worker's time allows.
    expect(record?.config).toEqual({ contact: CONTACT, delayMs: 3000, totalTimeoutMs: 60_000 });
  });

  test('keeps only the seeds that its scope is drawn by, and sends all of them, each once', async () => {
    const seeds = Array.from({ length: 4500 }, (_, i) => `https://h${i % 3}.test/${i}`);
    for (const [scope, kept] of [
      ['host', 3],
      ['any', 1],
      ['page', 4500],
    ] as const) {
      const { control, engine, sent, done } = openRoom();
      await control.create({ crawl: 'one', seeds: [...seeds, seeds[0]!], config: { scope } });
      expect((await engine.registry.load('one'))?.scopeSeeds).toEqual(seeds.slice(0, kept));
      expect(sent).toEqual(seeds);
      expect(done).toEqual(['create one', 'send 2000', 'send 2000', 'send 500']);
    }
  });

  test('takes spellings of a seed for one by its URL rules, and sends the sitemaps that it names', async () => {
    const { control, sent, engine } = openRoom();
    const config = { sitemapUrls: ['https://c.test/map.xml#x'] };
    await control.create({ crawl: 'one', seeds: [A, `${A}?utm_source=x`], config });
    expect(sent).toEqual([A, 'https://c.test/map.xml']);
    expect((await engine.registry.load('one'))?.scopeSeeds).toEqual([A]);
    const wrong = control.create({ crawl: 'two', seeds: [A], config: { sitemapUrls: ['ftp://x'] } });
    await expect(wrong).rejects.toMatchObject({ code: 'invalid', field: 'config.sitemapUrls' });
  });

  test('leaves out seeds that its own configuration excludes', async () => {
    const { control, sent } = openRoom();
    await control.create({ seeds: [A, `${A}no`], config: { exclude: ['no$'] } });
    expect(sent).toEqual([A]);
  });

  test('of a name that is taken is a conflict, and changes nothing', async () => {
    const { control, sent } = openRoom();
    await control.create({ crawl: 'one', seeds: [A] });
    await expect(control.create({ crawl: 'one', seeds: [B] })).rejects.toMatchObject({
      code: 'conflict',
      field: 'crawl',
      message: expect.stringContaining('There is a crawl "one" already'),
    });
    expect(sent).toEqual([A]);
  });
});

describe('a new crawl is refused by name', () => {
  const local: Partial<ControlPolicy> = { allowPrivateAddresses: ['127.0.0.0/8', '0.0.0.0/0', '::/0'] };
  const cases: [NewCrawl | object, field: string | undefined, message: RegExp, Partial<ControlPolicy>?][] = [
    [{ seeds: [] }, 'seeds', /^Expected seeds to have at least 1 item, got \[\]$/],
    [{ seeds: Array(10_001).fill(A) }, 'seeds', /at most 10000 items/],
    [{ seeds: [A, 3] }, 'seeds.1', /^Expected seeds.1 to be of type string, got 3$/],
    [
      { seeds: [A, 'ftp://x/'] },
      'seeds.1',
      /^seeds.1 cannot be a seed: expected an http.*got "ftp:\/\/x\/"$/,
    ],
    [{ seeds: ['/a', '/b'] }, 'seeds.0', /^seeds.0 cannot.*"\/a"; seeds.1 cannot.*"\/b"$/],
    [{ seeds: [A], config: { exclude: ['a'] } }, 'seeds.0', /one of the patterns of `exclude`/],
    [{ seeds: [`${A}${'x'.repeat(3000)}`] }, 'seeds.0', /longer than `maxUrlLength`, 2083/],
    [{ crawl: 'a b', seeds: [A] }, 'crawl', /^Expected crawl to be a name of up to 64/],
    [{ crawl: '..', seeds: [A] }, 'crawl', /^Expected crawl to be a name/],
    [{ seeds: [A], confg: {} }, 'confg', /^Unknown key confg in the crawl; did you mean config\?$/],
    [{ seeds: [A], config: { delayMs: -1 } }, 'config.delayMs', /^Expected config.delayMs >= 0, got -1$/],
    [
      { seeds: [A], config: { maxPage: 3 } },
      'config.maxPage',
      /^Unknown key maxPage in config; did you mean maxPages\?$/,
    ],
    [{ seeds: [A], config: { include: ['('] } }, 'config.include', /regular expression/],
    [
      { seeds: [A], config: { totalTimeoutMs: 60_001 } },
      'config.totalTimeoutMs',
      /<= 60000, got 60001: a worker/,
    ],
    [{ seeds: [A], config: { contact: 'nobody' } }, 'config.contact', /URL or a mail address, got "nobody"/],
    [{ seeds: [A] }, 'config.contact', /must be able to reach/, { defaults: {} }],
    [
      { seeds: [A], config: { hosts: 9 } },
      'config.hosts',
      /cannot be set here: why/,
      { refuses: { hosts: 'why' } },
    ],
    [
      { seeds: [A], config: { overrides: [{ hosts: ['a.test'], render: 'always' }] } },
      'config.overrides.0.render',
      /cannot be set here: why/,
      { refuses: { hosts: 'not this', render: 'why' } },
    ],
    [
      { seeds: [A], config: { allowPrivateAddresses: ['10.0.0.0/8'] } },
      'config.allowPrivateAddresses.0',
      /"10.0.0.0\/8" is not open here; no private addresses/,
    ],
    [
      { seeds: [A], config: { allowPrivateAddresses: ['x'] } },
      'config.allowPrivateAddresses.0',
      /CIDR block/,
      local,
    ],
    [
      { seeds: [A], config: { allowPrivateAddresses: ['169.254.169.254'] } },
      'config.allowPrivateAddresses.0',
      /not open/,
      local,
    ],
    [{ seeds: [A], config: { resolve: [['*', '169.254.169.254']] } }, 'config.resolve.0', /not open/, local],
    [
      { seeds: [A], config: { resolve: [['*', '127.0.0.1']] } },
      'config.resolve.0',
      /"127.0.0.1" is not open/,
    ],
    [
      { seeds: [A], config: { allowPorts: [25] } },
      'config.allowPorts.0',
      /port 25 is not open here; no such ports/,
    ],
    [
      { seeds: [A], config: { allowPorts: [8080, 25] } },
      'config.allowPorts.1',
      /port 25 is not open here; only 22 may be/,
      { allowPorts: [22] },
    ],
    [{ seeds: ['http://a.test:25/'] }, 'seeds.0', /browsers refuse its port; `allowPorts`/],
    [{ seeds: [A], config: { resolve: [['*', 'x']] } }, 'config.resolve.0', /IP address, got "x"/],
    [7, undefined, /^Expected the crawl to be of type object, got 7$/],
    [JSON.parse('{"seeds":["a.test"],"config":{"__proto__":{"hosts":1}}}'), undefined, /__proto__/],
  ];
  test.each(cases)('%j', async (request, field, message, policy) => {
    const { control, done } = openRoom({ policy });
    const error = await control.create(request as NewCrawl).catch((error: unknown) => error);
    expect(error).toMatchObject({
      name: 'ControlError',
      code: 'invalid',
      message: expect.stringMatching(message),
    });
    if (field !== undefined) expect(error).toMatchObject({ field });
    expect(done).toEqual([]);
  });
});

test.each<[NonNullable<NewCrawl['config']>, readonly string[]]>([
  [{ resolve: [['*.test', '93.184.215.14']] }, []],
  [{ resolve: [['*.test', '127.0.0.1']], allowPrivateAddresses: ['127.0.0.1'] }, ['127.0.0.0/8']],
  [{ allowPrivateAddresses: ['127.1.0.0/16', 'fd00::/16'] }, ['127.0.0.0/8', 'fc00::/7']],
  [{ allowPrivateAddresses: ['169.254.169.254/32'] }, ['169.254.169.254/32']],
  [{ totalTimeoutMs: 60_000 }, []],
])('%j is allowed where %j is open', async (config, allowPrivateAddresses) => {
  const { control } = openRoom({ policy: { allowPrivateAddresses } });
  await expect(control.create({ seeds: [A], config })).resolves.toMatchObject({ state: 'running' });
});

test("the deployer's own defaults are not held to what requests may", async () => {
  const allowPrivateAddresses = ['10.0.0.0/8'];
  const { control, engine } = openRoom({ policy: { defaults: { contact: CONTACT, allowPrivateAddresses } } });
  await control.create({ crawl: 'one', seeds: [A] });
  expect((await engine.registry.load('one'))?.config).toMatchObject({ allowPrivateAddresses });
});

test('a crawl of this machine needs no contact', async () => {
  const { control } = openRoom({ policy: { defaults: {} } });
  await expect(control.create({ seeds: ['http://localhost/'] })).resolves.toMatchObject({
    crawl: 'localhost',
  });
});
