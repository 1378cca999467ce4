import { describe, expect, test } from 'vitest';
import { createCrawlEnd } from '../../../functions/crawl-end.ts';
import { createWorkerHooks } from '../../../functions/worker-hooks.ts';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import type { FetchOutcome } from '../../../shared/core/outcome/fetch-outcome.ts';
import type { HookError } from '../../../shared/crawler/ports/hook-error-log.ts';
import type { VisitState } from '../../../shared/crawler/turn/page/visit-state.ts';
import { createHooks, type ProjectHooks } from '../../../shared/services/hooks/create-hooks.ts';
import { callOnFinish } from '../../../shared/services/hooks/on-finish.ts';
import { readByModule } from '../../../shared/services/hooks/project-modules.ts';
import { withMiddleware } from '../../../shared/services/hooks/with-middleware.ts';
import type { Extraction } from '../../../shared/services/project/project.ts';
import type { CrawlSummary } from '../../../shared/services/report/summary.ts';
import { RECORD } from '../../contract/subjects.ts';
import { createFakeClock } from '../../crawler/worker/fake-clock.ts';
import { createScriptedFetcher, page as scripted } from '../../crawler/worker/scripted-fetcher.ts';
import { handClock, madePage } from './made-page.ts';
import { thrownValues } from './thrown-values.ts';

const config = parseConfig({});
const summary = { pages: 7 } as CrawlSummary;

/** Ways of an `onPage` to throw `value`, or to give something that does. */
const WAYS: Readonly<Record<string, (value: unknown) => NonNullable<ProjectHooks['onPage']>>> = {
  'at once': (value) => () => {
    throw value;
  },
  'after an await': (value) => async () => {
    await null;
    throw value;
  },
  'as a rejection': (value) => () => Promise.reject(value),
  'in a thenable': (value) => () => ({
    // biome-ignore lint/suspicious/noThenProperty: that is what is tried
    then(_: unknown, reject: (error: unknown) => void) {
      reject(value);
    },
  }),
  'in the getter of a result': (value) => () => ({
    get a() {
      throw value;
    },
  }),
  'in the getter of then': (value) => () => ({
    // biome-ignore lint/suspicious/noThenProperty: that is what is tried
    get then() {
      throw value;
    },
  }),
  'in toJSON': (value) => () => ({
    toJSON() {
      throw value;
    },
  }),
  'in the change of a state':
    (value) =>
    ({ state }) => ({
      n: state.update('n', () => {
        throw value;
      }),
    }),
  'in a proxy': (value) => () =>
    new Proxy(
      {},
      {
        ownKeys() {
          throw value;
        },
      },
    ),
};

