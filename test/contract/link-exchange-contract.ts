import { expect, test } from 'vitest';
import type { LinkExchange } from '../../shared/crawler/ports/link-exchange.ts';
import { testIf } from './capabilities.ts';
import type { Subject } from './subject.ts';
import { CRAWL, LONG_MS, linkTo } from './subjects.ts';

const LOOK_MS = 20;

export function linkExchangeContract(subject: Subject): void {
  const { until } = subject;
  const exchange = () => subject.engine.exchange;
  const send = (...urls: string[]) => exchange().send({ crawl: CRAWL, links: urls.map(linkTo) });

  /** All that can be received now, in any order, acknowledged. */
  async function drain(from: LinkExchange): Promise<string[]> {
    const urls: string[] = [];
    for (;;) {
      const parcels = await until(from.receive(10, LOOK_MS));
      if (parcels.length === 0) return urls.sort();
      urls.push(...parcels.flatMap(({ outLinks }) => outLinks.links.map(({ url }) => url)));
      await from.acknowledge(parcels);
    }
  }

  test('gives parcels as they were sent', async () => {
    const links = [
      { url: 'http://a.test/', depth: 0, isSeed: true },
      { url: 'http://b.test:8080/x', depth: 7, via: 'http://a.test/', redirects: 3 },
    ];
    await exchange().send({ crawl: 'other', links });
    const parcels = await until(exchange().receive(10, LONG_MS));
    expect(parcels.map(({ outLinks }) => outLinks)).toEqual([{ crawl: 'other', links }]);
  });

  test('hides a received parcel from other receivers', async () => {
    await send('http://a.test/1');
    expect((await until(exchange().receive(10, LONG_MS))).length).toBe(1);
    expect(await until(exchange().receive(10, LOOK_MS))).toEqual([]);
  });

  test('gives each parcel to one of many receivers, and no more than requested', async () => {
    const urls = Array.from({ length: 50 }, (_, i) => `http://a.test/${100 + i}`);
    for (const url of urls) await send(url);
    const both = await until(Promise.all([1, 2, 3].map(() => exchange().receive(10, LONG_MS))));
    const got = both.flat();
    for (const parcels of both) expect(parcels.length).toBeLessThanOrEqual(10);
    expect(new Set(got.map(({ id }) => id)).size).toBe(got.length);
    await exchange().acknowledge(got);
    const rest = await drain(exchange());
    expect([...got.map(({ outLinks }) => outLinks.links[0]!.url), ...rest].sort()).toEqual(urls);
  });

  test('gives a parcel that is sent after all others were acknowledged', async () => {
    for (let i = 0; i < 5; i++) {
      await send(`http://a.test/${i}`);
      const parcels = await until(exchange().receive(10, LONG_MS));
      expect(parcels.map(({ outLinks }) => outLinks.links[0]?.url)).toEqual([`http://a.test/${i}`]);
      await exchange().acknowledge(parcels);
    }
  });

  testIf(
    subject,
    'reopen',
    'keeps what was not acknowledged, received or not, through an abrupt end',
    async () => {
      for (let i = 0; i < 4; i++) await send(`http://a.test/${i}`);
      const received: string[] = [];
      for (let i = 0; i < 2; i++) {
        const parcels = await until(exchange().receive(1, LONG_MS));
        received.push(...parcels.map(({ outLinks }) => outLinks.links[0]!.url));
        if (i === 0) await exchange().acknowledge(parcels);
      }
      const { exchange: reopened } = await subject.opened.reopen();
      const all = [0, 1, 2, 3].map((i) => `http://a.test/${i}`);
      expect(await drain(reopened)).toEqual(all.filter((url) => url !== received[0]));
      await reopened.send({ crawl: CRAWL, links: [linkTo('http://a.test/later')] });
      expect(await drain(reopened)).toEqual(['http://a.test/later']);
    },
  );

  test('acknowledging again is nothing', async () => {
    await send('http://a.test/1');
    const parcels = await until(exchange().receive(10, LONG_MS));
    await exchange().acknowledge(parcels);
    await exchange().acknowledge(parcels);
    await send('http://a.test/2');
    expect(await drain(exchange())).toEqual(['http://a.test/2']);
  });

  test('a receive that waits is woken by a send; an aborted signal ends the wait', async () => {
    const receiving = exchange().receive(10, LONG_MS);
    await send('http://a.test/1');
    expect((await until(receiving)).length).toBe(1);
    const stopping = new AbortController();
    const waiting = exchange().receive(10, 10 * LONG_MS, stopping.signal);
    stopping.abort();
    expect(await waiting).toEqual([]);
  });

  test('carries links to thousands of hosts in one parcel', async () => {
    const urls = Array.from({ length: 5000 }, (_, i) => `http://h${String(i).padStart(4, '0')}.test/`);
    await send(...urls);
    expect(await drain(exchange())).toEqual(urls);
  });
}
