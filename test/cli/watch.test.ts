import { describe, expect, test } from 'vitest';
import { untilFree, type WatchOptions, watchCrawl } from '../../cli/crawl/watch-crawl.ts';
import { renderParts } from '../../cli/drawn-line.ts';
import { watchParts } from '../../cli/watch-line.ts';
import { ControlError } from '../../shared/services/control/control.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import { fakeControl, fastClock, paper, RUNNING } from './stack-fakes.ts';

describe('the line of a watched crawl', () => {
  test('shows state, pages, rate, URLs, hosts, bytes, errors and cost', () => {
    expect(renderParts(watchParts(RUNNING, { pagesPerSecond: 9.2 }), 200, false)).toBe(
      'running  1,234 pages  9.2/s  6,354 URLs  5,120 waiting  52 hosts  31 MB  3 errors  $0.0012  $1.00/M pages',
    );
  });

  test.each([
    [80, 'running  1,234 pages  9.2/s  5,120 waiting  3 errors  $0.0012  $1.00/M pages'],
    [40, 'running  1,234 pages  9.2/s  $0.0012'],
    [18, '1,234 pages  9.2/s'],
  ])('keeps what matters most within %d columns', (columns, line) => {
    expect(renderParts(watchParts(RUNNING, { pagesPerSecond: 9.2 }), columns, false)).toBe(line);
  });

  test('has no parts for what is not known or not there', () => {
    const summary = { ...RUNNING, pages: 0, errors: {}, cost: 0 };
    expect(renderParts(watchParts(summary, {}), 200, false)).toBe(
      'running  0 pages  6,354 URLs  5,120 waiting  52 hosts  31 MB',
    );
  });
});

/** Watches a crawl that answers by these in turn, the last one from then on. */
function watching(answers: readonly (Partial<CrawlSummary> | Error)[], more: Partial<WatchOptions> = {}) {
  let looks = 0;
  const stream = paper();
  const { control } = fakeControl({
    async status() {
      const answer = answers[Math.min(looks++, answers.length - 1)]!;
      if (answer instanceof Error) throw answer;
      return { ...RUNNING, ...answer };
    },
  });
  const options = {
    stream,
    environment: {},
    clock: fastClock(),
    signal: new AbortController().signal,
    ...more,
  };
  return { done: watchCrawl(control, 'news', options), stream, looks: () => looks };
}

describe('watching a crawl', () => {
  test('ends with the crawl, and gives what it came to', async () => {
    const { done, looks } = watching([{}, {}, { state: 'finished', pages: 2000 }]);
    expect(await done).toMatchObject({ state: 'finished', pages: 2000 });
    expect(looks()).toBe(3);
  });

  test('names each host that fails, with the next try, and each that was given up, once', async () => {
    const failing = [{ host: 'a.test', cause: 'connection refused', nextTryAt: '1970-01-01T00:01:00.000Z' }];
    const setAside = [{ host: 'a.test', cause: 'connection refused' }];
    const { done, stream } = watching([{ failing }, { failing }, { state: 'finished', setAside, pages: 0 }]);
    await done;
    const lines = stream.written.filter((text) => text.startsWith('a.test'));
    expect(lines).toEqual([
      expect.stringMatching(/^a\.test: connection refused; next try in \S+\n$/),
      'a.test: connection refused; given up\n',
    ]);
  });

  test('prints a line each half minute where there is no terminal, and one when the state changes', async () => {
    const answers = Array.from({ length: 8 }, (_, i) => ({ pages: i * 30 }));
    const { done, stream } = watching([...answers, { state: 'limited', pages: 240 }]);
    await done;
    const lines = stream.text().trimEnd().split('\n');
    expect(lines.map((line) => line.split('  ').slice(0, 3).join('  '))).toEqual([
      'running  0 pages  6,354 URLs',
      'running  90 pages  3/s',
      'running  180 pages  3/s',
      'limited  240 pages  3/s',
    ]);
  });

  test('draws one line over itself on a terminal, and takes it away at the end', async () => {
    const stream = paper(true, 60);
    await watching([{}, {}, { state: 'paused' }], { stream }).done;
    expect(stream.written).toHaveLength(4);
    for (const text of stream.written) {
      expect(text.startsWith('\r\x1b[K')).toBe(true);
      expect(text).not.toContain('\n');
    }
    expect(stream.written.at(-1)).toBe('\r\x1b[K');
  });

  test('ends at the operator word without a summary: the crawl continues', async () => {
    const stopping = new AbortController();
    const clock = fastClock((now) => now >= 30_000 && stopping.abort());
    const { done, looks } = watching([{}], { signal: stopping.signal, clock });
    expect(await done).toBeUndefined();
    expect(looks()).toBe(4);
  });

  test('looks again after a failure, and gives up after five in a row', async () => {
    const oops = new Error('connect ETIMEDOUT');
    const { done, stream } = watching([oops, {}, oops, oops, oops, oops, { state: 'finished' }]);
    expect(await done).toMatchObject({ state: 'finished' });
    expect(stream.text()).toContain('connect ETIMEDOUT; looking again\n');
    await expect(watching([{}, oops]).done).rejects.toThrow(oops);
  });

  test('ends at once where there is no such crawl', async () => {
    const { done, looks } = watching([new ControlError('notFound', 'There is no crawl "news"')]);
    await expect(done).rejects.toThrow('There is no crawl "news"');
    expect(looks()).toBe(1);
  });
});

test('a folder whose crawl was stopped is watched until its process has stored all', async () => {
  const looks = [
    [true, 'running', 10],
    [true, 'stopped', 10],
    [false, 'stopped', 18],
  ] as const;
  let at = -1;
  const status = untilFree(
    async () => ({ ...RUNNING, state: looks[at]![1], pages: looks[at]![2] }),
    () => looks[++at]![0],
  );
  const { signal } = new AbortController();
  const options = { stream: paper(), environment: {}, clock: fastClock(), signal };
  expect(await watchCrawl({ status }, 'c', options)).toMatchObject({ state: 'stopped', pages: 18 });
});
