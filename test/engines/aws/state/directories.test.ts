/** Lists of CrawlState that come page by page: the directories of crawls and of hosts. */
import { expect, test } from 'vitest';
import { CrawlDirectory } from '../../../../shared/engines/aws/state/crawl-directory.ts';
import { type DirectoryPlace, HostDirectory } from '../../../../shared/engines/aws/state/host-directory.ts';
import { HOST_SHARDS } from '../../../../shared/engines/aws/state/tables.ts';
import { createServices } from '../../../../simulation/test/models/dynamo-services.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { throttling } from '../throttled.ts';

/** `throttled`: calls that are refused at first. */
function open(throttled = 0) {
  const { clients } = createServices();
  const clock = { ...createFakeClock(), sleep: async () => {} };
  const sent: string[] = [];
  let left = throttled;
  const dynamo = {
    async send(command: { readonly constructor: { readonly name: string }; readonly input: object }) {
      sent.push(command.constructor.name);
      if (left-- > 0) throw Object.assign(new Error('slower'), { name: 'ThrottlingException' });
      return clients.dynamo.send(command as never);
    },
  } as unknown as typeof clients.dynamo;
  return { dynamo, clock, sent, table: 'T' };
}

test('a directory lists the crawls that were entered and not struck, and none of another directory', async () => {
  for (const throttled of [0, 2]) {
    const context = open(throttled);
    const crawls = new CrawlDirectory({ ...context, name: '#crawls' });
    const running = new CrawlDirectory({ ...context, name: '#running' });
    await crawls.enter('a');
    await crawls.enter('b');
    await crawls.enter('b');
    await running.enter('c');
    await crawls.strike('a');
    await crawls.strike('never');
    expect(await crawls.list()).toEqual(['b']);
    expect(await running.list()).toEqual(['c']);
  }
});

test('a directory of hosts gives those of its crawl, each once, in pages of any size', async () => {
  const context = open();
  const hosts = new HostDirectory(context);
  const names = Array.from({ length: 40 }, (_, i) => `h${i}.test`);
  for (const host of [...names, 'h0.test']) await hosts.enter('one', host);
  await hosts.enter('other', 'stranger.test');
  for (const limit of [1, 3, 100]) {
    const found: string[] = [];
    const shards = new Set<number>();
    for (let place: DirectoryPlace | undefined = { shard: 0 }; place; ) {
      shards.add(place.shard);
      const page = await hosts.page('one', place, limit);
      expect(page.hosts.length).toBeLessThanOrEqual(limit);
      found.push(...page.hosts);
      place = page.next;
    }
    expect(found.sort()).toEqual([...names].sort());
    expect(shards.size).toBe(HOST_SHARDS);
  }
  expect(await hosts.page('one', { shard: HOST_SHARDS }, 10)).toEqual({ hosts: [] });
});

test('a directory of hosts is filled and listed, though each call is refused once for its rate', async () => {
  const context = open();
  const hosts = new HostDirectory({ ...context, dynamo: throttling(context.dynamo) });
  await hosts.enter('one', 'a.test');
  const found: string[] = [];
  for (let shard = 0; shard < HOST_SHARDS; shard++)
    found.push(...(await hosts.page('one', { shard }, 9)).hosts);
  expect(found).toEqual(['a.test']);
});
