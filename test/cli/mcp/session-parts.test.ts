/** The parts of a session: crawls that are opened and closed, hosts, the use of a day, clocks of hosts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { OpenedCrawl } from '../../../api/crawl-place.ts';
import { type CrawlShelf, Crawls } from '../../../cli/mcp/crawls.ts';
import { DayUse } from '../../../cli/mcp/day-use.ts';
import { HostClock } from '../../../cli/mcp/host-clock.ts';
import { AllowedHosts } from '../../../cli/mcp/hosts.ts';

afterEach(() => void vi.useRealTimers());

/** Crawls of these names, each of which knows the host of its name. */
function shelfOf(...names: string[]) {
  const log: string[] = [];
  const open = async (name: string) => {
    log.push(`opens ${name}`);
    if (!names.includes(name)) return undefined;
    const crawl = {
      name,
      host: async (host: string) => {
        if (host !== name) throw new Error('unknown');
        return { pages: 1, waiting: 0 };
      },
      close: async () => void log.push(`closes ${name}`),
    };
    return crawl as unknown as OpenedCrawl;
  };
  const list = async () => names.map((crawl) => ({ crawl, state: 'finished', pages: 1 }));
  return { shelf: { name: 'here', list, running: list, listMs: 2000, open } satisfies CrawlShelf, log };
}

describe('a crawl', () => {
  test('is opened when it is asked for, once, and closed when it has rested for a minute', async () => {
    vi.useFakeTimers();
    const { shelf, log } = shelfOf('a.test');
    const crawls = new Crawls(shelf);
    expect(log).toEqual([]);
    await Promise.all([1, 2, 3].map(() => crawls.with('a.test', async () => {})));
    await vi.advanceTimersByTimeAsync(59_000);
    await crawls.with(undefined, async () => {});
    await vi.advanceTimersByTimeAsync(59_000);
    expect(log).toEqual(['opens a.test']);
    await vi.advanceTimersByTimeAsync(1000);
    expect(log).toEqual(['opens a.test', 'closes a.test']);
    await crawls.with('a.test', async () => {});
    await crawls.close();
    expect(log.slice(2)).toEqual(['opens a.test', 'closes a.test']);
  });

  test('that is not there is looked for again, and one that is used stays open', async () => {
    vi.useFakeTimers();
    const { shelf, log } = shelfOf('a.test', 'b.test');
    const crawls = new Crawls(shelf);
    for (let n = 0; n < 2; n++)
      await expect(crawls.with('never', async () => {})).rejects.toThrow('There are: a.test, b.test.');
    expect(log).toEqual(['opens never', 'opens never']);
    await expect(crawls.with(undefined, async () => {})).rejects.toThrow('Name a crawl: a.test, b.test.');
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const use = crawls.with('a.test', () => promise);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(log).not.toContain('closes a.test');
    end();
    await use;
  });
});

describe('a host may be contacted', () => {
  const allowed = async (patterns: string[], url: string) =>
    new AllowedHosts(patterns, new Crawls(shelfOf('docs.example.org').shelf)).isAllowed(url);

  test.each([
    [[], 'https://docs.example.org/a?b=c', true],
    [[], 'https://www.docs.example.org/', true],
    [[], 'https://example.org/', false],
    [[], 'https://docs.example.org.evil.test/', false],
    [[], 'https://docs.example.org:8443/', false],
    [['example.org'], 'https://example.org/', true],
    [['example.org'], 'https://www.example.org/', true],
    [['example.org'], 'http://example.org:8080/', true],
    [['example.org'], 'https://a.example.org/', false],
    [['*.example.org'], 'https://a.b.example.org/', true],
    [['*.example.org'], 'https://evilexample.org/', false],
    [['*'], 'https://anything.test/', true],
  ] as const)('by %j: %s is %s', async (patterns, url, is) => {
    expect(await allowed([...patterns], url)).toBe(is);
  });

  test('if a map of its own site has listed it, and not if a site has listed others', async () => {
    const hosts = new AllowedHosts(['example.org'], new Crawls(shelfOf().shelf));
    hosts.note(['https://docs.example.org/a', 'https://evil.test/?data='], 'https://example.org/');
    expect(await hosts.isAllowed('https://docs.example.org/b')).toBe(true);
    expect(await hosts.isAllowed('https://evil.test/')).toBe(false);
    await expect(hosts.checkDomain('https://example.org/')).rejects.toThrow('--allow-hosts *.example.org');
  });
});

describe('the use of a day', () => {
  const DAY = Date.UTC(2026, 0, 1);
  const useOf = (now: () => number, bounds = { pages: 10, bytes: 1000, dollars: 5, crawls: 2 }) => {
    const folder = mkdtempSync(join(tmpdir(), 'strand-day-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return () => new DayUse(folder, '/crawls', bounds, now);
  };

  test('counts pages of all servers of a place, and begins again at midnight, UTC', () => {
    let now = DAY;
    const open = useOf(() => now);
    const [one, other] = [open(), open()];
    for (let n = 0; n < 5; n++) {
      one.takePage();
      other.takePage();
    }
    expect(() => one.takePage()).toThrow('The operator allows 10 pages a day');
    expect(() => other.takePage()).toThrow('10 pages');
    now += 86_400_000;
    one.takePage();
    one.addBytes(1001);
    expect(() => other.takePage()).toThrow('1000 bytes');
    one.close();
    other.close();
  });

  test('a crawl sets aside its pages, with their share of bytes and dollars, and a refused one nothing', () => {
    const use = useOf(() => DAY)();
    expect(use.takeCrawl(4)).toEqual({ maxBytes: 400, maxCost: 2 });
    expect(() => use.takeCrawl(7)).toThrow('10 pages, of which 6 are left');
    expect(use.takeCrawl(6)).toEqual({ maxBytes: 600, maxCost: 3 });
    expect(() => use.takeCrawl(1)).toThrow('2 crawls a day');
    expect(() => use.takePage()).toThrow('10 pages');
    use.noteBegun('mine');
    expect([use.hasBegun('mine'), use.hasBegun('other')]).toEqual([true, false]);
    use.close();
  });
});

test('requests to a host follow one another by its delay, and other hosts do not wait', async () => {
  const slept: number[] = [];
  const time = { now: () => 1000, sleep: async (ms: number) => void slept.push(ms) };
  const clock = new HostClock(500, time);
  for (const host of ['a.test', 'a.test', 'b.test', 'a.test']) await clock.wait(host);
  expect(slept).toEqual([500, 1000]);
});
