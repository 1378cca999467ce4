/** A crawl of a folder's files, with the usual settings. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openCrawl, startCrawl } from '../../api/index.ts';
import { temporaryFolder } from './local-crawl.ts';

const { folder, remove } = temporaryFolder();
afterAll(remove);

test('a folder is crawled as a host, without contact and network', async () => {
  const site = join(folder, 'public');
  mkdirSync(join(site, 'guide'), { recursive: true });
  writeFileSync(join(site, 'robots.txt'), 'User-agent: *\nDisallow: /private\nCrawl-delay: 3600\n');
  writeFileSync(
    join(site, 'index.html'),
    '<a href="/guide">g</a><a href="https://docs.test/b">b</a><a href="/private.html">p</a><a href="/none">n</a>',
  );
  writeFileSync(join(site, 'guide', 'one.html'), '<p>The first chapter.');
  writeFileSync(join(site, 'b.html'), '<p>The harbour is quiet.');
  const out = join(folder, 'crawl');
  const first = await startCrawl({
    seeds: ['docs.test'],
    out,
    fromFolder: [['docs.test', site]],
  });
  await first.done;

  expect(await states(out)).toEqual({
    '/': 'fetched',
    '/b': 'fetched',
    '/guide': 'redirect',
    '/guide/': 'fetched',
    '/guide/one.html': 'fetched',
    '/none': 'gone',
    '/private.html': 'deniedByRobots',
  });
});

async function states(out: string): Promise<Record<string, string>> {
  await using crawl = await openCrawl(out);
  const found: Record<string, string> = {};
  for await (const { url, status } of crawl.urls()) found[new URL(url).pathname] = status;
  return found;
}
