/** Edits of a text, and what they change, line by line. */
import type { Edit } from './operators/operator.ts';

/** Makes all edits. They do not overlap, but may stand within one another's place if that is empty. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, text: inserted } of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    result += text.slice(at, start) + inserted;
    at = Math.max(at, end);
  }
  return result + text.slice(at);
}

/**
 * The change that edits make: the same for all edits that lead to the same text, undefined if that is the text itself. To compare whole
 * texts would take most of the time in which mutants are made.
 */
export function changeOf(text: string, edits: readonly Edit[]): string | undefined {
  const from = Math.min(...edits.map(({ start }) => start));
  const to = Math.max(...edits.map(({ end }) => end));
  const within = edits.map((edit) => ({ ...edit, start: edit.start - from, end: edit.end - from }));
  const changed = applyEdits(text.slice(from, to), within);
  const length = from + changed.length + text.length - to;
  const at = (i: number) =>
    i < from ? text[i] : i < from + changed.length ? changed[i - from] : text[i - from - changed.length + to];
  const shorter = Math.min(length, text.length);
  let same = from;
  while (same < shorter && at(same) === text[same]) same++;
  if (same === length && same === text.length) return undefined;
  // An insertion that repeats its neighbours: what is the same before and after it overlaps.
  let sameAtEnd = Math.min(text.length - to, shorter - same);
  while (sameAtEnd < shorter - same && at(length - 1 - sameAtEnd) === text[text.length - 1 - sameAtEnd])
    sameAtEnd++;
  let inserted = '';
  for (let i = same; i < length - sameAtEnd; i++) inserted += at(i);
  return `${same} ${text.length - sameAtEnd} ${inserted}`;
}

/** The lines that the edits change, as `- old` and `+ new`, each below the number of its line. */
export function diffOf(text: string, edits: readonly Edit[]): string {
  const shown = edits.filter(({ start }) => start < text.length).toSorted((a, b) => a.start - b.start);
  return shown.map((edit) => hunkOf(text, edit)).join('\n');
}

function hunkOf(text: string, { start, end, text: inserted }: Edit): string {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const to = text.indexOf('\n', end) < 0 ? text.length : text.indexOf('\n', end);
  const number = text.slice(0, from).split('\n').length;
  const changed = text.slice(from, start) + inserted + text.slice(end, to);
  const lines = (sign: string, part: string) => part.split('\n').map((line) => `  ${sign} ${line}`);
  return [`  line ${number}`, ...lines('-', text.slice(from, to)), ...lines('+', changed)].join('\n');
}
