/** The parts of a command. Each has a file in `verbs/`, and a row in `verbs.ts`. */
import type { Given } from './given.ts';
import { type OptionSpec, STACK_OPTIONS } from './option-spec.ts';
import type { Place } from './place.ts';

/** A command's file. It is loaded to run the command, or to show its page. */
export interface VerbFile<Asked = unknown> {
  /** Its words; `DIR` is the folder of a crawl. */
  readonly usage: string;
  /** Its words after `--stack NAME`, if more differs than `CRAWL` instead of `DIR`. */
  readonly stackUsage?: string;
  /** Sentences that follow the summary on its page. */
  readonly more?: string;
  readonly examples: readonly string[];
  /** In the order of its page. Options that name a stack are added to them. */
  readonly options: readonly OptionSpec[];
  /** The names of the options that its page has; all others by `--all`. */
  readonly usual?: readonly string[];
  /** Reads the words. Throws `UsageError`; opens no file. */
  read(given: Given): Asked;
  /** Returns the exit code. */
  run(asked: Asked, place: Place, table: VerbTable): Promise<number> | number;
}

/** Infers what `run` gets from what `read` returns. */
export const verb = <Asked>(file: VerbFile<Asked>): VerbFile<Asked> => file;

export const VERB_GROUPS = [
  'One page',
  'Crawl',
  'Look',
  'Take out',
  'Keep fresh',
  'Serve',
  'AWS',
  'More',
] as const;

/** A command's row in the table. */
export interface VerbEntry {
  /** Where it has a meaning. */
  readonly at: 'here' | 'stack' | 'both';
  readonly group: (typeof VERB_GROUPS)[number];
  /** A sentence without its full stop. */
  readonly summary: string;
  load(): Promise<VerbFile>;
}

export type VerbTable = Readonly<Record<string, VerbEntry>>;

export const isHere = ({ at }: VerbEntry): boolean => at !== 'stack';

export const isOnStack = ({ at }: VerbEntry): boolean => at !== 'here';

/** All that the command takes, in any place. */
export const allOptionsOf = (entry: VerbEntry, { options }: VerbFile): readonly OptionSpec[] =>
  isOnStack(entry) ? [...options, ...STACK_OPTIONS] : options;

/** `status CRAWL [options]` */
export const stackUsageOf = ({ at }: VerbEntry, { usage, stackUsage }: VerbFile): string =>
  stackUsage ?? (at === 'both' ? usage.replace('DIR', 'CRAWL') : usage);
