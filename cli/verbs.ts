/** The commands. */

/** On a folder of this machine. */
export const LOCAL_VERBS = [
  'crawl',
  'resume',
  'add',
  'status',
  'watch',
  'pause',
  'stop',
  'report',
  'url',
  'history',
  'diff',
  'inlinks',
  'explain',
  'hosts',
  'export',
  'changes',
  'search',
  'send',
  'duplicates',
  'read',
  'shell',
  'serve',
  'process',
  'list',
  'delete',
  'warc',
  'estimate',
  'identity',
  'init',
  'completion',
] as const;
/** On a deployed stack (`--stack NAME`), where a crawl's name takes the place of its folder. */
export const STACK_VERBS = [
  'crawl',
  'add',
  'status',
  'watch',
  'list',
  'hosts',
  'report',
  'url',
  'history',
  'diff',
  'inlinks',
  'explain',
  'export',
  'exports',
  'changes',
  'search',
  'send',
  'duplicates',
  'pause',
  'resume',
  'stop',
  'delete',
  'push',
  'pull',
  'warc',
  'identity',
] as const;

export type LocalVerb = (typeof LOCAL_VERBS)[number];
export type StackVerb = (typeof STACK_VERBS)[number];
export type Verb = LocalVerb | StackVerb | 'help';

/** All of them, as the help lists them. */
export const VERBS: readonly Verb[] = [
  ...LOCAL_VERBS,
  ...STACK_VERBS.filter((verb) => !(LOCAL_VERBS as readonly string[]).includes(verb)),
  'help',
];

export const isLocalVerb = (verb: Verb): verb is LocalVerb => (LOCAL_VERBS as readonly Verb[]).includes(verb);

export const isStackVerb = (verb: Verb): verb is StackVerb => (STACK_VERBS as readonly Verb[]).includes(verb);
