import { join } from 'node:path';
import { runIn } from '../install.ts';
import { CONCURRENCY, type Peer } from '../peer.ts';

const PACKAGES = ['scrapy==2.*', 'warcio==1.*'];

const scrapy = (name: string, does: string, keeps: boolean): Peer => ({
  name,
  does,
  obeysRobots: false,
  needs: [['python3', '-m', 'venv', '--help']],
  install(folder) {
    runIn(folder, 'python3', '-m', 'venv', 'venv');
    runIn(
      folder,
      join(folder, 'venv/bin/pip'),
      'install',
      '--quiet',
      '--disable-pip-version-check',
      ...PACKAGES,
    );
  },
  command: ({ folder, scratch, seedsFile }) => ({
    command: [
      join(folder, 'venv/bin/python'),
      join(import.meta.dirname, 'crawl.py'),
      seedsFile,
      String(CONCURRENCY),
      ...(keeps ? [scratch] : []),
    ],
    cwd: scratch,
  }),
});

export const scrapyPlain: Peer = scrapy(
  'scrapy',
  'LinkExtractor; queue in memory; no robots.txt, no WARC, no durable state',
  false,
);
export const scrapyKeeping: Peer = scrapy(
  'scrapy-keeping',
  'the same with JOBDIR (a queue on disk) and WARC records by warcio; no robots.txt',
  true,
);
