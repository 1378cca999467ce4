/** Whole crawls with default settings of sites whose truth is known: what a trap costs, and what is lost. */
import { describe, expect, test } from 'vitest';
import { REAL_SITES, renderTrapPage, TRAPS, type TrapSite } from '../../web/trap-sites.ts';
import type { Site } from './scripted-fetcher.ts';
import { crawlToEnd } from './world.ts';

const A = 'http://a.test';

interface Measured {
  /** Requests for what is not real. */
  readonly beyond: number;
  /** Real pages that were not fetched. */
  readonly lost: readonly string[];
  readonly real: number;
}

async function measure(
  { page, real, isOptional = () => false }: TrapSite,
  maxPages: number,
): Promise<Measured> {
  const site = new Proxy({} as Site, {
    get(_, url) {
      const found = page(String(url).slice(A.length));
      return found === undefined ? undefined : { body: renderTrapPage(found) };
    },
  });
  const { fetcher } = await crawlToEnd(site, { delayMs: 0, maxPages }, { tookMs: 1 });
  const asked = new Set(fetcher.log.map(({ url }) => url.slice(A.length)));
  asked.delete('/robots.txt');
  const lost = real.filter((path) => !asked.has(path));
  const optional = [...asked].filter(isOptional).length;
  return { beyond: asked.size - optional - (real.length - lost.length), lost, real: real.length };
}

describe('a trap ends within some hundred requests, and nothing beside it is lost:', () => {
  test.each(Object.entries(TRAPS))('%s', async (_, make) => {
    const site = make();
    const { beyond, lost, real } = await measure(site, site.real.length + 3000);
    expect(lost.length / real).toBeLessThan(0.01);
    expect(beyond).toBeLessThan(700);
  });
});

describe('a site without a trap loses no page:', () => {
  test.each(Object.entries(REAL_SITES))('%s', async (_, make) => {
    expect((await measure(make(), 30_000)).lost).toEqual([]);
  });
});
