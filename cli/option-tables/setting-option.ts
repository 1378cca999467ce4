import type { OptionSpec } from '../option-spec.ts';

/** A setting, with the commands that take it: `crawl` if none is named. `resume` takes the keys that may change. */
export interface SettingOption extends Omit<OptionSpec, 'only'> {
  /** On one machine. With a key and `crawl`, `explain` takes it too. */
  readonly verbs?: readonly string[] | undefined;
  /** On a stack; the same if none is named. */
  readonly stackVerbs?: readonly string[];
}
