/** The process of a crawl that an agent began. No hook of a project runs in it. */
import { superviseCrawl } from '../../api/local/supervise-crawl.ts';
import { messageOf } from '../../shared/core/base/error-message.ts';
import { tuneV8, tuneV8ForCrawl } from '../../shared/engines/tune-v8.ts';
import type { CrawlAnswer, CrawlOrder } from './begin-here.ts';

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

process.once('message', ({ folder, url, options, proxies }: CrawlOrder) => {
  superviseCrawl({
    start: { kind: 'begin', seeds: [url], folder, options, proxies, workers: 1, reportsEvents: false },
    signal: stopping.signal,
    onMessage: ({ kind }) => {
      if (kind !== 'begun') return;
      tuneV8();
      tuneV8ForCrawl();
      answer({ begun: true });
    },
  }).then(
    () => process.exit(),
    (error) => {
      answer({ error: messageOf(error) });
      process.exitCode = 1;
    },
  );
});

/** The server may have died, which is not known here yet: without a callback an answer to nobody would end the process. */
function answer(given: CrawlAnswer): void {
  if (process.connected) process.send?.(given, () => {});
}
