/** The command for a folder of this machine. */
import type { LogFormat, LogLevel } from '../shared/core/text/log-entry.ts';
import type { LocalCommand, LocalCommandOf, Logging } from './command.ts';
import { SHELLS } from './completion.ts';
import { estimateCommand } from './estimate-command.ts';
import { identityCommand } from './identity-command.ts';
import { readTemplate } from './init/create-project.ts';
import { DEFAULT_PORT } from './option-spec.ts';
import { explainCommand, shellCommand } from './page-command.ts';
import type { ParsedOptions } from './read-options.ts';
import {
  configOf,
  isSet,
  networkOf,
  readBySite,
  readChunk,
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
import { UsageError } from './usage-error.ts';
import type { LocalVerb } from './verbs.ts';

/** Throws {@link UsageError} for words that make none. */
export function localCommand(verb: LocalVerb, given: ParsedOptions): LocalCommand {
  const { words } = given;
  const json = isSet(given, 'json');
  const config = textOf(given, 'config');
  switch (verb) {
    case 'crawl':
      return crawlCommand(given);
    case 'resume':
      return resumeCommand(given);
    case 'add':
      return addCommand(given, json);
    case 'status':
    case 'watch':
    case 'pause':
    case 'stop':
      return { verb, dir: readWords(verb, given, 'DIR')[0]!, json };
    case 'list':
      return listCommand(words, json);
    case 'hosts':
      return hostsCommand(given, json);
    case 'delete':
      return deleteCommand(given, json);
    case 'report':
      return reportCommand(given, json);
    case 'diff':
      return diffCommand(given, json);
    case 'history':
    case 'url':
      return ofUrl(verb, given, json);
    case 'inlinks':
      return inlinksCommand(given, json);
    case 'estimate':
      return estimateCommand(given, { config, json });
    case 'explain':
      return explainCommand(given, { config, json });
    case 'read':
      return readCommand(given, { config, json });
    case 'serve':
      return serveCommand(given);
    case 'shell':
      return shellCommand(given);
    case 'export':
      return exportCommand(given);
    case 'changes':
      return { verb, dir: readWords(verb, given, 'DIR')[0]!, since: sinceOf(given) };
    case 'send':
      return sendCommand(given, json);
    case 'duplicates':
      return { verb, dir: readWords(verb, given, 'DIR')[0]!, ...readDuplicates(given), json };
    case 'search':
      return searchCommand(given, json);
    case 'process':
      return processCommand(given, config);
    case 'identity':
      return identityCommand(given, { config, json });
    case 'init':
      return initCommand(words);
    case 'completion':
      return completionCommand(words);
    case 'warc':
      return { verb, ask: warcAsk(given, json), json };
  }
}

function readCommand(
  given: ParsedOptions,
  { config, json }: { readonly config: string | undefined; readonly json: boolean },
): LocalCommand {
  const [url] = readWords('read', given, 'URL');
  const options = configOf(given);
  return {
    verb: 'read',
    url: seedUrl(url!),
    ...(config !== undefined && { config }),
    options,
    network: networkOf(given),
    json,
  };
}

function ofUrl(verb: 'history' | 'url', given: ParsedOptions, json: boolean): LocalCommand {
  const [dir, url] = readWords(verb, given, 'DIR', 'URL');
  return { verb, dir: dir!, url: seedUrl(url!), json };
}

function addCommand(given: ParsedOptions, json: boolean): LocalCommandOf<'add'> {
  const [dir, ...seeds] = given.words;
  if (!dir) throw wrongWords('add', given.words, ['DIR', 'SEED...']);
  return { verb: 'add', dir, ...readSeedWords(seeds, given, 'add DIR'), json };
}

function hostsCommand(given: ParsedOptions, json: boolean): LocalCommandOf<'hosts'> {
  const { names, ...page } = readHosts(given, 'DIR');
  return { verb: 'hosts', dir: names[0], host: names[1], ...page, json };
}

function deleteCommand(given: ParsedOptions, json: boolean): LocalCommandOf<'delete'> {
  const [dir] = readWords('delete', given, 'DIR');
  const keepArchive = isSet(given, 'keep-archive');
  return { verb: 'delete', dir: dir!, keepArchive, yes: isSet(given, 'yes'), json };
}

function sendCommand(given: ParsedOptions, json: boolean): LocalCommandOf<'send'> {
  const { place: dir, to } = readSend(given, 'DIR');
  return { verb: 'send', dir, to, config: textOf(given, 'config'), json };
}

function inlinksCommand(given: ParsedOptions, json: boolean): LocalCommandOf<'inlinks'> {
  const { place: dir, ...asked } = readInlinks(given, 'DIR');
  return { verb: 'inlinks', dir, ...asked, json };
}

function diffCommand(given: ParsedOptions, json: boolean): LocalCommandOf<'diff'> {
  const { place: dir, ...asked } = readDiff(given, 'DIR');
  return { verb: 'diff', dir, ...asked, json };
}

function processCommand(given: ParsedOptions, config: string | undefined): LocalCommandOf<'process'> {
  const [dir] = readWords('process', given, 'DIR');
  return { verb: 'process', dir: dir!, config, workers: workersOf(given), out: textOf(given, 'out') };
}

function listCommand(words: readonly string[], json: boolean): LocalCommandOf<'list'> {
  const [folder = 'crawls', ...others] = words;
  if (others.length > 0 || folder === '') throw wrongWords('list', words, ['[FOLDER]']);
  return { verb: 'list', folder, json };
}

function initCommand(words: readonly string[]): LocalCommandOf<'init'> {
  const [template, folder, ...others] = words;
  if (others.length > 0) throw wrongWords('init', words, ['[TEMPLATE]', '[FOLDER]']);
  const named = template === undefined ? {} : { template: readTemplate(template) };
  return { verb: 'init', ...named, folder: folder || template || '.' };
}

function completionCommand(words: readonly string[]): LocalCommandOf<'completion'> {
  const shell = SHELLS.find((known) => known === words[0]);
  if (shell === undefined || words.length > 1) throw wrongWords('completion', words, [SHELLS.join('|')]);
  return { verb: 'completion', shell };
}

/** Returns the settings that `crawl` and `resume` have in common. */
const runSettings = (given: ParsedOptions) => ({
  config: textOf(given, 'config'),
  workers: workersOf(given),
  save: textOf(given, 'save'),
  ...keptOf(given),
  ...(isSet(given, 'once') && { once: true }),
  json: isSet(given, 'json'),
  ...loggingOf(given),
});

const keptOf = (given: ParsedOptions) => isSet(given, 'search') && { keep: { search: true } };

const workersOf = ({ values }: ParsedOptions): number => (values.get('workers') as number | undefined) ?? 1;

function crawlCommand(given: ParsedOptions): LocalCommandOf<'crawl'> {
  const seeds = readSeedWords(given.words, given, 'crawl');
  const [out, dedupeFrom, cache] = [
    textOf(given, 'out'),
    textOf(given, 'dedupe-from'),
    textOf(given, 'cache'),
  ];
  const settings = { options: configOf(given), network: networkOf(given), ...runSettings(given) };
  return { verb: 'crawl', ...seeds, out, dedupeFrom, cache, ...settings };
}

function resumeCommand(given: ParsedOptions): LocalCommandOf<'resume'> {
  const [dir] = readWords('resume', given, 'DIR');
  const newUrlRules = isSet(given, 'new-url-rules');
  const trustSettings = isSet(given, 'trust-settings');
  const [folder, isWithout] = [textOf(given, 'cache'), isSet(given, 'no-cache')];
  if (folder !== undefined && isWithout) throw new UsageError('Expected --cache or --no-cache, got both');
  const cache = isWithout ? false : folder;
  const identity = textOf(given, 'identity');
  const limits = { ...configOf(given), ...(identity !== undefined && { identity: { key: identity } }) };
  const sitesFile = textOf(given, 'sites');
  const listed = sitesFile !== undefined && { sitesFile };
  const settings = { limits, newUrlRules, trustSettings, ...runSettings(given) };
  return { verb: 'resume', dir: dir!, ...listed, cache, ...settings };
}

/** A level asks for lines of a log. */
function loggingOf(given: ParsedOptions): Logging {
  const logLevel = textOf(given, 'log-level') as LogLevel | undefined;
  const format = textOf(given, 'log-format') as LogFormat | undefined;
  const logFormat = format ?? (logLevel && 'text');
  return { ...(logFormat && { logFormat }), ...(logLevel && { logLevel }), quiet: isSet(given, 'quiet') };
}

function reportCommand(given: ParsedOptions, json: boolean): LocalCommandOf<'report'> {
  const [dir] = readWords('report', given, 'DIR');
  return { verb: 'report', dir: dir!, ...readReport(given), json };
}

function serveCommand(given: ParsedOptions): LocalCommandOf<'serve'> {
  const [dir] = readWords('serve', given, 'DIR');
  return { verb: 'serve', dir: dir!, port: (given.values.get('port') as number | undefined) ?? DEFAULT_PORT };
}

function exportCommand(given: ParsedOptions): LocalCommandOf<'export'> {
  const out = textOf(given, 'out');
  const format = readFormat(given, out);
  const skipped = isSet(given, 'skipped');
  const items = isSet(given, 'items');
  refuseMix(format, { skipped, items, out });
  const chunkTokens = readChunk(given, format);
  return {
    verb: 'export',
    dir: readWords('export', given, 'DIR')[0]!,
    format,
    skipped,
    items,
    ...readBySite(given, format, { skipped, items, out }),
    out,
    chunkTokens,
    tables: readTables(given, format),
    config: textOf(given, 'config'),
  };
}

function searchCommand(given: ParsedOptions, json: boolean): LocalCommandOf<'search'> {
  const { place: dir, ...asked } = readSearch(given, 'DIR');
  return { verb: 'search', dir, ...asked, config: textOf(given, 'config'), json };
}

function warcAsk(given: ParsedOptions, json: boolean): LocalCommandOf<'warc'>['ask'] {
  const [what, ...words] = given.words;
  if (what === 'check' && words.length > 0 && words.every((path) => path !== ''))
    return { what, paths: words };
  if (what === 'cat') {
    const [, file, offset] = readWords('warc', given, 'cat', 'FILE', 'OFFSET');
    return { what, file: file!, offset: readOffset(offset!, json) };
  }
  throw wrongWords('warc', given.words, ['check FILE... | cat FILE OFFSET']);
}
