import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { URL_RULES_VERSION } from '../../../shared/core/url/canonical.ts';
import { CrawlTooLarge } from '../../../shared/crawler/ports/crawl-registry.ts';
import { ControlError } from '../../../shared/services/control/control.ts';
import { A, B, openRoom } from './control-room.ts';

async function begun(options: Parameters<typeof openRoom>[0] = {}, config = {}) {
  const room = openRoom(options);
  await room.control.create({ crawl: 'one', seeds: [A], config });
  room.sent.length = 0;
  room.done.length = 0;
  return room;
}

describe('seeds added to a crawl', () => {
  test('are sent on their way; those that cannot be seeds are named with the reason', async () => {
    const { control, sent } = await begun({}, { exclude: ['secret'] });
    expect(await control.addSeeds('one', ['a.test/x', 'a.test/x', 'ftp://x/', `${A}secret`])).toEqual({
      crawl: 'one',
      added: 1,
      refused: [
        { url: 'ftp://x/', reason: 'expected an http or https URL' },
        { url: `${A}secret`, reason: 'one of the patterns of `exclude` matches' },
      ],
    });
    expect(sent).toEqual([`${A}x`]);
  });

  test('widen its scope where they lie outside of it, before they are sent', async () => {
    const { control, engine, done } = await begun();
    await control.addSeeds('one', [`${A}x`, `${B}1`, `${B}2`]);
    expect(done).toEqual([`scope ${B}1`, 'send 3']);
    expect((await engine.registry.load('one'))?.scopeSeeds).toEqual([A, `${B}1`]);
  });

  test('wait until every worker has heard of the wider scope, where there are others', async () => {
    const { control, done, world } = await begun({ isShared: true });
    const adding = control.addSeeds('one', [B]);
    await world.clock.advance(2000);
    expect(done).toEqual([`scope ${B}`]);
    await world.clock.advance(1000);
    await adding;
    expect(done).toEqual([`scope ${B}`, 'send 1']);
  });

  test.each(['running', 'finished'] as const)(
    'are noted before the status of one that is %s is read, and when they are on their way',
    async (status) => {
      const { control, engine, done } = await begun();
      await engine.registry.setStatus('one', status);
      const { load } = engine.registry;
      Object.assign(engine.registry, {
        async load(crawl: string) {
          done.push('load');
          return load(crawl);
        },
        async noteSent(crawl: string) {
          done.push(`note ${crawl}`);
        },
      });
      done.length = 0;
      await control.addSeeds('one', [`${A}x`]);
      const order = done.filter((what, i) => what !== done[i - 1]);
      const running = status === 'finished' ? ['status running'] : [];
      expect(order).toEqual(['note one', 'load', ...running, 'send 1', 'note one']);
    },
  );

  test.each(['finished', 'limited', 'paused'] as const)('reach one that is %s', async (status) => {
    const { control, engine, done } = await begun();
    await engine.registry.setStatus('one', status);
    done.length = 0;
    await control.addSeeds('one', [B]);
    expect(done).toEqual([`scope ${B}`, ...(status === 'finished' ? ['status running'] : []), 'send 1']);
  });

  test('set no crawl running that was stopped at that very moment', async () => {
    const { control, engine } = await begun();
    await engine.registry.setStatus('one', 'finished');
    const { addScopeSeeds } = engine.registry;
    Object.assign(engine.registry, {
      async addScopeSeeds(...args: Parameters<typeof addScopeSeeds>) {
        await addScopeSeeds(...args);
        await engine.registry.setStatus('one', 'stopped');
      },
    });
    await control.addSeeds('one', [B]);
    expect(await engine.registry.load('one')).toMatchObject({ status: 'stopped' });
  });

  test.each([
    ['none', [A], 'notFound', /There is no crawl "none"/],
    ['#crawls', [A], 'notFound', /There is no crawl/],
    ['one', [], 'invalid', /at least 1/],
    ['one', ['ftp://x/'], 'invalid', /seeds.0 cannot be a seed/],
  ])('to %s: %j is refused', async (crawl, urls, code, message) => {
    const { control, done } = await begun();
    const refused = { code, message: expect.stringMatching(message) };
    await expect(control.addSeeds(crawl, urls)).rejects.toMatchObject(refused);
    expect(done).toEqual([]);
  });

  test('are refused by a crawl that is stopped, or knows its URLs by other rules', async () => {
    const { control, engine } = await begun();
    await control.stop('one');
    await expect(control.addSeeds('one', [A])).rejects.toMatchObject({
      code: 'conflict',
      message: 'The crawl "one" is stopped: resume it first',
    });
    const record = (await engine.registry.load('one'))!;
    await engine.registry.create('old', { ...record, status: 'running', urlRulesVersion: 0 });
    const refused = {
      code: 'conflict',
      field: 'newUrlRules',
      message: expect.stringMatching(/by version 0/),
    };
    await expect(control.addSeeds('old', [A])).rejects.toMatchObject(refused);
    await expect(control.resume('old')).rejects.toMatchObject(refused);
    await expect(control.resume('old', {}, { newUrlRules: false })).rejects.toMatchObject(refused);
    expect(await engine.registry.load('old')).toMatchObject({ urlRulesVersion: 0 });
    expect(await control.resume('old', {}, { newUrlRules: true })).toMatchObject({ state: 'running' });
    expect(await engine.registry.load('old')).toMatchObject({ urlRulesVersion: URL_RULES_VERSION });
    expect(await control.addSeeds('old', [A])).toMatchObject({ added: 1 });
    expect(await control.resume('old')).toMatchObject({ state: 'running' });
  });

  test('must not send a crawl without a contact to the hosts of others', async () => {
    const { control } = openRoom({ policy: { defaults: {} } });
    await control.create({ crawl: 'one', seeds: ['http://localhost/'] });
    await expect(control.addSeeds('one', [A])).rejects.toMatchObject({
      code: 'invalid',
      field: 'config.contact',
    });
    await expect(control.addSeeds('one', ['http://127.0.0.1:99/'])).resolves.toMatchObject({ added: 1 });
  });

  test('are refused where the scope would be drawn around too many', async () => {
    const { control, engine, done } = await begun({}, { scope: 'page' });
    const known = Array.from({ length: 14_999 }, (_, i) => `${A}${i}`);
    await engine.registry.addScopeSeeds('one', known);
    done.length = 0;
    await expect(control.addSeeds('one', [B])).rejects.toMatchObject({ code: 'conflict', field: 'seeds' });
    await expect(control.addSeeds('one', known.slice(0, 3))).resolves.toMatchObject({ added: 3 });
    expect(done).toEqual(['send 3']);
  });

  test('are refused with a remedy where the record of the crawl has no room for them', async () => {
    const { control, engine, sent } = await begun();
    engine.registry.addScopeSeeds = async () => {
      throw new CrawlTooLarge('at most 390 KB fit');
    };
    await expect(control.addSeeds('one', [B])).rejects.toMatchObject({
      code: 'conflict',
      field: 'seeds',
      message: expect.stringMatching(/at most 390 KB fit.*begin another crawl for these seeds/),
    });
    expect(sent).toEqual([]);
  });
});

