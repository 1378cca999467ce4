/** A web of a few pages written down by hand: for tests of what stands around the web. */
import { hash } from 'node:crypto';
import type { Body } from '../../../shared/core/outcome/body.ts';
import type { FetchOutcome } from '../../../shared/core/outcome/fetch-outcome.ts';
import type { Fetcher } from '../../../shared/crawler/ports/fetcher.ts';
import type { SimProcess } from '../../models/process.ts';
import type { VirtualTime } from '../../models/virtual-time.ts';

/** By URL: the links of the page. Whatever is not there is a 404, as each robots.txt is. */
export type Pages = Readonly<Record<string, readonly string[]>>;

export interface ScriptedWeb {
  fetcherOf(process: SimProcess): Fetcher;
  /** Every request, in the order begun. */
  readonly requests: readonly { readonly url: string; readonly at: number; readonly process: string }[];
}

const EXCHANGE_MS = 50;

/** `textOf`: a text of the page, by how often it was requested before. `redirects`: where pages without links lead to. */
export function createScriptedWeb(
  time: VirtualTime,
  pages: Pages,
  textOf: (url: string, before: number) => string = () => '',
  redirects: Readonly<Record<string, string>> = {},
): ScriptedWeb {
  const requests: { url: string; at: number; process: string }[] = [];
  return {
    requests,
    fetcherOf: (process) => ({
      async close() {},
      async fetch({ url, onHead }): Promise<FetchOutcome> {
        const startedAt = process.clock.now();
        const before = requests.filter((request) => request.url === url).length;
        requests.push({ url, at: time.now(), process: process.name });
        await process.io(() => time.sleep(EXCHANGE_MS));
        const links = pages[url];
        const bytes = Buffer.from(
          links
            ? `<!doctype html>${textOf(url, before)}${links.map((link) => `<a href="${link}">x</a>`).join('')}`
            : 'no such page',
        );
        const to = redirects[url];
        const [httpStatus, statusText] = links
          ? [200, 'OK']
          : to === undefined
            ? [404, 'Not Found']
            : [301, 'Moved Permanently'];
        const head = {
          httpStatus,
          statusText,
          headers: [
            ...(to === undefined ? [] : [['Location', to] as const]),
            ['Content-Type', links ? 'text/html; charset=utf-8' : 'text/plain'],
            ['Content-Length', String(bytes.length)],
          ] as const,
        };
        onHead?.(head)?.(bytes);
        return {
          status: 'response',
          ...head,
          url,
          startedAt,
          endedAt: process.clock.now(),
          body: bodyOf(bytes),
          requestHead: Buffer.from(`GET ${url} HTTP/1.1\r\n\r\n`),
          ipAddress: '192.0.2.1',
        };
      },
    }),
  };
}

const bodyOf = (bytes: Uint8Array): Body => ({
  size: bytes.length,
  sha1: hash('sha1', bytes, 'buffer'),
  bytes: async () => bytes,
  async *chunks() {
    yield bytes;
  },
  async dispose() {},
});
