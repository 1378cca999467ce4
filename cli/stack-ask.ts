/** Requests to a deployed stack. */
import type { CrawlStatus } from '../shared/crawler/ports/crawl-registry.ts';
import type { StackRequest } from './command.ts';
import type { ParsedOptions } from './read-options.ts';
import {
  configOf,
  isSet,
  networkOf,
  readBySite,
  readChunk,
  readCloudFormat,
  readCrawlName,
  readDiff,
  readDuplicates,
  readFormat,
  readHosts,
  readInlinks,
  readOffset,
  readReport,
  readSearch,
  readSeedWords,
  readSend,
  readTables,
  readWords,
  refuseMix,
  sinceOf,
  textOf,
  wrongWords,
} from './read-words.ts';
import { seedUrl } from './seeds.ts';
import type { StackVerb } from './verbs.ts';

/** Throws {@link UsageError} for words that make none. */
export function stackAsk(verb: StackVerb, given: ParsedOptions): StackRequest {
  const { words } = given;
  const watch = isSet(given, 'watch');
  const crawlAlone = () => readCrawlName(readWords(verb, given, 'CRAWL')[0]!);
  switch (verb) {
    case 'crawl':
      return crawlRequest(given, watch);
    case 'add': {
      const [crawl, ...seeds] = words;
      if (crawl === undefined) throw wrongWords(verb, words, ['CRAWL', 'SEED...']);
      return { verb, crawl: readCrawlName(crawl), ...readSeedWords(seeds, given, '--stack NAME add CRAWL') };
    }
    case 'resume':
      return resumeRequest(given, crawlAlone(), watch);
    case 'status':
    case 'watch':
    case 'pause':
    case 'stop':
      return { verb, crawl: crawlAlone() };
    case 'delete':
      return { verb, crawl: crawlAlone(), archive: isSet(given, 'archive'), yes: isSet(given, 'yes'), watch };
    case 'push':
      return pushRequest(given);
    case 'pull':
      return pullRequest(given);
    case 'list':
      return listRequest(given);
    case 'hosts':
      return hostsRequest(given);
    case 'changes':
      return { verb, crawl: crawlAlone(), since: sinceOf(given) };
    case 'report':
      return { verb, crawl: crawlAlone(), ...readReport(given) };
    case 'send':
      return sendRequest(given);
    case 'duplicates':
      return { verb, crawl: crawlAlone(), ...readDuplicates(given) };
    case 'search':
      return searchRequest(given);
    case 'diff':
      return diffRequest(given);
    case 'inlinks':
      return inlinksRequest(given);
    case 'explain':
    case 'history':
    case 'url': {
      const [crawl, url] = readWords(verb, given, 'CRAWL', 'URL');
      return { verb, crawl: readCrawlName(crawl!), url: seedUrl(url!) };
    }
    case 'warc':
      return warcRequest(given);
    case 'identity':
      return identityRequest(given);
    case 'export':
      return exportRequest(given, crawlAlone());
    case 'exports':
      return exportsRequest(given);
  }
}

function listRequest(given: ParsedOptions): StackRequest {
  const [prefix, ...others] = given.words;
  if (others.length > 0) throw wrongWords('list', given.words, ['[PREFIX]']);
  const state = textOf(given, 'state') as CrawlStatus | undefined;
  return { verb: 'list', ...(prefix !== undefined && { prefix }), ...(state && { state }) };
}

function resumeRequest(given: ParsedOptions, crawl: string, watch: boolean): StackRequest {
  const sitesFile = textOf(given, 'sites');
  return {
    verb: 'resume',
    crawl,
    ...(sitesFile !== undefined && { sitesFile }),
    limits: configOf(given),
    newUrlRules: isSet(given, 'new-url-rules'),
    watch,
  };
}

function crawlRequest(given: ParsedOptions, watch: boolean): StackRequest {
  const name = textOf(given, 'name');
  const earlier = textOf(given, 'dedupe-from');
  return {
    verb: 'crawl',
    ...readSeedWords(given.words, given, 'crawl'),
    name: name && readCrawlName(name),
    dedupeFrom: earlier && readCrawlName(earlier),
    config: textOf(given, 'config'),
    options: configOf(given),
    network: networkOf(given),
    watch,
  };
}