describe('a seed message', () => {
  test('begins a crawl that is not there, and feeds one that is', async () => {
    const { control, done } = openRoom();
    expect(await control.seed({ crawl: 'one', seeds: [A, '/x'] })).toEqual({
      crawl: 'one',
      added: 1,
      refused: [{ url: '/x', reason: 'expected an http or https URL' }],
    });
    expect(await control.seed({ crawl: 'one', seeds: [`${A}x`] })).toMatchObject({ added: 1 });
    expect(done).toEqual(['create one', 'send 1', 'send 1']);
  });

  describe('for a crawl that is there', () => {
    const BEGUN: CrawlOptions = {
      delayMs: 15_000,
      scope: 'host',
      maxPages: 100,
      headers: { 'https://a.test': { 'x-key': 'secret-1' } },
      overrides: [{ hosts: ['a.test'], delayMs: 20_000 }],
    };

    async function seeded(...[config, seed = A, isResumed = false]: [CrawlOptions?, string?, boolean?]) {
      const room = openRoom();
      await room.control.seed({ crawl: 'one', seeds: [`https://user:secret-2@a.test/`], config: BEGUN });
      if (isResumed) await room.control.resume('one', { maxPages: 500 });
      room.done.length = 0;
      const answer = await room.control
        .seed({ crawl: 'one', seeds: [seed], ...(config && { config }) })
        .catch((error: unknown) => error);
      return { answer, done: room.done };
    }

    test.each<[string, CrawlOptions?, string?, boolean?]>([
      ['no settings'],
      ['the same settings', BEGUN],
      ['some of them', { scope: 'host', delayMs: 15_000 }],
      ['some of its headers', { headers: { 'https://a.test': {} } }],
      ['a default that it has', { robots: 'obey' }],
      ['its credentials', BEGUN, 'https://user:secret-2@a.test/'],
      ['the limit that it began with, raised since', { maxPages: 100 }, A, true],
      ['no domains', { domains: [] }],
    ])('%s: is taken in', async (_, ...request) => {
      const { answer, done } = await seeded(...request);
      expect(answer).toMatchObject({ added: 1 });
      expect(done).toEqual(['send 1']);
    });

    test.each<[string, CrawlOptions?, string?, boolean?]>([
      ['delayMs', { delayMs: 1000 }],
      ['delayMs', { ...BEGUN, delayMs: 30_000 }],
      ['delayMs', { delayMs: 30_000 }, A, true],
      ['scope', { scope: 'any' }],
      ['robots', { robots: 'ignore' }],
      ['maxPages', { maxPages: 7 }],
      ['userAgent', { userAgent: 'other/1.0 (+https://other.test/)' }],
      ['contact', { contact: 'you@example.org' }],
      ['perHost', { perHost: 4 }],
      ['exclude', { exclude: ['secret'] }],
      ['overrides', { overrides: [{ hosts: ['a.test'], delayMs: 30_000 }] }],
      ['headers', { headers: { 'https://a.test': { 'x-key': 'secret-3' } } }],
      ['headers', { headers: { 'https://b.test': { 'x-key': 'secret-3' } } }],
      ['auth', {}, 'https://user:secret-3@a.test/'],
    ])('another %s: is refused, without a word of secrets, and sends nothing', async (key, ...request) => {
      const { answer, done } = await seeded(...request);
      expect(answer).toMatchObject({ code: 'conflict', field: `config.${key}` });
      expect(String(answer)).toContain(`The crawl "one" began with another config.${key}: send`);
      expect(String(answer)).not.toContain('secret-');
      expect(done).toEqual([]);
    });

    test('settings that cannot be are refused', async () => {
      const { answer, done } = await seeded({ delayMs: -1 });
      expect(answer).toMatchObject({ code: 'invalid', field: 'config.delayMs' });
      expect(done).toEqual([]);
    });
  });

  test.each([[[0, 1]], [[1, 0]]])(
    'keeps its delay or says that it did not, in the order %j',
    async (order) => {
      const { control, engine } = openRoom();
      const requests = [
        { crawl: 'one', seeds: [A], config: { delayMs: 15_000 } },
        { crawl: 'one', seeds: [`${A}x`] },
      ];
      const answers: unknown[] = [];
      for (const i of order) answers.push(await control.seed(requests[i]!).catch((error: unknown) => error));
      const { delayMs = 1000 } = (await engine.registry.load('one'))!.config;
      const refused = answers.filter((answer) => answer instanceof ControlError);
      expect([delayMs, refused.length]).toEqual(order[0] === 0 ? [15_000, 0] : [1000, 1]);
    },
  );

  test('of which nothing can be used begins nothing', async () => {
    const { control, done } = openRoom();
    await expect(control.seed({ crawl: 'one', seeds: ['/x'] })).rejects.toMatchObject({ code: 'invalid' });
    await expect(control.seed({ crawl: 'a b', seeds: [A] })).rejects.toMatchObject({ field: 'crawl' });
    expect(done).toEqual([]);
  });

  test('loses nothing to another one that begins the same crawl at the same time', async () => {
    const { control, sent, done } = openRoom();
    const all = await Promise.all([A, B, `${A}2`].map((url) => control.seed({ crawl: 'one', seeds: [url] })));
    expect(all.map(({ added }) => added)).toEqual([1, 1, 1]);
    expect(sent.toSorted()).toEqual([A, `${A}2`, B]);
    expect(done.filter((text) => text.startsWith('create'))).toHaveLength(1);
  });
});
