/** The function that renders pages, with its own browser, over the site of scripted pages. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { bundleFunction } from '../../cdk/bundle-function.ts';
import { lazy } from '../../shared/core/base/lazy.ts';
import { createRoundRenderer } from '../../shared/crawler/renderer/rounds/round-renderer.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
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
  clock: systemClock,
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

const PAGES_OF_OTHERS = {
  html: '<p id=a>plain</p><button id=b>x</button><script>b.onclick=()=>{a.textContent="clicked"}</script>',
  strange:
    '<p id=a>plain</p><script>fetch("/api/long?"+"x".repeat(9000)).catch(()=>{});fetch("/api/odd",{method:"PROPFIND"}).catch(()=>{a.textContent="refused"})</script>',
};

needs('lambdaBrowser')('the function of a project comes out of a bundle, and acts on the page', async () => {
  const script = bundledSource(`export default {
    async *behave({ click }) {
      const press = (selector) => click(selector);
      press('#b');
      yield;
    },
  };`);
  const behaviours = { scroll: false, more: false, script };
  const page = { name: 'static', links: [], html: PAGES_OF_OTHERS.html };
  const { html, behaviourFault } = await renderer.render(jobFor(site, page, { behaviours }), parts.fetchPart);
  expect({ isClicked: html?.includes('clicked'), behaviourFault }).toEqual({ isClicked: true });
});

needs('lambdaBrowser')(
  'requests that a reply cannot have are refused, and the page is rendered',
  async () => {
    const page = { name: 'static', links: [], html: PAGES_OF_OTHERS.strange };
    const { html, state, detail } = await renderer.render(jobFor(site, page), parts.fetchPart);
    expect({ state, isRefused: html?.includes('refused'), detail }).toEqual({
      state: 'rendered',
      isRefused: true,
    });
  },
);

/** The source of `behave` as a worker has it. */
function bundledSource(project: string): string {
  const folder = mkdtempSync(join(import.meta.dirname, '../../node_modules/.strand-bundle-'));
  try {
    writeFileSync(join(folder, 'project.ts'), project);
    const from = join(import.meta.dirname, '../../shared/services/project/behaviour-source.ts');
    writeFileSync(
      join(folder, 'entry.ts'),
      `import project from './project.ts'; import { behaviourSource } from '${from}'; console.log(behaviourSource(project.behave));`,
    );
    bundleFunction('worker', { entry: join(folder, 'entry.ts'), outdir: folder, sourcemap: false });
    return execFileSync(process.execPath, [join(folder, 'index.mjs')], { encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

needs('lambdaBrowser')(
  'a page whose data comes by one request takes two rounds, each with a browser of its own',
  async () => {
    const page = site.pages.find(({ name }) => name === 'fetched')!;
    rounds = 0;
    await renderer.render(jobFor(site, page), parts.fetchPart);
    expect(rounds).toBe(2);
  },
);
