import { spawn } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { install, runIn } from '../peers/install.ts';
import { treeUse } from './process-tree.ts';

const PACKAGES = ['@crawlee/playwright@3', 'playwright@1.65.1'];
const LOOK_MS = 200;

export interface CrawleeRun {
  readonly links: number;
  /** CPU of the process and of its browser. */
  readonly cpuMs: number;
  readonly peakMb: number;
}

/** Draws the pages by Crawlee's PlaywrightCrawler with the same browser. Returns why it cannot, if so. */
export async function crawlByCrawlee(
  browser: string,
  atOnce: number,
  urls: readonly string[],
): Promise<CrawleeRun | string> {
  const peer = { name: 'crawlee-playwright', needs: [['npm', '--version']] as const, install: installIn };
  const installed = install(peer, import.meta.dirname);
  if ('missing' in installed) return installed.missing;
  const child = spawn(
    process.execPath,
    [join(installed.folder, 'crawl.mjs'), browser, String(atOnce), ...urls],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let used = { cpuMs: 0, mb: 0 };
  const looking = setInterval(() => {
    const { cpuMs, mb } = treeUse(child.pid as number);
    used = { cpuMs: Math.max(used.cpuMs, cpuMs), mb: Math.max(used.mb, mb) };
  }, LOOK_MS);
  const output = (await child.stdout.toArray()).join('');
  clearInterval(looking);
  if (output === '') return 'it ended without a result';
  const { links, cpuMs } = JSON.parse(output);
  return { links, cpuMs: cpuMs + used.cpuMs, peakMb: used.mb };
}

function installIn(folder: string): void {
  runIn(folder, 'npm', 'init', '-y');
  runIn(folder, 'npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', ...PACKAGES);
  copyFileSync(join(import.meta.dirname, 'crawl.mjs'), join(folder, 'crawl.mjs'));
}
