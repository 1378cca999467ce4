import { printable } from '../../shared/core/text/printable.ts';
import { exitCodes } from '../exit-codes.ts';
import { configOf, numberOf, textOf, wrongWords } from '../given.ts';
import { CONFIG_OPTION } from '../option-spec.ts';
import { optionsOf } from '../options.ts';
import { portFault } from '../serving.ts';
import { UsageError } from '../usage-error.ts';
import { verb } from '../verb.ts';

const DEFAULT_FOLDER = 'crawls';
const MAX_COUNT = 1_000_000;
const DEFAULT_PAGES = 1000;
const DEFAULT_BYTES = 1_000_000_000;
const DEFAULT_DOLLARS = 1;

export const command = verb({
  usage: 'mcp [FOLDER|DIR] [options]',
  stackUsage: 'mcp [options]',
  more: 'Over the crawls of a folder (crawls by default), by standard input and output. See docs/agents.md.',
  examples: [
    'mcp crawls --contact me@example.org',
    'mcp --allow-hosts example.org --contact a@example.org',
    '--stack Strand mcp --http 8091',
  ],
  options: [
    CONFIG_OPTION,
    {
      name: 'allow-hosts',
      argument: 'HOST,...',
      type: 'list',
      group: 'Limits',
      help: "may be contacted besides the hosts of the crawls: example.org, '*.example.org', '*'; repeatable",
    },
    {
      name: 'allow-crawls',
      argument: 'N',
      type: 'count',
      range: [0, MAX_COUNT],
      preset: '0',
      group: 'Limits',
      help: 'crawls that agents may begin a day, and stop again',
    },
    {
      name: 'max-pages',
      argument: 'N',
      type: 'count',
      range: [1, MAX_COUNT],
      preset: String(DEFAULT_PAGES),
      group: 'Limits',
      help: 'pages that agents may fetch a day, those of crawls that they begin among them',
    },
    {
      name: 'max-bytes',
      argument: 'SIZE',
      type: 'bytes',
      preset: '1GB',
      group: 'Limits',
      help: 'bytes a day, likewise',
    },
    {
      name: 'max-cost',
      argument: 'USD',
      type: 'dollars',
      preset: String(DEFAULT_DOLLARS),
      only: 'stack',
      reason: 'one machine costs nothing per request',
      group: 'Limits',
      help: 'US dollars a day that crawls begun by agents may cost',
    },
    {
      name: 'http',
      argument: 'PORT',
      type: 'count',
      range: [0, 65_535],
      group: 'Output',
      help: 'by HTTP at this port of 127.0.0.1, with a token, instead of standard input and output; 0: any that is free',
    },
    ...optionsOf('contact', 'delayMs', 'purpose', 'allowPrivateAddresses'),
  ],
  read(given) {
    const { words, isOnStack, values } = given;
    if (words.length > (isOnStack ? 0 : 1) || words[0] === '')
      throw wrongWords(given, ...(isOnStack ? [] : ['[FOLDER|DIR]']));
    return {
      folder: words[0] ?? DEFAULT_FOLDER,
      config: textOf(given, 'config'),
      options: configOf(given),
      allowHosts: (values.get('allow-hosts') as readonly string[] | undefined) ?? [],
      bounds: {
        crawls: numberOf(given, 'allow-crawls') ?? 0,
        pages: numberOf(given, 'max-pages') ?? DEFAULT_PAGES,
        bytes: numberOf(given, 'max-bytes') ?? DEFAULT_BYTES,
        dollars: numberOf(given, 'max-cost') ?? DEFAULT_DOLLARS,
      },
      port: numberOf(given, 'http'),
    };
  },
  /** Until the client closes its end, or Ctrl-C. */
  async run({ folder, config: file, options, port, ...asked }, { stack }) {
    const { runServer } = await import('../mcp/run-server.ts').catch((error: unknown) => {
      throw missingPackage(error) ?? error;
    });
    const { beginInFolder, beginOnStack, requestSettings } = await import('../mcp/open-session.ts');
    const { folderShelf, stackShelf } = await import('../mcp/shelves.ts');
    const log = (line: string) => void process.stderr.write(`strand mcp: ${printable(line)}\n`);
    const settings = {
      ...asked,
      config: await requestSettings(file, options),
      shelf: stack ? stackShelf(stack.stack, stack) : folderShelf(folder),
      begin: stack ? beginOnStack(stack) : beginInFolder(folder),
      isOnStack: stack !== undefined,
      log,
    };
    await runServer(settings, port).catch(portFault(port, '--http'));
    return exitCodes.finished;
  },
});

/** The message if the package for the protocol is not installed: the published package has it as an optional peer. */
function missingPackage(error: unknown): UsageError | undefined {
  const { code, message = '' } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes("'@modelcontextprotocol/")) return undefined;
  return new UsageError(
    'mcp needs a package that is not installed: npm install @modelcontextprotocol/server',
  );
}
