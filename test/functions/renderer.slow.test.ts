/** The function that renders pages, with its own browser, over the site of scripted pages. */
import { afterAll, expect } from 'vitest';
import { lazy } from '../../shared/core/base/lazy.ts';
import { createRoundRenderer } from '../../shared/crawler/renderer/rounds/round-renderer.ts';
import { needs } from '../needs.ts';
import { createPartFetcher, jobFor } from '../web/scripted/render-page.ts';
import { scriptedPagesContract } from '../web/scripted/scripted-contract.ts';
import { openScriptedSite } from '../web/scripted/site.ts';
import { openRendererFunction, type RendererFunction } from './renderer-function.ts';

const site = await openScriptedSite();
const parts = createPartFetcher();
let opened: RendererFunction | undefined;
const opening = lazy(async () => {
  opened = await openRendererFunction();
  return opened;
});
let rounds = 0;
const renderer = createRoundRenderer({
  ask: async (message) => {
    rounds++;
    return (await opening()).invoke(message);
  },
});
afterAll(async () => {
  await opened?.close();
  await parts.close();
  await site.close();
});

// It asks for 10,000 things: in one process with the browser they take more memory than a page gets.
scriptedPagesContract({ need: 'lambdaBrowser', site, parts, renderer, lost: { 'request-loop': 1 } });

needs('lambdaBrowser')(
  'a page whose data comes by one request takes two rounds, each with a browser of its own',
  async () => {
    const page = site.pages.find(({ name }) => name === 'fetched')!;
    rounds = 0;
    await renderer.render(jobFor(site, page), parts.fetchPart);
    expect(rounds).toBe(2);
  },
);
