/** What the table of options says of each. */
import type { CrawlConfig } from '../shared/crawl/config.ts';
import type { StackVerb, Verb } from './verbs.ts';

export const EXPORT_FORMATS = ['jsonl', 'csv', 'cdxj', 'wacz'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/**
 * `count`: a whole number. `dollars`: an amount above zero. `bytes`, `duration`: a number with a unit. `patterns`,
 * `pins`: repeatable.
 * `addresses`: CIDR blocks, repeatable, the value optional and only by `=`.
 */
export type OptionType =
  | 'flag'
  | 'text'
  | 'choice'
  | 'count'
  | 'dollars'
  | 'bytes'
  | 'duration'
  | 'patterns'
  | 'pins'
  | 'addresses';

export const GROUPS = [
  'Crawl',
  'Scope',
  'Limits',
  'Politeness',
  'Identity',
  'Network',
  'Output',
  'Stack',
] as const;

export interface OptionSpec {
  /** Without the dashes. */
  readonly name: string;
  /** What the help calls the value. None for a flag. */
  readonly argument?: string;
  readonly type: OptionType;
  readonly choices?: readonly string[];
  /** The key of the crawl's configuration that it sets; none for what concerns the command alone. */
  readonly key?: keyof CrawlConfig;
  /** A flag that `--no-NAME` turns off. */
  readonly isNegatable?: boolean;
  /** The verbs that take it on one machine; `crawl` where none is named. */
  readonly verbs?: readonly Verb[];
  /** The verbs that take it on a stack; the same where none is named. */
  readonly stackVerbs?: readonly StackVerb[];
  /** Why it has no meaning at the other of the two places. */
  readonly reason?: string;
  readonly group: (typeof GROUPS)[number];
  readonly help: string;
}

/** Where a crawl is: in a folder of this machine, or on a deployed stack. */
export type Location = 'local' | 'stack';
