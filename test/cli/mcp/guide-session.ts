/** A session of an agent over a crawled site, as text: the calls that answer a question, and their answers. */
import { join } from 'node:path';
import { pullCrawl } from '../../../api/stack/copy/pull-crawl.ts';
import { drive } from '../../../simulation/models/virtual-time.ts';
import { startAgent } from './agent.ts';
import { CRAWL, crawlDocs, docsWorld } from './docs-site.ts';

/** Crawls the site, copies the crawl to a folder below `home`, and asks a server over it. Returns the text. */
export async function guideSession(home: string): Promise<string> {
  const world = docsWorld();
  const lastDay = await drive(
    world.time,
    (async () => {
      const end = await crawlDocs(world);
      await pullCrawl(world.connection, CRAWL, join(home, 'crawls', CRAWL), {});
      return end;
    })(),
  );
  world.deployment.stop();
  const weekAgo = new Date(lastDay - 7 * 86_400_000).toISOString().slice(0, 10);
  const agent = await startAgent({ args: ['crawls', '--contact', 'me@example.org'], home });
  const lines: string[] = ['> What changed in the installation guide since last week?'];
  const call = async (name: string, input: Record<string, unknown>) => {
    const answer = await agent.call(name, input);
    const text = JSON.stringify(answer, undefined, 2).replaceAll(
      /untrusted-[0-9a-f]{16}/g,
      'untrusted-5f2c9e71a0b3d846',
    );
    lines.push('', `${name} ${JSON.stringify(input)}`, text);
    return answer;
  };
  const { hits } = await call('search_crawl', { words: 'installation', limit: 1 });
  const [{ url }] = hits as readonly { readonly url: string }[] as [{ url: string }];
  await call('changes', { since: weekAgo, kinds: ['changed'] });
  await call('diff_page', { url, from: weekAgo });
  await agent.close();
  return lines.join('\n');
}
