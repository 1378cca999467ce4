/** The contract of renderers: each finds the same on the site of scripted pages, wherever its browser runs. */
import { expect } from 'vitest';
import type { Renderer } from '../../../shared/crawler/ports/renderer.ts';
import { type Need, needs } from '../../needs.ts';
import { type Found, findLinks, type PartFetcher } from './render-page.ts';
import type { ScriptedPage } from './scripted-page.ts';
import type { ScriptedSite } from './site.ts';

export interface ScriptedSubject {
  readonly need: Need;
  readonly site: ScriptedSite;
  readonly parts: PartFetcher;
  readonly renderer: Renderer;
  /** Links of hostile pages that are not found, by their names, each for a reason of its own. */
  readonly lost?: Readonly<Record<string, number>>;
}

export function scriptedPagesContract({ need, site, parts, renderer, lost = {} }: ScriptedSubject): void {
  const pageOf = (name: string) => site.pages.find((page) => page.name === name) as ScriptedPage;
  const names = site.pages.filter(({ isHostile }) => !isHostile).map(({ name }) => name);
  const hostile = site.pages.filter(({ isHostile }) => isHostile).map(({ name }) => name);
  const find = (name: string, behaves = false): Promise<Found> =>
    findLinks(renderer, site, pageOf(name), { fetchPart: parts.fetchPart, behaves });

  needs(need).each(names)('%s is rendered to its truth', async (name) => {
    const { links, plain = links.length } = pageOf(name);
    const { found, missing, rendering } = await find(name);
    expect({ state: rendering.state, found, missing: found === plain ? [] : missing }).toEqual({
      state: 'rendered',
      found: plain,
      missing: [],
    });
  });

  needs(need).each(site.pages.filter(({ behaved }) => behaved !== undefined).map(({ name }) => name))(
    '%s shows more to one who scrolls and clicks',
    async (name) => {
      const { found, missing } = await find(name, true);
      expect({ found, missing }).toMatchObject({ found: pageOf(name).behaved });
    },
  );

  needs(need).each(hostile)('%s ends, and costs at most itself', async (name) => {
    const { found, rendering } = await find(name);
    expect(found).toBe(pageOf(name).links.length - (lost[name] ?? 0));
    expect(rendering.used.requests).toBeLessThanOrEqual(60);
    const after = await find('fetched');
    expect(after).toMatchObject({ found: 8, rendering: { state: 'rendered' } });
  });

  needs(need)('a loop in a handler of a behaviour is ended, and the page kept', async () => {
    const { found, rendering } = await find('loop-when-scrolled', true);
    expect({ found, state: rendering.state }).toEqual({ found: 2, state: 'rendered' });
  });

  needs(need)('nothing came to the site but by the crawler', () => {
    expect(site.takeEscapes()).toEqual([]);
  });
}
