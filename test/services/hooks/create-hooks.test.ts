import { runInNewContext } from 'node:vm';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { PageHooks } from '../../../shared/crawler/turn/page-hooks.ts';
import { createHooks, type ProjectHooks } from '../../../shared/services/hooks/create-hooks.ts';
import type { CrawlError, Page } from '../../../shared/services/project/project.ts';
import { handClock, type Made, madePage } from './made-page.ts';

const config = {
  blockTimeoutMs: 60_000,
  hookTimeoutMs: 60_000,
  maxDecodedBytes: 100_000,
  maxLinksPerPage: 5,
};

/** For what does not end by itself: a test waits for it. All else has more time than it takes on a busy machine. */
const hasty = { ...config, hookTimeoutMs: 30 };

interface Around {
  readonly project?: ProjectHooks;
  readonly clock?: ReturnType<typeof handClock>['clock'];
  readonly limits?: typeof config;
  readonly warn?: (message: string) => void;
}

const hooksOf = (project: ProjectHooks, { clock = handClock().clock, limits = config, warn }: Around = {}) =>
  createHooks(project, { config: limits, clock, warn }) as PageHooks;

/** Returns the result of `hook` for a page. */
async function onPage(made: Made, hook: NonNullable<ProjectHooks['onPage']>, around: Around = {}) {
  return hooksOf({ ...around.project, onPage: hook }, around).onPage(await madePage(made));
}

describe('a page', () => {
  test('says how it was found and what the response was', async () => {
    let seen: Page | undefined;
    await onPage({ body: '<title>T</title><a href=b rel=nofollow>b</a><a href=c>c</a>' }, (page) => {
      seen = page;
    });
    expect(seen).toMatchObject({
      url: 'http://a.test/dir/page',
      depth: 1,
      via: 'http://a.test/',
      title: 'T',
    });
    expect(seen?.response).toMatchObject({
      httpStatus: 200,
      startedAt: 5,
      endedAt: 9,
      contentType: 'text/html',
    });
    expect(seen?.links).toEqual([
      { url: 'http://a.test/dir/b', kind: 'a', nofollow: true },
      { url: 'http://a.test/dir/c', kind: 'a' },
    ]);
  });

  test('has the statements of its site about the use of its content, if there are any', async () => {
    const hook = ({ usage }: Page) => ({ usage });
    const { items } = await onPage(
      { body: '<meta name=robots content=noai>', headers: { 'Content-Usage': 'search=y, train-ai=y' } },
      hook,
    );
    expect(JSON.parse(items[0] as string).usage).toEqual({
      preferences: { search: 'y', 'train-ai': 'n' },
      statements: [
        { signal: 'content-usage', source: 'header', value: 'search=y, train-ai=y' },
        { signal: 'robots', source: 'html', value: 'noai' },
      ],
    });
    expect((await onPage({}, hook)).items).toEqual(['{}']);
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['identity', (body: Buffer) => body],
  ])('in %s is seen decoded, as text of its charset, and by cheerio', async (coding, encode) => {
    const body = encode(
      Buffer.from('<meta charset=latin2><p class=a>\xb1<b>b</b></p><p>c<script>x</script>', 'latin1'),
    );
    const { items } = await onPage({ body, headers: { 'Content-Encoding': coding } }, (page) => ({
      bytes: page.body.length,
      html: page.html.slice(-31),
      text: page.text,
      a: page.$('.a').text(),
    }));
    expect(items).toEqual([
      JSON.stringify({
        bytes: 67,
        html: '>\u0105<b>b</b></p><p>c<script>x</script>'.slice(-31),
        text: '\u0105b c',
        a: '\u0105b',
      }),
    ]);
  });

  test('of XML keeps its names in `$`, and is its own text', async () => {
    const { items } = await onPage(
      { body: '<Feed><Entry>1</Entry></Feed>', headers: { 'Content-Type': 'application/atom+xml' } },
      ({ $, text }) => ({ entry: $('Feed > Entry').text(), text }),
    );
    expect(items).toEqual(['{"entry":"1","text":"<Feed><Entry>1</Entry></Feed>"}']);
  });

  test('is decoded only where a hook looks, and once for all of them', async () => {
    const page = await madePage({ body: '\0 not a text', headers: { 'Content-Encoding': 'compress' } });
    const blind = await hooksOf({ onPage: () => ({}) }).onPage(page);
    expect(blind).toEqual({ items: ['{}'] });
    const looking = await hooksOf({ onPage: ({ html }) => ({ html }) }).onPage(page);
    expect(looking).toEqual({ items: [], error: 'The body cannot be decoded: Content-Encoding: compress' });

    const seen: unknown[] = [];
    const hooks = hooksOf({
      extraction: [
        ({ $ }, next) => {
          seen.push($);
          return next();
        },
      ],
      onPage: ({ $ }) => void seen.push($),
    });
    const again = await madePage({ body: '<p>' });
    await hooks.onPage({ ...again, facts: (await hooks.extract(again)).facts });
    expect(seen[0]).toBe(seen[1]);
  });

  test('that is a bomb is an error of its own', async () => {
    const body = gzipSync(Buffer.alloc(config.maxDecodedBytes + 1));
    const { error } = await onPage({ body, headers: { 'Content-Encoding': 'gzip' } }, ({ $ }) => ({
      a: $('a').text(),
    }));
    expect(error).toBe('The body has more than 100000 bytes when decoded');
  });

  test('is a copy: what is done to it does not reach the archive or the crawl', async () => {
    const page = await madePage({ body: '<a href=b>b</a>' });
    await hooksOf({
      onPage(seen) {
        seen.body.fill(0);
        (seen.links as unknown[]).length = 0;
        (seen.response.headers as unknown[]).length = 0;
      },
    }).onPage(page);
    expect(Buffer.from(await page.response.body.bytes()).toString()).toBe('<a href=b>b</a>');
    expect(page.facts.links).toHaveLength(1);
    expect(page.response.headers).toHaveLength(1);
  });
});

