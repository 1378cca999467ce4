/** A renderer, the site of scripted pages, and a fetcher for them, which end with the tests of a file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Renderer } from '../../../shared/crawler/ports/renderer.ts';
import { findBrowser } from '../../../shared/crawler/renderer/find-browser.ts';
import { createRenderer, type RendererOptions } from '../../../shared/crawler/renderer/renderer.ts';
import { createPartFetcher, type PartFetcher } from '../../web/scripted/render-page.ts';
import type { ScriptedPage } from '../../web/scripted/scripted-page.ts';
import { openScriptedSite, type ScriptedSite } from '../../web/scripted/site.ts';

export const folder = mkdtempSync(join(tmpdir(), 'strand-renderer-test-'));
const ends: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
  rmSync(folder, { recursive: true, force: true });
});

export function openRenderer(options: Partial<RendererOptions> = {}): Renderer {
  const program = findBrowser({ env: process.env });
  const renderer = createRenderer({ program, temporaryFolder: folder, warn: () => {}, ...options });
  ends.push(() => renderer.close());
  return renderer;
}

export async function openSite(): Promise<{
  readonly site: ScriptedSite;
  readonly parts: PartFetcher;
  readonly pageOf: (name: string) => ScriptedPage;
}> {
  const site = await openScriptedSite();
  const parts = createPartFetcher();
  ends.push(parts.close, site.close);
  const pageOf = (name: string) => {
    const page = site.pages.find((one) => one.name === name);
    if (page === undefined) throw new Error(`There is no page ${name}`);
    return page;
  };
  return { site, parts, pageOf };
}
