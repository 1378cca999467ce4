import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runIn } from '../install.ts';
import type { Peer } from '../peer.ts';

export const spider: Peer = {
  name: 'spider',
  does: 'each host a crawl of its own, links to other hosts not followed; in memory; no robots.txt, no WARC, no durable state',
  obeysRobots: false,
  needs: [['cargo', '--version']],
  install(folder) {
    mkdirSync(join(folder, 'src'));
    copyFileSync(join(import.meta.dirname, 'crawl.rs.txt'), join(folder, 'src/main.rs'));
    copyFileSync(join(import.meta.dirname, 'Cargo.toml.txt'), join(folder, 'Cargo.toml'));
    runIn(folder, 'cargo', 'build', '--release', '--quiet');
  },
  command: ({ folder, seedsFile }) => ({ command: [join(folder, 'target/release/crawl'), seedsFile] }),
};
