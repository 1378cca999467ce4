import { messageOf } from '../base/error-message.ts';
import { InvalidConfig } from './config.ts';

/**
 * The patterns of one configuration key as regular expressions without flags. Throws {@link InvalidConfig}.
 */
export function compilePatterns(key: 'include' | 'exclude', patterns: readonly string[]): RegExp[] {
  return patterns.map((pattern) => {
    try {
      // linear: the operator's own; one that comes with a request is judged before (`control/pattern-cost.ts`).
      return new RegExp(pattern);
    } catch (cause) {
      const reason = messageOf(cause);
      throw new InvalidConfig(
        `Expected each \`${key}\` to be a regular expression, got ${JSON.stringify(pattern)}: ${reason}`,
        { cause },
      );
    }
  });
}
