/** The table of commands. A command's file is loaded when it is run, or when its page is shown. */
import { isOnStack, type VerbEntry, type VerbFile } from './verb.ts';

export const TABLE = {
  crawl: {
    at: 'both',
    group: 'Crawl',
    summary: 'Crawl from the seeds into WARC files',
    load: async (): Promise<VerbFile> => (await import('./verbs/crawl.ts')).command,
  },
  resume: {
    at: 'both',
    group: 'Crawl',
    summary: 'Continue a crawl that was interrupted or met a limit',
    load: async (): Promise<VerbFile> => (await import('./verbs/resume.ts')).command,
  },
  add: {
    at: 'both',
    group: 'Crawl',
    summary: 'Add seeds to a crawl, while it runs or afterwards',
    load: async (): Promise<VerbFile> => (await import('./verbs/add.ts')).command,
  },
  pause: {
    at: 'both',
    group: 'Crawl',
    summary: 'Stop making requests within seconds',
    load: async (): Promise<VerbFile> => (await import('./verbs/pause.ts')).command,
  },
  stop: {
    at: 'both',
    group: 'Crawl',
    summary: 'End a crawl: its hosts get no more visits',
    load: async (): Promise<VerbFile> => (await import('./verbs/stop.ts')).command,
  },
  delete: {
    at: 'both',
    group: 'Crawl',
    summary: 'Delete a crawl',
    load: async (): Promise<VerbFile> => (await import('./verbs/delete.ts')).command,
  },
  init: {
    at: 'here',
    group: 'More',
    summary: 'Create a project from a template',
    load: async (): Promise<VerbFile> => (await import('./verbs/init.ts')).command,
  },
  status: {
    at: 'both',
    group: 'Look',
    summary: 'Show the progress of a crawl: pages, URLs, hosts, errors',
    load: async (): Promise<VerbFile> => (await import('./verbs/status.ts')).command,
  },
  list: {
    at: 'both',
    group: 'Look',
    summary: 'List the crawls in a folder, or on the stack',
    load: async (): Promise<VerbFile> => (await import('./verbs/list.ts')).command,
  },
  hosts: {
    at: 'both',
    group: 'Look',
    summary: 'List the hosts of a crawl, or show one in detail',
    load: async (): Promise<VerbFile> => (await import('./verbs/hosts.ts')).command,
  },
  accounts: {
    at: 'both',
    group: 'Look',
    summary: 'Show the accounts that a crawl uses, or unlock one',
    load: async (): Promise<VerbFile> => (await import('./verbs/accounts.ts')).command,
  },
  report: {
    at: 'both',
    group: 'Look',
    summary: 'Show what a crawl found',
    load: async (): Promise<VerbFile> => (await import('./verbs/report.ts')).command,
  },
  url: {
    at: 'both',
    group: 'Look',
    summary: 'Show what happened to a URL',
    load: async (): Promise<VerbFile> => (await import('./verbs/url.ts')).command,
  },
  explain: {
    at: 'both',
    group: 'Look',
    summary: 'Show what would happen to a URL, and why',
    load: async (): Promise<VerbFile> => (await import('./verbs/explain.ts')).command,
  },
  inlinks: {
    at: 'both',
    group: 'Look',
    summary: 'List the pages that link to a URL',
    load: async (): Promise<VerbFile> => (await import('./verbs/inlinks.ts')).command,
  },
  search: {
    at: 'both',
    group: 'Look',
    summary: 'Find pages by their words',
    load: async (): Promise<VerbFile> => (await import('./verbs/search.ts')).command,
  },
  duplicates: {
    at: 'both',
    group: 'Look',
    summary: 'Find pages whose own texts are nearly the same',
    load: async (): Promise<VerbFile> => (await import('./verbs/duplicates.ts')).command,
  },
  serve: {
    at: 'here',
    group: 'Serve',
    summary: 'Show the archive of a crawl in a browser',
    load: async (): Promise<VerbFile> => (await import('./verbs/serve.ts')).command,
  },
  read: {
    at: 'here',
    group: 'One page',
    summary: 'Print the main content of one page as Markdown',
    load: async (): Promise<VerbFile> => (await import('./verbs/read.ts')).command,
  },
  map: {
    at: 'here',
    group: 'One page',
    summary: 'List the URLs of a site without fetching its pages',
    load: async (): Promise<VerbFile> => (await import('./verbs/map.ts')).command,
  },
  mcp: {
    at: 'both',
    group: 'Serve',
    summary: 'Serve crawls and pages to agents by MCP',
    load: async (): Promise<VerbFile> => (await import('./verbs/mcp.ts')).command,
  },
  shell: {
    at: 'here',
    group: 'One page',
    summary: 'Open a REPL with a page as hooks get it',
    load: async (): Promise<VerbFile> => (await import('./verbs/shell.ts')).command,
  },
  export: {
    at: 'both',
    group: 'Take out',
    summary: 'Write URLs, an index, a WACZ, documents, tables, a graph',
    load: async (): Promise<VerbFile> => (await import('./verbs/export.ts')).command,
  },
  send: {
    at: 'both',
    group: 'Take out',
    summary: 'Send documents to a search engine, webhook or bucket',
    load: async (): Promise<VerbFile> => (await import('./verbs/send.ts')).command,
  },
  process: {
    at: 'here',
    group: 'Take out',
    summary: "Run the project's hooks over the archive of a crawl",
    load: async (): Promise<VerbFile> => (await import('./verbs/process.ts')).command,
  },
  warc: {
    at: 'both',
    group: 'Take out',
    summary: 'Check WARC files, or print one of their records',
    load: async (): Promise<VerbFile> => (await import('./verbs/warc.ts')).command,
  },
  changes: {
    at: 'both',
    group: 'Keep fresh',
    summary: 'Print the pages that are new, have changed or are gone',
    load: async (): Promise<VerbFile> => (await import('./verbs/changes.ts')).command,
  },
  history: {
    at: 'both',
    group: 'Keep fresh',
    summary: 'List the visits of a URL that are in the archive',
    load: async (): Promise<VerbFile> => (await import('./verbs/history.ts')).command,
  },
  diff: {
    at: 'both',
    group: 'Keep fresh',
    summary: 'Show how the main text of a page has changed',
    load: async (): Promise<VerbFile> => (await import('./verbs/diff.ts')).command,
  },
  api: {
    at: 'here',
    group: 'Serve',
    summary: 'Serve an HTTP API over the crawls in a folder',
    load: async (): Promise<VerbFile> => (await import('./verbs/api.ts')).command,
  },
  push: {
    at: 'stack',
    group: 'AWS',
    summary: 'Copy a crawl from its folder to the stack',
    load: async (): Promise<VerbFile> => (await import('./verbs/push.ts')).command,
  },
  pull: {
    at: 'stack',
    group: 'AWS',
    summary: 'Copy a crawl from the stack to a new folder',
    load: async (): Promise<VerbFile> => (await import('./verbs/pull.ts')).command,
  },
  estimate: {
    at: 'here',
    group: 'Crawl',
    summary: 'Say how long a crawl will take, and what it costs',
    load: async (): Promise<VerbFile> => (await import('./verbs/estimate.ts')).command,
  },
  identity: {
    at: 'both',
    group: 'More',
    summary: 'Make a key that signs requests, and publish about it',
    load: async (): Promise<VerbFile> => (await import('./verbs/identity.ts')).command,
  },
  completion: {
    at: 'here',
    group: 'More',
    summary: 'Print a script by which the shell completes commands',
    load: async (): Promise<VerbFile> => (await import('./verbs/completion.ts')).command,
  },
  help: {
    at: 'here',
    group: 'More',
    summary: 'Show this page, or the page of a command',
    load: async (): Promise<VerbFile> => (await import('./verbs/help.ts')).command,
  },
} as const satisfies Readonly<Record<string, VerbEntry>>;

export type Verb = keyof typeof TABLE;

/** All of them, as the help lists them. */
export const VERBS = Object.keys(TABLE) as readonly Verb[];

/** On a deployed stack (`--stack NAME`), where a crawl's name replaces its folder. */
export const STACK_VERBS = VERBS.filter((verb) => isOnStack(TABLE[verb]));

let all: Promise<Readonly<Record<Verb, VerbFile>>> | undefined;

/** Loads the files of all commands. */
export function loadAll(): Promise<Readonly<Record<Verb, VerbFile>>> {
  all ??= Promise.all(VERBS.map(async (verb) => [verb, await TABLE[verb].load()] as const)).then(
    (files) => Object.fromEntries(files) as Record<Verb, VerbFile>,
  );
  return all;
}
