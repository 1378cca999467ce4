import { openCrawl } from '../../api/open-crawl.ts';
import type { LocalCommandOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { domainsText, hostsText, hostText } from '../stack-text.ts';
import { writeSites } from './write-sites.ts';

/** `strand hosts DIR [HOST]`: the hosts of a crawl with their state, or all that is known of one. */
export async function hosts(command: LocalCommandOf<'hosts'>): Promise<number> {
  const { dir, host, cursor, limit, domains, sites, json } = command;
  await using crawl = await openCrawl(dir);
  if (sites) {
    await writeSites((page) => crawl.sites(page), command, process.stdout);
    return exitCodes.finished;
  }
  const print = (value: unknown, text: string) =>
    void process.stdout.write(`${json ? JSON.stringify(value) : text}\n`);
  if (host !== undefined) {
    const detail = await crawl.host(host);
    print(detail, hostText(detail));
    return exitCodes.finished;
  }
  if (domains) {
    const found = await crawl.domains({ cursor, limit });
    print(found, domainsText(found, { dir }, limit));
    return exitCodes.finished;
  }
  const page = await crawl.hosts({ cursor, limit });
  print(page, hostsText(page, { dir }, limit));
  return exitCodes.finished;
}