describe.each(await thrownValues())('%s', (_, make) => {
  async function errorOf(project: ProjectHooks) {
    const failures: HookError[] = [];
    const hooks = createHooks(project, {
      config,
      clock: handClock().clock,
      onFailure: (e) => failures.push(e),
    });
    const page = await madePage({ body: '<a href=b>b</a>' });
    const { facts, error: early } = await hooks!.extract(page);
    expect(facts.links).toHaveLength(1);
    const { items, error = early } = await hooks!.onPage(page);
    expect(items).toEqual([]);
    expect(error).toBeTypeOf('string');
    expect(failures).toEqual([expect.objectContaining({ message: error, url: page.url })]);
    expect(JSON.parse(JSON.stringify(failures))).toEqual([expect.objectContaining({ message: error })]);
    expect(error!.length).toBeGreaterThan(0);
    expect(error!.length).toBeLessThanOrEqual(500);
    return failures[0]!.source;
  }

  test.each(Object.entries(WAYS))('thrown by onPage %s is a failure of the page', async (_, way) => {
    expect(['onPage', 'item']).toContain(await errorOf({ onPage: way(make()) }));
  });

  test('thrown by extraction, a router and a schema is a failure of the page', async () => {
    const fail = () => {
      throw make();
    };
    expect(await errorOf({ extraction: [fail] })).toBe('extraction');
    expect(await errorOf({ extraction: [() => Promise.reject(make())] })).toBe('extraction');
    const links = new Proxy([], { get: (_, key) => (key === 'length' ? 1 : fail()) });
    expect(await errorOf({ extraction: [async () => ({ links }) as Extraction] })).toBe('extraction');
    expect(await errorOf({ router: [{ match: '/dir/*', onPage: fail }] as never })).toBe('onPage');
    for (const validate of [fail, () => Promise.reject(make())]) {
      const itemSchema = { '~standard': { version: 1, vendor: 'test', validate } } as never;
      expect(await errorOf({ onPage: () => ({ a: 1 }), itemSchema })).toBe('item');
    }
    const issues = [{ message: make() }];
    const itemSchema = { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues }) } } as never;
    expect(await errorOf({ onPage: () => ({ a: 1 }), itemSchema })).toBe('item');
  });

  test('thrown by onError is said once', async () => {
    const warned: string[] = [];
    const project = { onError: () => Promise.reject(make()) };
    const warn = (message: string) => warned.push(message);
    const hooks = createHooks(project, { config, clock: handClock().clock, warn })!;
    await hooks.onError('http://a.test/', 'reset');
    await hooks.onError('http://a.test/', 'reset');
    expect(warned).toEqual([expect.stringMatching(/^onError: ./)]);
  });

  test('thrown by onFinish, and by its change of the state at the commit, is said', async () => {
    const limits = { clock: handClock().clock, limitMs: 60_000 };
    const fail = () => Promise.reject(make());
    expect(await callOnFinish({ onFinish: fail }, summary, undefined as never, limits)).toMatch(
      /^onFinish: ./,
    );
    let calls = 0;
    const project = {
      onFinish: (_: unknown, { state }: { state: { update(key: string, change: () => number): void } }) =>
        state.update('n', () => {
          if (calls++ > 0) throw make();
          return 1;
        }),
    };
    const logged: unknown[] = [];
    const end = createCrawlEnd({
      load: async () => project as never,
      state: {
        readNow: async () => Object.assign(new Map(), { chars: 0 }),
        change: async (_: unknown, changes: VisitState['changes']) => {
          expect(changes.map(({ apply }) => apply('5'))).toEqual(['5']);
        },
      } as never,
      summarize: async () => summary,
      beginExport: async () => {},
      clock: createFakeClock(),
      log: (_, { message }) => logged.push(message),
    });
    await end('news', RECORD);
    expect(logged).toEqual([expect.stringMatching(/^onFinish: state n: ./)]);
  });

  test('thrown by a module is the fault of the document', async () => {
    const { response, facts, url } = await madePage({ body: 'x' });
    const failures: HookError[] = [];
    const given = { url, mediaType: 'text/x', crawl: { config }, response, facts };
    for (const read of [
      () => Promise.reject(make()),
      () => ({
        get text() {
          throw make();
        },
      }),
    ]) {
      const answer = await readByModule({ mediaTypes: ['text/x'], read } as never, given, {
        clock: handClock().clock,
        onFailure: (error) => failures.push(error),
      });
      expect(answer).toEqual({ fault: expect.stringMatching(/^the project's module: ./) });
    }
    expect(failures).toHaveLength(2);
  });

  test('thrown by a middleware, or by its outcome, is a failed fetch', async () => {
    const clock = createFakeClock();
    const url = 'http://a.test/';
    const inner = createScriptedFetcher(clock, { [url]: scripted('/b') }, 0);
    const failures: HookError[] = [];
    for (const middleware of [
      () => Promise.reject(make()),
      async () => ({
        status: 'response' as const,
        get httpStatus() {
          throw make();
        },
      }),
    ]) {
      const options = { clock, totalTimeoutMs: 5000, onFailure: (error: HookError) => failures.push(error) };
      const outcome = await withMiddleware(inner, [middleware as never], options).fetch({ url });
      expect(outcome).toMatchObject({ status: 'failed', message: expect.stringMatching(/^middleware: ./) });
    }
    expect(failures).toHaveLength(2);
  });

  test('thrown by a hook of a stack is in its log', async () => {
    const lines: Readonly<Record<string, unknown>>[] = [];
    const log = (_: string, fields: Readonly<Record<string, unknown>>) => void lines.push(fields);
    const project = { onPage: () => Promise.reject(make()), onError: () => Promise.reject(make()) };
    const hooks = createWorkerHooks({ project, clock: handClock().clock, log })!;
    const page = { ...(await madePage()), crawl: { id: 'c', config } };
    expect((await hooks.onPage(page)).error).toBeTypeOf('string');
    expect(lines.map(({ message }) => typeof message)).toEqual(['string', 'string']);
  });
});

test.each<[string, object]>([
  ['no header fields', { headers: undefined }],
  ['a header that is no pair', { headers: [null] }],
  ['a header whose value is a number', { headers: [['a', 1]] }],
  ['a status that is a text', { httpStatus: '200' }],
  ['no body', { body: undefined }],
  ['a body that is a text', { body: 'text' }],
  ['a body without a digest', { body: { bytes() {}, chunks() {}, dispose() {} } }],
  ['no request', { requestHead: undefined }],
  ['a failure without a reason', { status: 'failed', message: 'no' }],
  ['a failure whose message is no text', { status: 'failed', reason: 'reset', message: {} }],
])('a middleware that gives %s is a failed fetch', async (_, wrong) => {
  const clock = createFakeClock();
  const url = 'http://a.test/';
  const inner = createScriptedFetcher(clock, { [url]: scripted('/b') }, 0);
  const layer = async (request: never, next: (request: never) => Promise<FetchOutcome>) =>
    ({ ...(await next(request)), ...wrong }) as FetchOutcome;
  const fetcher = withMiddleware(inner, [layer as never], { clock, totalTimeoutMs: 5000 });
  expect(await fetcher.fetch({ url })).toMatchObject({
    status: 'failed',
    message: 'middleware: Expected the outcome of a fetch, got none',
  });
});
