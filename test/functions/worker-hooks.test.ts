import { expect, test, vi } from 'vitest';
import { createWorkerHooks, guardWorker, type WorkerHooksOptions } from '../../functions/worker-hooks.ts';
import { parseConfig } from '../../shared/core/crawl/config.ts';
import { VisitState } from '../../shared/crawler/turn/page/visit-state.ts';
import type { HookedPage } from '../../shared/crawler/turn/page-hooks.ts';
import { handClock, madePage } from '../services/hooks/made-page.ts';

const CRAWL = { id: 'c', config: parseConfig({}) };

function open(project: WorkerHooksOptions['project']) {
  const lines: [level: string, fields: Readonly<Record<string, unknown>>][] = [];
  const log = (level: string, fields: Readonly<Record<string, unknown>>) => void lines.push([level, fields]);
  return { hooks: createWorkerHooks({ project, clock: handClock().clock, log }), lines };
}

const pageOf = async (url: string, crawl = CRAWL): Promise<HookedPage> => ({
  ...(await madePage({ body: '<title>T</title>', url })),
  crawl,
});

test('a project without hooks for pages has none', () => {
  expect(open({}).hooks).toBeUndefined();
  expect(open({ extraction: [], router: [] }).hooks).toBeUndefined();
});

test.each(['extraction', 'router', 'onPage', 'onError'] as const)(
  'a project with %s alone has some',
  (name) => {
    const hook = () => {};
    const project = { [name]: name.startsWith('on') ? hook : [hook] } as never;
    expect(open(project).hooks).toBeDefined();
  },
);

test('hooks are called for the page, and errors are reported for the crawl', async () => {
  const reported: unknown[] = [];
  const { hooks } = open({
    onPage: ({ title }) => ({ title }),
    onError: (error) => void reported.push(error),
  });
  expect(await hooks!.onPage(await pageOf('http://a.test/'))).toEqual({ items: ['{"title":"T"}'] });
  await hooks!.onError('http://a.test/x', 'connect: refused', CRAWL);
  expect(reported).toEqual([{ url: 'http://a.test/x', source: 'fetch', message: 'connect: refused' }]);
});

test('a project that decides about refusals alone is asked, with its signs of a challenge', async () => {
  const { hooks } = open({
    challenge: { status: 418 },
    onChallenge: ({ refusal }) => (refusal === 'challenged' ? 'ask' : 'giveUp'),
  });
  const seen = { url: 'http://a.test/', httpStatus: 403, cause: 'x', rests: 0 };
  expect(await hooks!.onChallenge!({ ...seen, refusal: 'challenged' }, CRAWL)).toBe('ask');
  expect(await hooks!.onChallenge!({ ...seen, refusal: 'blocked' }, CRAWL)).toBe('giveUp');
  const page = await pageOf('http://a.test/');
  expect(await hooks!.isChallenge!(page)).toBe(false);
  const response = { ...page.response, httpStatus: 418 };
  expect(await hooks!.isChallenge!({ ...page, response })).toBe(true);
  // Without them, a response is not looked at for a sign.
  expect(open({ onPage: () => undefined }).hooks).not.toHaveProperty('isChallenge');
  expect(open({ onPage: () => undefined }).hooks).not.toHaveProperty('onChallenge');
});

test('the same error is logged once, however many pages it spoils', async () => {
  const { hooks, lines } = open({
    onPage() {
      throw new TypeError('no price');
    },
  });
  for (const path of ['1', '2', '3']) {
    const answer = await hooks!.onPage(await pageOf(`http://a.test/${path}`));
    expect(answer).toEqual({ items: [], error: expect.stringContaining('no price') });
  }
  expect(lines).toEqual([
    [
      'error',
      expect.objectContaining({
        source: 'onPage',
        url: 'http://a.test/1',
        message: expect.stringContaining('no price'),
      }),
    ],
  ]);
});

test('state is that of the visit, whose changes are applied again at its commit', async () => {
  const known = Object.assign(new Map([['n', '4']]), { chars: 1 });
  const visit = new VisitState(known, { heldBytes: 0 });
  const { hooks, lines } = open({
    onPage({ state }) {
      state.set('first', { at: 1 });
      state.delete('gone');
      return {
        n: state.update<number>('n', (n = 0) => {
          if (n > 9) throw new Error('too many');
          return n + 1;
        }),
        first: state.get('first'),
        keys: state.entries().map(([key]) => key),
      };
    },
  });
  const page = await pageOf('http://a.test/');
  const { items } = await hooks!.onPage({ ...page, state: visit.openPage(1) });
  expect(items.map((line) => JSON.parse(line))).toEqual([{ n: 5, first: { at: 1 }, keys: ['first', 'n'] }]);
  const changed = (before: string) =>
    visit.changes.filter(({ key }) => key === 'n').reduce((value, { apply }) => apply(value)!, before);
  expect(changed('6')).toBe('7');
  // A function that fails then leaves the value, and is reported.
  expect(changed('10')).toBe('10');
  expect(lines.at(-1)?.[1]).toMatchObject({ source: 'onPage', message: expect.stringContaining('too many') });
});

test('a function that does not end is cut off at the commit', async () => {
  const visit = new VisitState(Object.assign(new Map(), { chars: 0 }), { heldBytes: 0 });
  const { hooks } = open({
    onPage({ state }) {
      state.update<number>('n', (n = 0) => {
        while (n > 0);
        return 1;
      });
    },
  });
  const page = await pageOf('http://a.test/');
  const crawl = { ...page.crawl!, config: { ...page.crawl!.config, blockTimeoutMs: 1000 } };
  await hooks!.onPage({ ...page, crawl, state: visit.openPage(1) });
  expect(visit.changes[0]!.apply('5')).toBe('5');
});

test('an error that is no hook’s is logged, and ends the process: the guard takes the place of all other listeners', () => {
  const calls: unknown[] = [];
  const listeners = new Map<string | symbol, (error: unknown) => void>();
  const { exit } = process;
  process.exit = ((code: number) => void calls.push(['exit', code])) as typeof process.exit;
  const spies = [
    vi.spyOn(process, 'removeAllListeners').mockImplementation((event) => {
      listeners.delete(event as string);
      calls.push(['removed', event]);
      return process;
    }),
    vi.spyOn(process, 'on').mockImplementation(((event: string, listener: (error: unknown) => void) => {
      listeners.set(event, listener);
      return process;
    }) as never),
  ];
  try {
    guardWorker((level, fields) => void calls.push([level, fields]));
    expect(() => process.exit(3)).toThrow('does not end a crawl');
  } finally {
    process.exit = exit;
    for (const spy of spies) spy.mockRestore();
  }
  expect([...listeners.keys()].sort()).toEqual(['uncaughtException', 'unhandledRejection']);
  for (const listener of listeners.values()) listener(new TypeError('a bug'));
  const bug = [
    ['error', { message: 'TypeError: a bug' }],
    ['exit', 1],
  ];
  expect(calls).toEqual([
    ['removed', 'uncaughtException'],
    ['removed', 'unhandledRejection'],
    ...bug,
    ...bug,
  ]);
});
