/**
 * The content of a page is freed soon after its hooks have run: not only by a collection of the whole heap. In a process of its own: with
 * the heap of other tests, a collection that is under way keeps what it has marked.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { HookedPage } from '../../shared/crawler/turn/page-hooks.ts';
import { createHookPage } from '../../shared/services/hooks/hook-page.ts';
import { createPageContent } from '../../shared/services/hooks/page-content.ts';

const PAGES = 40;
const MB = 1e6;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void;

test('a minor collection frees the pages that hooks have seen', () => {
  const body = Buffer.from(`<p>${'text '.repeat(100_000)}`);
  /** A page of half a megabyte, and a megabyte that is made of it. */
  const callHook = () => {
    const facts = { mimeType: 'text/html', links: [] };
    const response = { httpStatus: 200, headers: [] };
    const content = createPageContent(body, { headers: [] }, { url: 'http://a.test/', ...facts }, 10 * MB);
    const page = createHookPage(
      { url: 'http://a.test/', depth: 0, response, facts } as unknown as HookedPage,
      content,
    );
    expect(page.mainText.length + page.html.length).toBeGreaterThan(2 * body.length - 20);
  };
  callHook();
  collect({ type: 'minor' });
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < PAGES; i++) {
    callHook();
    collect({ type: 'minor' });
  }
  expect(process.memoryUsage().heapUsed - before).toBeLessThan((PAGES * MB) / 4);
});
