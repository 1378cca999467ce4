import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { linkerHash, sketchOf } from '../../../shared/core/frontier/linker-sketch.ts';
import type { Link, Message } from '../../../shared/core/frontier/message.ts';
import { createCrawls } from '../../../shared/crawler/crawl-state/crawls.ts';
import type { LinkParcel } from '../../../shared/crawler/ports/link-exchange.ts';
import { deliverLinks, gatherLinks, routeParcels } from '../../../shared/crawler/routing/router.ts';
import { createFakeClock } from '../worker/fake-clock.ts';
import { createMemoryEngine } from '../worker/memory-engine.ts';
import { begin } from '../worker/world.ts';

const parcel = (crawl: string, ...links: readonly Link[]): LinkParcel =>
  ({ id: `p${links.length}`, outLinks: { crawl, links } }) as unknown as LinkParcel;
const link = (url: string, fields: Partial<Link> = {}): Link => ({ url, depth: 1, ...fields });

/** An engine with these crawls. Its queue and its exchange take a while, and note what they are asked for. */
async function setUp(configs: Readonly<Record<string, CrawlOptions>> = { c: {} }) {
  const clock = createFakeClock();
  const memory = createMemoryEngine(clock);
  for (const [crawl, config] of Object.entries(configs))
    await begin(
      { engine: memory },
      ['http://a.test/'],
      { scope: 'any', domainBudget: 'off', ...config },
      crawl,
    );
  const log: string[] = [];
  const sent: { readonly host: string; readonly message: Message }[] = [];
  const step = async (name: string) => {
    log.push(`${name} begins`);
    await clock.sleep(1000);
    log.push(`${name} is over`);
  };
  const engine = {
    ...memory,
    queue: {
      async send(messages: readonly { readonly host: string; readonly message: Message }[]) {
        await step('send');
        sent.push(...messages);
      },
    },
    exchange: { acknowledge: (parcels: readonly LinkParcel[]) => step(`acknowledge ${parcels.length}`) },
  };
  const crawls = createCrawls(memory.registry, clock);
  const route = (...parcels: readonly LinkParcel[]) =>
    clock.drive(routeParcels(engine as never, crawls, parcels));
  return { engine, crawls, clock, log, sent, route };
}

/** The links that each host was sent: `crawl host: paths`. */
const bySentHost = (sent: Awaited<ReturnType<typeof setUp>>['sent']) =>
  sent.map(({ host, message }) => {
    if (message.kind !== 'links') throw new Error(`Expected links, got ${message.kind}`);
    return `${message.crawl} ${host}: ${message.links.map(({ url }) => new URL(url).pathname).join(' ')}`;
  });

describe('the links of many parcels', () => {
  test('are one message for each host and crawl, sent in one call before the parcels are acknowledged', async () => {
    const { route, sent, log } = await setUp({ c: {}, d: {} });
    await route(
      parcel('c', link('http://a.test/1'), link('http://b.test/2')),
      parcel('d', link('http://a.test/3')),
      parcel('c', link('http://a.test/4'), link('http://a.test:81/5')),
    );
    expect(bySentHost(sent)).toEqual(['c a.test: /1 /4', 'c b.test: /2', 'c a.test:81: /5', 'd a.test: /3']);
    expect(log).toEqual(['send begins', 'send is over', 'acknowledge 3 begins', 'acknowledge 3 is over']);
  });

  test('to one URL are one link, with the least depth and as a seed if one of them is', async () => {
    const { route, sent } = await setUp();
    await route(
      parcel('c', link('http://b.test/', { depth: 3, via: 'http://a.test/1' })),
      parcel('c', link('http://b.test/', { depth: 2, via: 'http://a.test/2' })),
      parcel('c', link('http://b.test/', { depth: 0, isSeed: true })),
    );
    expect(sent).toMatchObject([
      { host: 'b.test', message: { links: [{ url: 'http://b.test/', depth: 0, isSeed: true }] } },
    ]);
  });

  test('that the scope rules out are dropped, and those of requisites stay', async () => {
    const { route, sent } = await setUp({ c: { scope: 'host', maxDepth: 2 } });
    await route(
      parcel(
        'c',
        link('http://a.test/in'),
        link('http://b.test/out'),
        link('http://a.test/deep', { depth: 3 }),
        link('http://b.test/style.css', { kind: 'requisite' }),
      ),
    );
    expect(bySentHost(sent)).toEqual(['c a.test: /in', 'c b.test: /style.css']);
  });

  test('of a crawl that nobody knows are acknowledged and sent nowhere, and the others are sent', async () => {
    const { route, sent, log } = await setUp();
    await route(parcel('gone', link('http://a.test/1')), parcel('c', link('http://a.test/2')));
    expect(bySentHost(sent)).toEqual(['c a.test: /2']);
    expect(log).toContain('acknowledge 2 is over');
  });

  test('are judged by the crawl as it is then', async () => {
    const { engine, crawls, route, sent } = await setUp({ c: { scope: 'host' } });
    const routed = () => route(parcel('c', link('http://a.test/1'), link('http://b.test/2')));
    await routed();
    await engine.registry.configure('c', { scope: 'any' });
    crawls.refresh('c');
    await routed();
    await engine.registry.configure('c', { scope: 'host' });
    crawls.refresh('c');
    await routed();
    expect(bySentHost(sent)).toEqual(['c a.test: /1', 'c a.test: /1', 'c b.test: /2', 'c a.test: /1']);
  });

  test('that come to nothing cost no call of the queue', async () => {
    const { route, log } = await setUp();
    await route(parcel('gone', link('http://a.test/1')));
    expect(log).toEqual(['acknowledge 1 begins', 'acknowledge 1 is over']);
  });

  test('stay in the exchange if they cannot be sent', async () => {
    const { engine, log, route } = await setUp();
    engine.queue.send = () => Promise.reject(new Error('throttled'));
    await expect(route(parcel('c', link('http://a.test/1')))).rejects.toThrow('throttled');
    expect(log).toEqual([]);
  });

  test('are lost to nobody if the exchange fails: its error is the router’s', async () => {
    const { engine, route } = await setUp();
    engine.exchange.acknowledge = () => Promise.reject(new Error('no network'));
    await expect(route(parcel('c', link('http://a.test/1')))).rejects.toThrow('no network');
  });

  test('to hosts for which their domain has no room are left out', async () => {
    const { route, sent } = await setUp({ c: { maxHostsPerDomain: 17 } });
    const links = Array.from({ length: 20 }, (_, i) => link(`http://h${i}.b.test/`));
    await route(parcel('c', ...links));
    expect(sent.map(({ host }) => host)).toEqual(links.slice(0, 17).map(({ url }) => new URL(url).host));
  });
});