function hostsRequest(given: ParsedOptions): StackRequest {
  const { names, ...page } = readHosts(given, 'CRAWL');
  return { verb: 'hosts', crawl: readCrawlName(names[0]), host: names[1], ...page };
}

function pullRequest(given: ParsedOptions): StackRequest {
  const [crawl, dir] = readWords('pull', given, 'CRAWL', 'DIR');
  return { verb: 'pull', crawl: readCrawlName(crawl!), dir: dir! };
}

function diffRequest(given: ParsedOptions): StackRequest {
  const { place, ...asked } = readDiff(given, 'CRAWL');
  return { verb: 'diff', crawl: readCrawlName(place), ...asked };
}

function sendRequest(given: ParsedOptions): StackRequest {
  const { place, to } = readSend(given, 'CRAWL');
  return { verb: 'send', crawl: readCrawlName(place), to, config: textOf(given, 'config') };
}

function inlinksRequest(given: ParsedOptions): StackRequest {
  const { place, ...asked } = readInlinks(given, 'CRAWL');
  return { verb: 'inlinks', crawl: readCrawlName(place), ...asked };
}

function searchRequest(given: ParsedOptions): StackRequest {
  const { place, ...asked } = readSearch(given, 'CRAWL');
  return { verb: 'search', crawl: readCrawlName(place), ...asked, config: textOf(given, 'config') };
}

function exportRequest(given: ParsedOptions, crawl: string): StackRequest {
  const out = textOf(given, 'out');
  const format = readFormat(given, out);
  const items = isSet(given, 'items');
  const skipped = isSet(given, 'skipped');
  const inCloud = isSet(given, 'in-cloud') ? readCloudFormat(given, format, { items, skipped }) : undefined;
  if (!inCloud) refuseMix(format, { skipped, items, out });
  return {
    verb: 'export',
    format,
    crawl,
    skipped,
    items,
    out,
    chunkTokens: readChunk(given, format),
    tables: readTables(given, format),
    config: textOf(given, 'config'),
    ...readBySite(given, format, { skipped, items, out }),
    ...(inCloud && { inCloud }),
  };
}

function exportsRequest(given: ParsedOptions): StackRequest {
  const { words } = given;
  const [crawl, id, ...others] = words;
  if (crawl === undefined || id === '' || others.length > 0)
    throw wrongWords('exports', words, ['CRAWL [ID]']);
  return { verb: 'exports', crawl: readCrawlName(crawl), id };
}

function identityRequest({ words }: ParsedOptions): StackRequest {
  const [action, file, ...others] = words;
  if (action !== 'upload' || file === '' || others.length > 0)
    throw wrongWords('identity', words, ['upload [FILE]']);
  return { verb: 'identity', file };
}

function warcRequest(given: ParsedOptions): StackRequest {
  const [what, crawl, ...files] = given.words;
  if (what === 'check' && crawl !== undefined && files.every((file) => file !== ''))
    return { verb: 'warc', crawl: readCrawlName(crawl), ask: { what, files } };
  if (what !== 'cat')
    throw wrongWords('warc', given.words, ['check CRAWL [FILE...] | cat CRAWL FILE OFFSET']);
  const [, , file, offset] = readWords('warc', given, 'cat', 'CRAWL', 'FILE', 'OFFSET');
  const ask = { what, file: file!, offset: readOffset(offset!, isSet(given, 'json')) } as const;
  return { verb: 'warc', crawl: readCrawlName(crawl!), ask };
}

function pushRequest(given: ParsedOptions): StackRequest {
  const name = textOf(given, 'name');
  return {
    verb: 'push',
    trustSettings: isSet(given, 'trust-settings'),
    dir: readWords('push', given, 'DIR')[0]!,
    name: name && readCrawlName(name),
  };
}