describe('items', () => {
  test.each([
    ['nothing', undefined, []],
    ['null', null, []],
    ['an object', { a: 1, b: undefined }, ['{"a":1}']],
    ['nulls and dates', { a: null, at: new Date(0) }, ['{"a":null,"at":"1970-01-01T00:00:00.000Z"}']],
    ['several, in order', [{ a: 1 }, { a: 'x\ny' }], ['{"a":1}', '{"a":"x\\ny"}']],
    ['none of several', [], []],
  ])('may be %s', async (_, given, items) => {
    expect(await onPage({}, () => given as never)).toEqual({ items });
    expect(await onPage({}, async () => given as never)).toEqual({ items });
  });

  function* generator() {
    yield { a: 1 };
  }
  async function* asyncGenerator() {
    yield { a: 1 };
  }
  class Hidden {
    readonly #all = 1;
    get all() {
      return this.#all;
    }
  }
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  test.each([
    ['a string', 'text', /^Expected an item to be an object, got string$/],
    ['a list within the list', [[]], /^Expected an item to be an object, got an array$/],
    ['a price that is NaN', { price: Number.NaN }, /JSON cannot hold price: NaN$/],
    ['a BigInt', { n: 1n }, /BigInt/],
    ['a function', { f() {} }, /JSON cannot hold f: /],
    ['a Map', { m: new Map() }, /JSON cannot hold m: a Map$/],
    ['a promise', { text: Promise.resolve('x') }, /JSON cannot hold text: a Promise$/],
    ['a date that is none', { at: new Date(Number.NaN) }, /JSON cannot hold at: Invalid Date$/],
    ['a date that is none in a list', { all: [new Date(Number.NaN)] }, /JSON cannot hold 0: Invalid Date$/],
    ['a circle', circle, /circular/],
    ['a hole of a list', { all: Object.assign(new Array(3), [1]) }, /JSON cannot hold 1: undefined$/],
    ['nothing in a list', { all: [undefined] }, /JSON cannot hold 0: undefined$/],
    ['a list that is all holes', new Array(3), /got undefined \(and 2 more items\)$/],
    ['a generator', generator(), /JSON cannot hold the item: a Generator$/],
    ['a generator that is async', asyncGenerator(), /JSON cannot hold the item: a AsyncGenerator$/],
    ['a generator in a list', [generator()], /JSON cannot hold the item: a Generator$/],
    ['a generator within', { all: generator() }, /JSON cannot hold all: a Generator$/],
    ['an iterator of a list', { all: [1].values() }, /JSON cannot hold all: a \w+$/],
    ['an iterator with a key', { all: Object.assign([1].values(), { a: 1 }) }, /JSON cannot hold all/],
    ['an iterator of another', { all: Iterator.from([1]).map((n) => n) }, /JSON cannot hold all/],
    [
      'parameters of a URL',
      { query: new URLSearchParams('a=1') },
      /JSON cannot hold query: a URLSearchParams$/,
    ],
    ['header fields', { headers: new Headers({ a: '1' }) }, /JSON cannot hold headers: a Headers$/],
    ['bytes', { bytes: Uint8Array.of(1) }, /JSON cannot hold bytes: a Uint8Array$/],
    ['an object whose class hides all', { secret: new Hidden() }, /JSON cannot hold secret: a Hidden$/],
    ['half of an emoji as a key', { ['😀'.slice(1)]: 1 }, /half of a character/],
    [
      'more than 1 MiB',
      { text: 'x'.repeat(1024 * 1024) },
      /^Expected an item of at most 1048576 bytes, got 1048587$/,
    ],
    ['a date by itself', new Date(0), /^Expected an item to be an object in JSON$/],
  ])('that are %s are refused', async (_, given, error) => {
    const outcome = await onPage({}, () => given as never);
    expect(outcome).toEqual({ items: [], error: expect.stringMatching(error) });
  });

  test.each([
    ['cut within an emoji', { t: 'a😀'.slice(0, 2) }, '{"t":"a\ufffd"}'],
    ['the other half', { t: '😀'.slice(1) }, '{"t":"\ufffd"}'],
    ['beside a whole one', { t: '😀\ud83d😀' }, '{"t":"😀\ufffd😀"}'],
    ['in a list', { t: [{ u: '\udc00\ud800' }] }, '{"t":[{"u":"\ufffd\ufffd"}]}'],
    [
      'no half, but the text of an escape',
      { t: '\\ud83d \\\\ud83d \ud83d' },
      String.raw`{"t":"\\ud83d \\\\ud83d ${'\ufffd'}"}`,
    ],
    ['whole', { t: '😀\u2028"\\\n' }, JSON.stringify({ t: '😀\u2028"\\\n' })],
  ])('have U+FFFD for half of a character: a text that is %s', async (_, item, line) => {
    const { items, error } = await onPage({}, () => item);
    expect([items, error]).toEqual([[line], undefined]);
    expect(JSON.parse(items[0]!)).toEqual(JSON.parse(JSON.stringify(item).isWellFormed() ? line : ''));
  });

  test('of any class, without a prototype, of another realm, and empty ones are kept', async () => {
    class Price {
      amount = 1;
    }
    const items = [
      new Price(),
      Object.create(null),
      {},
      runInNewContext('({ a: { b: [] } })'),
      { a: new URL('http://a.test/') },
    ];
    expect(await onPage({}, () => items as never)).toEqual({
      items: ['{"amount":1}', '{}', '{}', '{"a":{"b":[]}}', '{"a":"http://a.test/"}'],
    });
  });

  test('that are good stay beside those that are not', async () => {
    expect(await onPage({}, () => [{ a: 1 }, 2, { b: 1n }, { a: 3 }] as never)).toEqual({
      items: ['{"a":1}', '{"a":3}'],
      error: 'Expected an item to be an object, got number (and 1 more items)',
    });
  });

  test('are no more than 8 MiB of a page', async () => {
    const item = { text: 'x'.repeat(1_000_000) };
    const { items, error } = await onPage({}, () => Array(10).fill(item));
    expect(items).toHaveLength(8);
    expect(error).toMatch(/^Expected at most 8388608 bytes of items/);
  });

  const price = z.object({ price: z.string().transform(Number).pipe(z.number().positive()) });
  test.each([
    ['at once', price],
    ['later', price.refine(async () => true)],
  ])('are what their schema makes of them, %s', async (_, itemSchema) => {
    expect(
      await onPage({}, () => [{ price: '3' }, { price: 'x' }, { price: '4' }], { project: { itemSchema } }),
    ).toEqual({
      items: ['{"price":3}', '{"price":4}'],
      error: expect.stringMatching(/^The item is not as its schema says: price: /),
    });
  });

  test('whose schema throws are refused', async () => {
    const itemSchema = {
      '~standard': {
        version: 1 as const,
        validate: () => {
          throw new Error('broken');
        },
      },
    };
    expect(await onPage({}, () => ({}), { project: { itemSchema } })).toMatchObject({
      error: 'The item cannot be kept: broken',
    });
  });
});

