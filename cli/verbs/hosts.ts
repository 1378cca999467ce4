import { SITE_STATES, type SiteFilter } from '../../shared/services/report/site-entries.ts';
import { exitCodes } from '../exit-codes.ts';
import { crawlOf, type Given, isSet, numberOf, readCrawl, textOf } from '../given.ts';
import { JSON_OPTION } from '../option-spec.ts';
import { domainsText, hostsText, hostText } from '../stack-text.ts';
import { UsageError } from '../usage-error.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'hosts DIR [HOST] [options]',
  more: 'With their state; of one host, all that is known.',
  examples: [
    'hosts crawls/example.org',
    'hosts crawls/example.org www.example.org',
    '--stack Strand hosts news example.org',
  ],
  options: [
    JSON_OPTION,
    {
      name: 'limit',
      argument: 'N',
      type: 'count',
      group: 'Output',
      help: 'at most N hosts; the output shows how to get the next ones',
    },
    {
      name: 'domains',
      type: 'flag',
      group: 'Output',
      help: 'list registrable domains instead: requests of this period, budget, hosts, linking domains',
    },
    {
      name: 'sites',
      type: 'flag',
      group: 'Output',
      help: 'list the sites of a crawl that has a list of them instead: how the last visit of each went',
    },
    { name: 'group', argument: 'NAME', type: 'text', group: 'Output', help: 'only sites of this group' },
    {
      name: 'state',
      argument: SITE_STATES.join('|'),
      type: 'choice',
      choices: SITE_STATES,
      group: 'Output',
      help: 'only sites of this state',
    },
    {
      name: 'cursor',
      argument: 'TEXT',
      type: 'text',
      group: 'Output',
      help: 'continue after the hosts of an earlier answer',
    },
  ],
  read(given) {
    const { words } = given;
    const host = words.length === 2 ? words[1] : undefined;
    const crawl = words.length === 2 ? crawlOf(given, words[0]!) : readCrawl(given);
    const page = { cursor: textOf(given, 'cursor'), limit: numberOf(given, 'limit') };
    if (host !== undefined && (page.cursor !== undefined || page.limit !== undefined))
      throw new UsageError('Expected --limit and --cursor without a host: one host has one answer');
    const domains = isSet(given, 'domains');
    if (host !== undefined && domains) throw new UsageError('Expected --domains without a host');
    const sites = readSiteFilter(given);
    if (sites && (host !== undefined || domains))
      throw new UsageError('Expected --sites without a host and without --domains');
    return { crawl, host: host?.toLowerCase(), ...page, domains, sites };
  },
  async run({ crawl, host, domains, sites, ...page }, place) {
    const asked = await place.ask(crawl);
    const at = place.addressOf(crawl);
    if (sites) {
      const { writeSites } = await import('../write-sites.ts');
      await writeSites((page) => asked.sites(page), { sites, ...page, json: place.json }, place.out);
      return exitCodes.finished;
    }
    if (host !== undefined) {
      const detail = await asked.host(host);
      return place.print(detail, hostText(detail));
    }
    if (domains) {
      const found = await asked.domains(page);
      return place.print(found, domainsText(found, at, page.limit));
    }
    let found = await asked.hosts(page);
    // A page may have no host though there are more, where the table holds those of many crawls.
    while (found.hosts.length === 0 && found.cursor !== undefined)
      found = await asked.hosts({ ...page, cursor: found.cursor });
    return place.print(found, hostsText(found, at, page.limit));
  },
});

/** Which sites are to be listed; undefined: hosts are. A group or a state is one of sites. */
function readSiteFilter(given: Given): SiteFilter | undefined {
  const group = textOf(given, 'group');
  const state = textOf(given, 'state') as SiteFilter['state'];
  if (!isSet(given, 'sites') && group === undefined && state === undefined) return undefined;
  return { ...(group !== undefined && { group }), ...(state !== undefined && { state }) };
}
