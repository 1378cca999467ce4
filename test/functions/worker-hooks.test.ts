import { expect, test } from 'vitest';
import { createWorkerHooks, type WorkerHooksOptions } from '../../functions/worker-hooks.ts';
import { parseConfig } from '../../shared/crawl/config.ts';
import type { HookedPage } from '../../shared/turn/page-hooks.ts';
import { handClock, madePage } from '../hooks/made-page.ts';

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

test('state is refused with what to do instead', async () => {
  const { hooks } = open({ onPage: ({ state }) => ({ n: state.update('n', (n = 0) => (n as number) + 1) }) });
  const { error } = await hooks!.onPage(await pageOf('http://a.test/'));
  expect(error).toContain('only in crawls on one machine');
});
