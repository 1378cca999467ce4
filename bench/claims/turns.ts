/**
 * Turns a second of engine `local`: hosts of a few small pages, a page a turn, from a middleware instead of
 * the network. So a turn's own work counts: its messages, the head, a segment, the flush of the WARC file.
 *
 *     npm run bench -- turns [HOSTS] [PAGES of each]
 */
import { join } from 'node:path';
import { beginCrawl } from '../../shared/engines/local/session/session.ts';
import { planCrawl } from '../../shared/services/begin/plan-crawl.ts';
import type { BenchOptions } from '../claims.ts';
import { cpuMsOf } from '../harness/cpu-time.ts';
import { CRAWL } from '../harness/crawl-config.ts';
import type { Measured } from '../harness/record.ts';
import { withScratch } from '../harness/scratch.ts';
import { smallWeb } from '../harness/small-web.ts';

export function measure({ words: [hosts = '300', pages = '5'] }: BenchOptions): Promise<Measured> {
  const count = Number(hosts);
  const web = smallWeb(Number(pages));
  return withScratch(async (folder) => {
    const seeds = Array.from({ length: count }, (_, host) => web.seedOf(host));
    const options = { ...CRAWL, turnMaxPages: 1 };
    const project = { crawl: {}, middleware: [web.middleware], extraction: [], modules: [], aws: {} };
    const session = await beginCrawl(join(folder, 'crawl'), planCrawl({ seeds, options }), {
      software: 'bench',
      project,
    });
    let turns = 0;
    let fetched = 0;
    const from = performance.now();
    const cpuMs = await cpuMsOf(async () => {
      await session.run({
        signal: new AbortController().signal,
        onProgress(stats) {
          turns = stats.turns;
          fetched = stats.pages;
        },
      });
    });
    const wallMs = performance.now() - from;
    await session.close();
    if (fetched !== count * Number(pages))
      throw new Error(`Expected ${count * Number(pages)} pages, got ${fetched}`);
    return {
      figures: {
        turnsPerSecond: { value: (turns / wallMs) * 1000, unit: 'turns/s' },
        cpuMsPerTurn: { value: cpuMs / turns, unit: 'ms of one core a turn, its page with it' },
        pagesPerTurn: { value: fetched / turns, unit: 'pages a turn' },
      },
    };
  });
}
