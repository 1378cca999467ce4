/**
 * The one table of what the command line takes: it drives the parsing, the help and docs/cli.md. What an
 * option means, its limits and its default are those of its key in `shared/core/crawl/config.ts`.
 */
import { crawlConfigSchema } from '../shared/core/crawl/config.ts';
import { formatBytes, formatDuration } from './format.ts';
import type { Location, OptionSpec } from './option-spec.ts';
import { LIMIT_OPTIONS } from './option-tables/limit-options.ts';
import { OUTPUT_OPTIONS } from './option-tables/output-options.ts';
import { PAGE_OPTIONS } from './option-tables/page-options.ts';
import { PLACE_OPTIONS } from './option-tables/place-options.ts';
import { SCOPE_OPTIONS } from './option-tables/scope-options.ts';
import { isLocalVerb, isStackVerb, type Verb } from './verbs.ts';

/**
 * A name stands twice where it means one thing for some verbs and another for others; for one verb it is the
 * only one.
 */
export const OPTIONS: readonly OptionSpec[] = [
  ...PLACE_OPTIONS,
  ...SCOPE_OPTIONS,
  ...PAGE_OPTIONS,
  ...LIMIT_OPTIONS,
  ...OUTPUT_OPTIONS,
];

/** The options that a verb takes at this place, or at any where none is named; in the table's order. */
export function optionsOf(verb: Verb, location?: Location): OptionSpec[] {
  return OPTIONS.filter(
    (option) =>
      (location !== 'stack' && isLocalVerb(verb) && localVerbsOf(option).includes(verb)) ||
      (location !== 'local' && isStackVerb(verb) && stackVerbsOf(option).includes(verb)),
  );
}

/** Settings of a crawl also decide what `explain` says, and those of a single request what `read` and `shell` do. */
function localVerbsOf({ key, group, verbs = ['crawl'] }: OptionSpec): readonly Verb[] {
  if (key === undefined || !verbs.includes('crawl')) return verbs;
  return REQUEST_GROUPS.has(group) ? [...verbs, 'explain', 'read', 'shell'] : [...verbs, 'explain'];
}

const REQUEST_GROUPS: ReadonlySet<OptionSpec['group']> = new Set(['Politeness', 'Identity', 'Network']);

const stackVerbsOf = ({ verbs = ['crawl'], stackVerbs }: OptionSpec): readonly Verb[] => stackVerbs ?? verbs;

/**
 * The option's default as the operator would write it, read from the schema; undefined where there is none.
 */
export function defaultText(option: OptionSpec): string | undefined {
  if (!option.key) return option.preset;
  const value: unknown = crawlConfigSchema.shape[option.key].safeParse(undefined).data;
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (option.type === 'rules') return namesOn(value as Readonly<Record<string, boolean>>).join(',');
  if (typeof value !== 'number') return String(value);
  if (option.type === 'duration') return formatDuration(value);
  return option.type === 'bytes' ? formatBytes(value) : String(value);
}

const namesOn = (rules: Readonly<Record<string, boolean>>): string[] =>
  Object.keys(rules).filter((name) => rules[name]);
