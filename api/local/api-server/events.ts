/** The two routes that a console needs besides those of a stack: the events of a crawl as they happen, and its figures over time. */
import type { ServerResponse } from 'node:http';
import type { CrawlProgress } from '../../crawl-events.ts';
import type { RunningCrawl } from '../../running-crawl.ts';

/** Between two samples, and how many are kept: an hour. */
const SAMPLE_MS = 5000;
const MAX_SAMPLES = 720;
const MAX_QUEUED = 1000;

export type Sample = Pick<
  CrawlProgress,
  'now' | 'pages' | 'urls' | 'waiting' | 'hostsActive' | 'bytes' | 'errors'
>;

/** Sends the events of a crawl to a client (Server-Sent Events) until the crawl ends or the client leaves. */
export async function sendEvents(running: RunningCrawl, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const events = running.events({ maxQueued: MAX_QUEUED });
  response.once('close', () => void events.return?.());
  const send = (type: string, data: unknown) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
  send('progress', running.progress());
  const timer = setInterval(() => send('progress', running.progress()), 1000);
  try {
    for await (const event of events) {
      if (response.destroyed) break;
      // A client that is slower than the crawl gets a `dropped` event.
      if (!send(event.type, event))
        await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    }
  } finally {
    clearInterval(timer);
    response.end();
  }
}

/** Keeps the figures of the running crawls: a sample each five seconds. */
export class Series {
  readonly #samples = new Map<string, Sample[]>();
  readonly #timers = new Set<NodeJS.Timeout>();

  follow(crawl: string, running: RunningCrawl): void {
    const samples = this.#samples.get(crawl) ?? [];
    this.#samples.set(crawl, samples);
    const take = () => {
      const { now, pages, urls, waiting, hostsActive, bytes, errors } = running.progress();
      samples.push({ now, pages, urls, waiting, hostsActive, bytes, errors });
      if (samples.length > MAX_SAMPLES) samples.shift();
    };
    // A crawl that continues has not yet said how far it is, so the first sample waits.
    const timer = setInterval(take, SAMPLE_MS);
    this.#timers.add(timer);
    const end = () => {
      take();
      clearInterval(timer);
      this.#timers.delete(timer);
    };
    running.done.then(end, end);
  }

  of(crawl: string): readonly Sample[] {
    return this.#samples.get(crawl) ?? [];
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }
}
