/** The difference of two texts: the equal lines, and the equal words of the other lines. */
import { diffArrays, diffWordsWithSpace } from 'diff';

export interface TextPart {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** A line of both texts, or one that differs: its parts, in order, make up the old and the new line. */
export interface LineDifference {
  readonly kind: 'same' | 'changed' | 'removed' | 'added';
  readonly parts: readonly TextPart[];
}

/**
 * The algorithm (E. Myers, An O(ND) difference algorithm, Algorithmica 1986) takes time by the product of the length
 * and the number of edits. Texts with more edits than that are taken as wholly different.
 */
const MAX_LINE_EDITS = 4000;
const MAX_WORD_EDITS = 1000;
/** Longer lines are not compared word by word. */
const MAX_LINE_CHARS = 20_000;

/** Returns the lines of both texts in order; of replaced lines, the words that differ. */
export function differenceOf(before: string, after: string): LineDifference[] {
  const [old, new_] = [linesOf(before), linesOf(after)];
  const hunks = diffArrays(old, new_, { maxEditLength: MAX_LINE_EDITS }) ?? [
    { value: old, removed: true, added: false },
    { value: new_, removed: false, added: true },
  ];
  const lines: LineDifference[] = [];
  let removed: readonly string[] = [];
  for (const { value, removed: isRemoved, added: isAdded } of hunks) {
    if (isRemoved) removed = [...removed, ...value];
    else if (isAdded) {
      lines.push(...replaced(removed, value));
      removed = [];
    } else {
      lines.push(...whole('removed', removed), ...whole('same', value));
      removed = [];
    }
  }
  return [...lines, ...whole('removed', removed)];
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');

const whole = (kind: TextPart['kind'], lines: readonly string[]): LineDifference[] =>
  lines.map((text) => ({ kind, parts: [{ kind, text }] }));

/** Lines that stand where others stood: one by one, and the rest as they are. */
function replaced(before: readonly string[], after: readonly string[]): LineDifference[] {
  const pairs = Math.min(before.length, after.length);
  const lines: LineDifference[] = [];
  for (let i = 0; i < pairs; i++) lines.push(...lineDifference(before[i] as string, after[i] as string));
  return [...lines, ...whole('removed', before.slice(pairs)), ...whole('added', after.slice(pairs))];
}

function lineDifference(before: string, after: string): LineDifference[] {
  const isLong = before.length + after.length > MAX_LINE_CHARS;
  const words = isLong ? undefined : diffWordsWithSpace(before, after, { maxEditLength: MAX_WORD_EDITS });
  const isAlike = words?.some(({ value, added, removed }) => !added && !removed && value.trim() !== '');
  if (!words || !isAlike) return [...whole('removed', [before]), ...whole('added', [after])];
  const parts = words.map(({ value, added, removed }) => {
    return { kind: added ? 'added' : removed ? 'removed' : 'same', text: value } as const;
  });
  return [{ kind: 'changed', parts }];
}
