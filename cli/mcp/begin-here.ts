/** Begins a crawl of this machine in a process of its own, which outlives the server. */
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownFile } from '../../shared/core/base/own-file.ts';
import type { CrawlOptions } from '../../shared/core/crawl/crawl-options.ts';
import type { ProxyOptions } from '../../shared/core/crawl/network-options.ts';
import { hostKey, hostName } from '../../shared/core/url/host-key.ts';
import type { BeginCrawl } from './crawl-starts.ts';

/** The message to the process. */
export interface CrawlOrder {
  readonly folder: string;
  readonly url: string;
  readonly options: CrawlOptions;
  readonly proxies: readonly ProxyOptions[];
}

/** Its only answer. */
export type CrawlAnswer = { readonly begun: true } | { readonly error: string };

export const beginHere =
  (parent: string, proxies: readonly ProxyOptions[]): BeginCrawl =>
  async (url, options) => {
    const crawl = newName(parent, url);
    await started({ folder: join(parent, crawl), url, options, proxies });
    return crawl;
  };

/** Settings go by a message: no list of processes shows them. */
async function started(order: CrawlOrder): Promise<void> {
  const child = fork(fileURLToPath(ownFile('./crawl-process', import.meta.url)), {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('message', (answer: CrawlAnswer) =>
        'begun' in answer ? resolve() : reject(new Error(answer.error)),
      );
      child.once('error', reject);
      child.once('exit', (code) =>
        reject(new Error(`The crawl's process ended (${code}) before it had begun`)),
      );
      child.send(order);
    });
  } finally {
    if (child.connected) child.disconnect();
    child.unref();
  }
}

function newName(parent: string, url: string): string {
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const host = hostName(hostKey(url)).replaceAll(/[^\w.-]/g, '_');
  const first = `${host}-${stamp}`;
  for (let n = 1; ; n++) {
    const name = n === 1 ? first : `${first}-${n}`;
    if (!existsSync(join(parent, name))) return name;
  }
}