describe('a hook that fails', () => {
  test.each([
    [
      'throws',
      () => {
        throw new Error('no\n way');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no\n way'))],
  ])('because it %s costs its page its items, and onError is called for it', async (_, hook) => {
    const errors: CrawlError[] = [];
    const outcome = await onPage({}, hook, { project: { onError: (error) => void errors.push(error) } });
    expect(outcome).toEqual({ items: [], error: 'no way' });
    expect(errors).toEqual([{ url: 'http://a.test/dir/page', source: 'onPage', message: 'no way' }]);
  });

  test.each([
    [
      'loops',
      () => {
        while (true);
      },
    ],
    ['backtracks forever', () => void /^(?=a)(a+)+$/.test(`${'a'.repeat(60)}b`)],
    [
      'loops in an async function, before its first await',
      async () => {
        while (true);
      },
    ],
  ])('because it %s is cut off', async (_, hook) => {
    const outcome = await onPage({}, hook, { limits: hasty });
    expect(outcome).toEqual({ items: [], error: 'Took longer than 30 ms (hookTimeoutMs)' });
    expect(await onPage({}, () => ({ still: 'here' }))).toEqual({ items: ['{"still":"here"}'] });
  });

  test('because it never ends is left alone, and what it gives later is ignored', async () => {
    const { clock, pass } = handClock();
    const late: ((error: Error) => void)[] = [];
    const hooks = hooksOf({ onPage: () => new Promise<never>((_, reject) => late.push(reject)) }, { clock });
    const outcome = hooks.onPage(await madePage());
    while (late.length === 0) await new Promise(setImmediate);
    pass();
    expect(await outcome).toEqual({ items: [], error: 'Took longer than 60000 ms (hookTimeoutMs)' });
    late[0]?.(new Error('too late'));
  });

  test('by its items reports it to onError, once a page', async () => {
    const errors: CrawlError[] = [];
    await onPage({}, () => [1, 2] as never, { project: { onError: (error) => void errors.push(error) } });
    expect(errors).toEqual([
      {
        url: 'http://a.test/dir/page',
        source: 'item',
        message: expect.stringContaining('(and 1 more items)'),
      },
    ]);
  });
});

describe('onError', () => {
  test('is called for URLs that failed finally', async () => {
    const errors: CrawlError[] = [];
    const hooks = hooksOf({ onError: (error) => void errors.push(error) });
    await hooks.onError('http://a.test/', 'connect: refused');
    expect(errors).toEqual([{ url: 'http://a.test/', source: 'fetch', message: 'connect: refused' }]);
    const page = await madePage({ body: '<a href=b>b</a>' });
    expect(await hooks.extract(page)).toEqual({ facts: page.facts });
    expect(await hooks.onPage(page)).toEqual({ items: [] });
  });

  test('may throw: that is reported once, and it is called again', async () => {
    const warn = vi.fn();
    const onError = vi.fn(() => {
      throw new Error('oh');
    });
    const hooks = hooksOf({ onError }, { warn });
    await hooks.onError('http://a.test/1', 'x');
    await hooks.onError('http://a.test/2', 'x');
    expect(onError).toHaveBeenCalledTimes(2);
    expect(warn.mock.calls).toEqual([['onError: oh']]);
  });

  test('may hang: then it is not called again', async () => {
    const warn = vi.fn();
    const onError = vi.fn(() => {
      while (true);
    });
    const hooks = hooksOf({ onError }, { warn, limits: hasty });
    await hooks.onError('http://a.test/1', 'x');
    await hooks.onError('http://a.test/2', 'x');
    expect(onError).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls).toEqual([
      ['onError is not called again: Took longer than 30 ms (hookTimeoutMs)'],
    ]);
  });
});

test('there are none for a project that has none', () => {
  const options = { config, clock: handClock().clock };
  expect(createHooks({}, options)).toBeUndefined();
  expect(createHooks({ extraction: [] }, options)).toBeUndefined();
});
