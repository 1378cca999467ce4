/** Small crawls in folders, which the tests then change as an attacker would. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startCrawl } from '../../api/index.ts';
import type { StartCrawlOptions } from '../../api/start-options.ts';

export interface SmallCrawls {
  /** A new folder, in which nothing is. */
  readonly empty: () => string;
  /** A copy of a crawl of three pages. */
  readonly copied: () => string;
  readonly url: string;
  readonly options: Omit<StartCrawlOptions, 'out'>;
  /** URLs that were requested of the site. */
  readonly asked: string[];
  end(): void;
}

/** `address`: of the loopback block, one for each test file. */
export async function smallCrawls(
  address: string,
  more: Partial<StartCrawlOptions> = {},
): Promise<SmallCrawls> {
  const asked: string[] = [];
  const server = createServer(({ url = '/' }, response) => {
    asked.push(url);
    if (url === '/robots.txt') return void response.writeHead(404).end();
    const links = Array.from({ length: 9 }, (_, n) => `<a href="/${n}">${n}</a>`).join('');
    response.setHeader('content-type', 'text/html').end(`<title>${url}</title><p>${url}</p>${links}`);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const url = `http://${address}:${(server.address() as AddressInfo).port}/`;
  const root = mkdtempSync(join(tmpdir(), 'strand-threat-'));
  const empty = () => join(mkdtempSync(join(root, 'f-')), 'c');
  const options = {
    seeds: [url],
    contact: 'https://sim.test/',
    delayMs: 0,
    adaptive: false,
    allowPrivateAddresses: ['127.0.0.0/8'],
    maxPages: 3,
    onPage: ({ url: page }: { readonly url: string }) => ({ page }),
    ...more,
  };
  const out = empty();
  await (await startCrawl({ ...options, out })).done;
  return {
    ...{ empty, url, options, asked },
    copied() {
      const copy = empty();
      cpSync(out, copy, { recursive: true });
      return copy;
    },
    end() {
      server.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Changes the database of a crawl's folder. */
export function changeDatabase(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, 'crawl.sqlite'));
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}
