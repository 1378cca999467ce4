/** Tests of events that end a crawl's process, or remove its folder. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCrawl } from '../../api/open-crawl.ts';
import { needs } from '../needs.ts';
import { commandLine, rowOfPages, type SmallSite, startSite } from './small-site.ts';

let site: SmallSite;
let here: ReturnType<typeof commandLine>;
beforeEach(async () => {
  here = commandLine();
  site = await startSite(rowOfPages(60), { delayMs: 10 });
});
afterEach(async () => {
  here.remove();
  await site.stop();
});

needs('signals')('SIGINT, SIGTERM, SIGHUP: what was fetched is committed', async () => {
  let running = here.crawl(site, 'export default {};');
  for (const [i, signal] of (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).entries()) {
    const reached = 10 * (i + 1);
    await site.asked(`/${reached}`);
    running.child.kill(signal);
    const { code, out } = await running.ended;
    expect([signal, code, JSON.parse(out).state]).toEqual([signal, 130, 'interrupted']);
    expect(JSON.parse(out).pages).toBeGreaterThanOrEqual(reached);
    running = here.resume();
  }
  const { code, out } = await running.ended;
  expect([code, JSON.parse(out).pages]).toEqual([0, 60]);
  // One request was in flight at each.
  expect(site.log.length).toBeLessThanOrEqual(63);
});

test.each([
  ['finished', [], 0, 60],
  ['limited', ['--max-pages', '30'], 3, 30],
])('a closed standard output changes nothing of a crawl that ends %s', async (_, more, code, pages) => {
  const hook = 'export default { onPage({ url }) { console.log(url); } };';
  const { child, ended } = here.crawl(site, hook, ...more);
  child.stdout?.destroy();
  expect((await ended).code).toBe(code);
  await using stored = await openCrawl(here.folder);
  expect((await stored.summary()).pages).toBe(pages);
});

test('a closed standard error changes nothing of a crawl', async () => {
  const { child, ended } = here.crawl(site, 'export default { onPage() { console.error("x"); } };');
  child.stderr?.destroy();
  const { code, out } = await ended;
  expect([code, JSON.parse(out).pages]).toEqual([0, 60]);
});

test('a crawl that cannot be opened as its storage fails says how to continue', async () => {
  expect((await here.crawl(site, 'export default {};', '--max-pages', '3').ended).code).toBe(3);
  const archive = join(here.folder, 'archive');
  rmSync(archive, { recursive: true });
  writeFileSync(archive, '');
  const { code, err } = await here.resume().ended;
  expect(code).toBe(1);
  expect(err).toMatch(/^strand: .*Put it back.*\. Then continue with: .*resume .*crawl$/m);
});
