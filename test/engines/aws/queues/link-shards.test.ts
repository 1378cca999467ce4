import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldLink } from '../../../../shared/core/frontier/fold-links.ts';
import type { Link } from '../../../../shared/core/frontier/message.ts';
import { hostKey } from '../../../../shared/core/url/host-key.ts';
import { createLinkShards } from '../../../../shared/engines/aws/queues/link-shards.ts';
import { linkShardOf, splitLinks } from '../../../../shared/engines/aws/queues/link-split.ts';
import { parseParcelText } from '../../../../shared/engines/aws/queues/message-text.ts';
import { turnShardOf } from '../../../../shared/engines/aws/queues/turn-shards.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { batchAnswer, entriesOf, fakeSqs } from './fake-sqs.ts';

/** As the router gathers them. */
function gathered(links: readonly Link[]): Map<string, Map<string, Link>> {
  const byHost = new Map<string, Map<string, Link>>();
  for (const link of links) {
    const host = hostKey(link.url);
    const own = byHost.get(host) ?? new Map<string, Link>();
    byHost.set(host, own);
    foldLink(own, link);
  }
  return byHost;
}

const link = fc.record(
  {
    url: fc
      .tuple(
        fc.constantFrom('http', 'https'),
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 0, max: 5 }),
      )
      .map(([scheme, host, page]) => `${scheme}://h${host}.test/${page}`),
    depth: fc.integer({ min: 0, max: 5 }),
    via: fc.constantFrom('http://v.test/1', 'http://v.test/2'),
    isSeed: fc.constant(true as const),
  },
  { requiredKeys: ['url', 'depth'] },
);
const many = (hosts: number, pages: number): Link[] =>
  Array.from({ length: hosts * pages }, (_, i) => ({ url: `http://h${i % hosts}.test/${i}`, depth: 1 }));

describe('links are split by the shards of their hosts', () => {
  test('each is in exactly one parcel, of its host’s shard, as it was folded', () => {
    fc.assert(
      fc.property(fc.array(link), fc.integer({ min: 1, max: 64 }), (links, shards) => {
        const byHost = gathered(links);
        const parcels = splitLinks(byHost, shards);
        for (const { shard, links } of parcels) {
          expect(links.length).toBeGreaterThan(0);
          for (const { url } of links) expect(linkShardOf(hostKey(url), shards)).toBe(shard);
        }
        const split = parcels.flatMap(({ links }) => links);
        const folded = [...byHost.values()].flatMap((own) => [...own.values()]);
        expect(new Set(split)).toEqual(new Set(folded));
        expect(split.length).toBe(folded.length);
      }),
    );
  });

  test('in whatever order they come, each shard has the same', () => {
    fc.assert(
      fc.property(fc.uniqueArray(link, { selector: ({ url }) => url }), (links) => {
        const sorted = (parcels: ReturnType<typeof splitLinks>) =>
          parcels.map(({ shard, links }) => [shard, links.map(({ url }) => url).sort()]).sort();
        expect(sorted(splitLinks(gathered(links.toReversed()), 7))).toEqual(
          sorted(splitLinks(gathered(links), 7)),
        );
      }),
    );
  });

  test('very many are several parcels, in which a host’s stand together', () => {
    const parcels = splitLinks(gathered(many(50, 500)), 2);
    expect(
      parcels
        .map(({ links }) => links.length)
        .toSorted((a, b) => b - a)
        .slice(0, 2),
    ).toEqual([10_000, 10_000]);
    for (const { links } of parcels) {
      const hosts = links.map(({ url }) => hostKey(url));
      const changes = hosts.filter((host, i) => host !== hosts[i - 1]);
      expect(changes.length).toBe(new Set(hosts).size);
    }
  });

  test('hosts are spread evenly, and those of a shard over all turn queues', () => {
    const shards = 8;
    const hosts = Array.from({ length: 8000 }, (_, i) => `h${i}.test`);
    const byShard = Map.groupBy(hosts, (host) => linkShardOf(host, shards));
    expect(byShard.size).toBe(shards);
    for (const own of byShard.values()) {
      expect(Math.abs(own.length - 1000)).toBeLessThan(150);
      expect(new Set(own.map((host) => turnShardOf(host, shards))).size).toBe(shards);
    }
  });
});

describe('link shards', () => {
  const QUEUES = [0, 1, 2].map((n) => `https://sqs.test/1/links-${n}`);
  function open(fails: (queue: string) => boolean = () => false) {
    const { client, calls } = fakeSqs((call) =>
      fails(String(call.input.QueueUrl)) ? new Error('no such queue') : batchAnswer(call),
    );
    const shards = createLinkShards({ client, queueUrls: QUEUES, clock: createFakeClock() });
    return { shards, calls };
  }

  test('get a parcel each, with the crawl’s name', async () => {
    const { shards, calls } = open();
    expect(shards.count).toBe(3);
    await shards.send('news', gathered(many(60, 3)));
    expect(calls.map(({ input }) => input.QueueUrl).toSorted()).toEqual(QUEUES);
    for (const call of calls) {
      const [first, ...others] = entriesOf(call) as { MessageBody?: unknown }[];
      expect(others).toEqual([]);
      const { crawl, links } = parseParcelText(String(first?.MessageBody));
      expect(crawl).toBe('news');
      for (const { url } of links) expect(QUEUES[linkShardOf(hostKey(url), 3)]).toBe(call.input.QueueUrl);
    }
  });

  test('without links get nothing', async () => {
    const { shards, calls } = open();
    await shards.send('news', new Map());
    await shards.send('news', gathered(many(1, 3)));
    expect(calls).toHaveLength(1);
  });

  test('of which one does not take its parcel have not taken the links', async () => {
    const { shards } = open((queue) => queue === QUEUES[1]);
    await expect(shards.send('news', gathered(many(60, 3)))).rejects.toThrow('no such queue');
  });
});
