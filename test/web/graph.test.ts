import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonical, hostOf } from './canonical.ts';
import { FULL, PLAIN } from './features.ts';
import { generateWeb } from './graph.ts';
import { millionLinks } from './million-links.ts';
import { pageIndex, pagePath } from './pages.ts';
import { hash } from './random.ts';
import { NOT_FOUND, render } from './render.ts';
import type { Reference } from './resource.ts';
import { closure } from './truth.ts';

const ASKED = { method: 'GET', attempt: 9, acceptEncoding: 'gzip, br, zstd, deflate', now: 0 };

describe('the generator', () => {
  test('makes the same bytes from the same seed, and others from another', () => {
    const digest = (seed: number) => {
      const web = generateWeb({
        seed,
        hosts: 12,
        pagesPerHost: 5,
        features: { ...FULL, largeBodies: false },
      });
      const parts: string[] = [];
      for (const url of closure(web, { seeds: web.seeds, scope: 'host' }).urls.keys())
        for (const piece of render(web.at(url) ?? NOT_FOUND, ASKED).pieces)
          parts.push(Buffer.from(piece).toString('latin1'));
      return hash(...parts);
    };
    expect(digest(5)).toBe(digest(5));
    expect(digest(5)).not.toBe(digest(6));
  });

  test('means what it writes: every reference leads to its target, by the WHATWG rules', () => {
    for (const port of [80, 8123]) {
      const web = generateWeb({ seed: 3, hosts: 12, pagesPerHost: 20, port });
      const hows = new Set<string>();
      for (const url of closure(web, { seeds: web.seeds, scope: 'host' }).urls.keys()) {
        const { references = [], base } = web.at(url) ?? {};
        for (const reference of references) {
          hows.add(reference.how);
          const meant = canonical(urlOf(reference), base === undefined ? url : new URL(base, url).href);
          if (reference.target !== undefined)
            expect([url, reference.written, meant]).toEqual([url, reference.written, reference.target]);
          else expect(/^https?:/.test(meant ?? ''), reference.written).toBe(false);
        }
      }
      expect([...hows].sort()).toEqual([
        'a',
        'area',
        'comment',
        'form',
        'frame',
        'iframe',
        'location',
        'nofollow',
        'refresh',
        'script',
        'text',
        'textarea',
      ]);
    }
  });

  test('finds the page of every path that it writes, and of no other', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(1000), fc.nat(9_999_999), (seed, host, index) => {
        const path = pagePath(seed, host, index);
        expect(pageIndex(seed, host, path)).toBe(index);
        expect(pageIndex(seed, host, `${path}x`)).toBe(undefined);
      }),
    );
  });

  test('has no URL that is not canonical', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 30 }),
        (seed, hosts, pagesPerHost) => {
          const web = generateWeb({ seed, hosts, pagesPerHost, port: 8123, features: PLAIN });
          for (const url of closure(web, { seeds: web.seeds, scope: 'host' }).urls.keys())
            expect(canonical(url)).toBe(url);
        },
      ),
      { numRuns: 20 },
    );
  });

  test('makes hosts of skewed sizes whose mean is the one requested', () => {
    const web = generateWeb({ seed: 1, hosts: 2000, pagesPerHost: 50, features: PLAIN });
    expect(web.pageCount / 2000).toBeGreaterThan(40);
    expect(web.pageCount / 2000).toBeLessThan(60);
    const reached = closure(web, { seeds: web.seeds.slice(0, 1), scope: 'any' });
    expect(new Set([...reached.urls.keys()].map(hostOf)).size).toBeGreaterThan(1000);
  });

  test('makes every plain page of a host without rules reachable from its root', () => {
    const web = generateWeb({ seed: 2, hosts: 8, pagesPerHost: 60, features: PLAIN });
    expect(closure(web, { seeds: web.seeds, scope: 'host' }).urls.size).toBe(web.pageCount);
  });

  test('has traps without an end, none of which a crawl must enter', () => {
    const web = generateWeb({ seed: 2, hosts: 2, pagesPerHost: 1, features: { ...PLAIN, traps: true } });
    const entries = web
      .at(web.seeds[0]!)!
      .references.flatMap(({ target }) => target ?? [])
      .filter(web.isTrap);
    expect(entries).toHaveLength(3);
    for (const entry of entries) {
      let url = entry;
      const met = new Set<string>();
      for (let step = 0; step < 50; step++) {
        const next = web
          .at(url)!
          .references.map(({ target }) => target!)
          .find((target) => !met.has(target));
        expect(web.isTrap(next!)).toBe(true);
        met.add(next!);
        url = next!.includes('day=') ? entry : next!;
      }
    }
    expect([...closure(web, { seeds: web.seeds, scope: 'host' }).urls.keys()].filter(web.isTrap)).toEqual([]);
  });

  test('makes a host of a million URLs that 500 pages of 2,000 links name, each once', () => {
    const web = millionLinks({ pages: 500, linksPerPage: 2000 });
    const known = new Set(web.seeds);
    const queue = [...web.seeds];
    for (const url of queue.slice(0)) expect(web.at(url)!.references).toHaveLength(2000);
    for (let i = 0; i < 500; i++)
      for (const { target } of web.at(queue[i]!)!.references) {
        known.add(target!);
        if (queue.length < 500) queue.push(target!);
      }
    expect(known.size).toBe(1_000_001);
    const last = [...known].at(-1)!;
    expect(web.at(last)!.references).toEqual([]);
    expect(web.at(last.replace(/\d+$/, '1000001'))).toBe(undefined);
  });
});

/** The URL as such: that of a refresh without what is around it. */
function urlOf({ how, written }: Reference): string {
  return how === 'refresh' ? written.replace(/^\d+[; ]*(url=)?/i, '').replaceAll("'", '') : written;
}
