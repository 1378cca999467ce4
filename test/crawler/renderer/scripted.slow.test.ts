/** Each page of the site of scripted pages, rendered as it is, and with behaviours. */
import { expect } from 'vitest';
import { needs } from '../../needs.ts';
import { type Found, findLinks } from '../../web/scripted/render-page.ts';
import { openRenderer, openSite } from './open-renderer.ts';

const { site, parts, pageOf } = await openSite();
const renderer = openRenderer();
const names = site.pages.filter(({ isHostile }) => !isHostile).map(({ name }) => name);
const hostile = site.pages.filter(({ isHostile }) => isHostile).map(({ name }) => name);

const find = (name: string, behaves = false): Promise<Found> =>
  findLinks(renderer, site, pageOf(name), { fetchPart: parts.fetchPart, behaves });

needs('browser').each(names)('%s is rendered to its truth', async (name) => {
  const { links, plain = links.length } = pageOf(name);
  const { found, missing, rendering } = await find(name);
  expect({ state: rendering.state, found, missing: found === plain ? [] : missing }).toEqual({
    state: 'rendered',
    found: plain,
    missing: [],
  });
});

needs('browser').each(site.pages.filter(({ behaved }) => behaved !== undefined).map(({ name }) => name))(
  '%s shows more to one who scrolls and clicks',
  async (name) => {
    const { found, missing } = await find(name, true);
    expect({ found, missing }).toMatchObject({ found: pageOf(name).behaved });
  },
);

needs('browser').each(hostile)('%s ends, and costs at most itself', async (name) => {
  const { found, rendering } = await find(name);
  expect(found).toBe(pageOf(name).links.length);
  expect(rendering.used.requests).toBeLessThanOrEqual(60);
  const after = await find('fetched');
  expect(after).toMatchObject({ found: 8, rendering: { state: 'rendered' } });
});

needs('browser')('a loop in a handler of a behaviour is ended, and the page kept', async () => {
  const { found, rendering } = await find('loop-when-scrolled', true);
  expect({ found, state: rendering.state }).toEqual({ found: 2, state: 'rendered' });
});

needs('browser')('nothing came to the site but by the crawler', () => {
  expect(site.takeEscapes()).toEqual([]);
});
