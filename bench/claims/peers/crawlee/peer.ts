import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { runIn } from '../install.ts';
import { CONCURRENCY, type Peer } from '../peer.ts';

const PACKAGES = ['@crawlee/http@3', '@crawlee/cheerio@3', 'htmlparser2@12'];

const crawlee = (kind: 'http' | 'cheerio', does: string): Peer => ({
  name: `crawlee-${kind}`,
  does: `${does}; queue in memory; no robots.txt, no WARC, no durable state`,
  obeysRobots: false,
  needs: [['npm', '--version']],
  install(folder) {
    runIn(folder, 'npm', 'init', '-y');
    runIn(folder, 'npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', ...PACKAGES);
    copyFileSync(join(import.meta.dirname, 'crawl.mjs'), join(folder, 'crawl.mjs'));
  },
  command: ({ folder, scratch, seedsFile }) => ({
    command: [process.execPath, join(folder, 'crawl.mjs'), kind, seedsFile, String(CONCURRENCY)],
    cwd: scratch,
  }),
});

export const crawleeHttp: Peer = crawlee('http', 'HttpCrawler, links by htmlparser2');
export const crawleeCheerio: Peer = crawlee('cheerio', 'CheerioCrawler, links by enqueueLinks');
