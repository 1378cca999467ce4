import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCrawls } from '../../../shared/crawler/crawl-state/crawls.ts';
import { routeParcels } from '../../../shared/crawler/routing/router.ts';
import { openLocalReader } from '../../../shared/engines/local/engine.ts';
import { headOf } from '../../contract/subjects.ts';
import { beginCrawl } from '../../local-crawl/begin-crawl.ts';
import { temporaryFolder } from '../../local-crawl/local-crawl.ts';

const SEEDS = Array.from({ length: 25_000 }, (_, i) => `http://h${i % 500}.test/${i}?utm_source=x`);

let place: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  place = temporaryFolder();
});
afterEach(() => place.remove());

async function waitingNow(): Promise<number> {
  const reader = openLocalReader(place.folder)!;
  const { urls } = await reader.registry.totals(reader.crawl()!);
  reader.close();
  return urls.waiting;
}

describe('seeds on their way', () => {
  test('count as waiting: in the link exchange, in the turn queue, during a visit, and once after it', async () => {
    const { engine, id, close } = await beginCrawl(place.folder, SEEDS, {}, { software: 'test' });
    const inProcess = async () => (await engine.registry.totals(id)).urls.waiting;
    expect([await waitingNow(), await inProcess()]).toEqual([25_000, 25_000]);

    const crawls = createCrawls(engine.registry, engine.clock);
    await routeParcels(engine, crawls, await engine.exchange.receive(100, 0));
    expect([await waitingNow(), await inProcess()]).toEqual([25_000, 25_000]);

    const [received] = await engine.queue.receive(1, 0);
    // The process knows by itself what its open turns have found.
    expect([await waitingNow(), await inProcess()]).toEqual([25_000, 24_950]);

    // Its seeds are in the ledger; the message stays behind while the host rests.
    await engine.ledgers.commit(id, received!.host, headOf(1, { urls: { waiting: 50 } }));
    await engine.queue.park(received!, 60_000);
    expect([await waitingNow(), await inProcess()]).toEqual([25_000, 25_000]);
    await close();
  });

  test('are found by their URLs, in each spelling that the URL rules take for them', async () => {
    const { engine, close } = await beginCrawl(place.folder, SEEDS.slice(0, 10), {}, { software: 'test' });
    const find = (url: string) => {
      const reader = openLocalReader(place.folder)!;
      const found = reader.findSeed(new URL(url).host, [url]);
      reader.close();
      return found?.url;
    };
    expect(find('http://h3.test/3')).toBe('http://h3.test/3');
    expect(find('http://h3.test/4')).toBeUndefined();
    await routeParcels(
      engine,
      createCrawls(engine.registry, engine.clock),
      await engine.exchange.receive(100, 0),
    );
    expect(find('http://h3.test/3')).toBe('http://h3.test/3');
    await close();
  });
});
