/** A crawl of a folder's files, with the usual settings. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { openCrawl, startCrawl } from '../../api/index.ts';
import { temporaryFolder } from './local-crawl.ts';

const ROOT = join(import.meta.dirname, '../..');
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

test('a ledger of a newer version is refused in one line, which says what to do', () => {
  const out = join(folder, 'crawl');
  const db = new DatabaseSync(join(out, 'crawl.sqlite'));
  // The second byte is the version.
  for (const { name, bytes } of db.prepare('SELECT name, bytes FROM parts').all()) {
    const newer = Uint8Array.from(bytes as Uint8Array);
    newer[1] = 9;
    db.prepare('UPDATE parts SET bytes = ? WHERE name = ?').run(newer, name as string);
  }
  db.close();
  for (const verb of ['report', 'export']) {
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'cli/bin.js'), verb, out], {
      encoding: 'utf8',
    });
    expect(stderr).toBe(
      'strand: A newer version of Strand has written this crawl (segment version 9: this program knows version 1): use that one\n',
    );
    expect(status).toBe(2);
  }
});

async function states(out: string): Promise<Record<string, string>> {
  await using crawl = await openCrawl(out);
  const found: Record<string, string> = {};
  for await (const { url, status } of crawl.urls()) found[new URL(url).pathname] = status;
  return found;
}
