import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { runIn } from '../install.ts';
import { CONCURRENCY, type Peer } from '../peer.ts';

export const colly: Peer = {
  name: 'colly',
  does: 'links by goquery; all in memory; no robots.txt, no WARC, no durable state',
  obeysRobots: false,
  needs: [['go', 'version']],
  install(folder) {
    copyFileSync(join(import.meta.dirname, 'crawl.go.txt'), join(folder, 'main.go'));
    runIn(folder, 'go', 'mod', 'init', 'crawl');
    runIn(folder, 'go', 'get', 'github.com/gocolly/colly/v2@v2.3.0');
    runIn(folder, 'go', 'build', '-o', 'crawl', '.');
  },
  command: ({ folder, seedsFile }) => ({ command: [join(folder, 'crawl'), seedsFile, String(CONCURRENCY)] }),
};