test('seeds are named by the rules of the crawl; links of pages are so named already', async () => {
  const { crawls } = await setUp();
  const crawl = { ...(await crawls.get('c')), nameOf: (url: string) => url.replace('?x=1', '') };
  const renaming = { ...crawls, get: async () => crawl } as never;
  const gathered = await gatherLinks(renaming, [
    parcel('c', link('http://a.test/1?x=1', { isSeed: true }), link('http://a.test/2?x=1')),
  ]);
  expect([...(gathered.get('c')?.get('a.test')?.keys() ?? [])]).toEqual([
    'http://a.test/1',
    'http://a.test/2?x=1',
  ]);
});

describe('in a crawl whose budgets grow by links', () => {
  const voted = (host: string, via: string) => link(`http://${host}/`, { via: `http://${via}/` });

  test('the first link of a host has the domains that link to it, of all parcels', async () => {
    const { crawls } = await setUp({ c: { domainBudget: 'links:20' } });
    const gathered = await gatherLinks(crawls, [
      parcel('c', voted('b.test', 'x.test'), link('http://b.test/2', { via: 'http://y.test/' })),
      parcel('c', voted('b.test', 'z.test'), voted('e.test', 'x.test')),
    ]);
    const linkers = (host: string) =>
      [...(gathered.get('c')?.get(host)?.values() ?? [])].map((one) => one.linkers);
    const sketch = (...domains: string[]) => sketchOf(domains.map(linkerHash));
    expect(linkers('b.test')).toEqual([sketch('x.test', 'y.test', 'z.test'), undefined]);
    expect(linkers('e.test')).toEqual([sketch('x.test')]);
  });

  test('each crawl counts its own', async () => {
    const { crawls } = await setUp({
      c: { domainBudget: 'links:20' },
      d: { domainBudget: 'links:20' },
      e: {},
    });
    const gathered = await gatherLinks(crawls, [
      parcel('c', voted('b.test', 'x.test')),
      parcel('d', voted('b.test', 'y.test')),
      parcel('e', voted('b.test', 'z.test')),
    ]);
    const linkers = ['c', 'd', 'e'].map(
      (crawl) => gathered.get(crawl)?.get('b.test')?.get('http://b.test/')?.linkers,
    );
    expect(linkers).toEqual([sketchOf([linkerHash('x.test')]), sketchOf([linkerHash('y.test')]), undefined]);
  });
});

test('a host with more links than a message may have gets several messages, in order', async () => {
  const { engine, sent, clock } = await setUp();
  const links = ['/1', '/2', '/3', '/4', '/5'].map((path) => link(`http://a.test${path}`));
  const gathered = new Map([['c', new Map([['a.test', new Map(links.map((one) => [one.url, one]))]])]]);
  const sizes = { maxMessageLinks: 2 } as never;
  await clock.drive(deliverLinks({ queue: engine.queue as never, sizes }, gathered));
  expect(bySentHost(sent)).toEqual(['c a.test: /1 /2', 'c a.test: /3 /4', 'c a.test: /5']);
});
