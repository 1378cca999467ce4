import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startCrawl } from '../../../api/index.ts';
import { addSeeds } from '../../../api/local/add-seeds.ts';
import { runningCrawl } from '../../../api/local/local-crawl.ts';
import { withRegistry } from '../../../api/local/open-folder.ts';
import { systemClock } from '../../../shared/engines/system-clock.ts';
import { serveAnswers } from '../small-server.ts';

test('a crawl that gets seeds while its last session ends goes on, and is not stopped', async () => {
  const site = await serveAnswers('127.81.3.20', { '/': 'A page' });
  const parent = mkdtempSync(join(tmpdir(), 'strand-seeds-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const folder = join(parent, 'crawl');
  const options = { allowPrivateAddresses: ['127.0.0.0/8'], delayMs: 0, out: folder };
  const { name: crawl, done } = await startCrawl({ seeds: [site], ...options });
  await done;
  const sessions: (string | undefined)[] = [];
  const running = await runningCrawl(undefined, async ({ continues, onMessage }) => {
    sessions.push(continues);
    if (sessions.length > 1)
      return withRegistry(folder, async (all) => void (await all.setStatus(crawl, 'finished')));
    onMessage({ kind: 'begun', folder, crawl } as Parameters<typeof onMessage>[0]);
    await addSeeds(folder, [`${site}/late`], systemClock);
  });
  expect([(await running.done).state, sessions]).toEqual(['finished', [undefined, folder]]);
});
