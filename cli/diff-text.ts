/** The difference of two visits of a page, as text. */
import type { LineDifference, TextPart } from '../api/text-difference.ts';
import type { UrlDifference } from '../api/url-difference.ts';
import type { UrlCapture } from '../shared/core/archive/url-history.ts';
import { printable } from '../shared/core/text/printable.ts';
import { toned } from './format.ts';

/** Lines that are the same are shown beside those that differ, this number on each side. */
const CONTEXT = 2;

/** The lines that differ, and those beside them. Characters that a terminal would obey are replaced. */
export function diffText({ from, to, lines }: UrlDifference, colour: boolean): string {
  const shown: string[] = [
    toned(`--- ${visitText(from)}`, 'bold', colour),
    toned(`+++ ${visitText(to)}`, 'bold', colour),
  ];
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ kind }) => kind !== 'same');
  if (lines.every(({ kind }) => kind === 'same')) {
    const same = from.digest === to.digest ? 'the page is the same' : 'the main text is the same';
    return `${shown.join('\n')}\n${same} (${lines.length} lines)\n`;
  }
  let left = 0;
  const flush = () => {
    if (left > 0) shown.push(toned(`  ... ${left} ${left === 1 ? 'line' : 'lines'} the same`, 'dim', colour));
    left = 0;
  };
  lines.forEach((line, at) => {
    if (!isNear(at)) {
      left++;
      return;
    }
    flush();
    shown.push(lineText(line, colour));
  });
  flush();
  return `${shown.join('\n')}\n`;
}

const visitText = ({ time, httpStatus }: UrlCapture): string => `${time}  ${httpStatus ?? '?'}`;

const SIGNS = { same: ' ', changed: '~', removed: '-', added: '+' } as const;

function lineText({ kind, parts }: LineDifference, colour: boolean): string {
  const text = parts
    .map((part) => (kind === 'changed' ? wordsText(part, colour) : printable(part.text)))
    .join('');
  const line = `${SIGNS[kind]} ${text}`;
  if (kind === 'removed') return toned(line, 'red', colour);
  return kind === 'added' ? toned(line, 'green', colour) : line;
}

/** As `git diff --word-diff` shows words: `[-old-]{+new+}`. */
function wordsText({ kind, text }: TextPart, colour: boolean): string {
  const words = printable(text);
  if (kind === 'removed') return toned(`[-${words}-]`, 'red', colour);
  return kind === 'added' ? toned(`{+${words}+}`, 'green', colour) : words;
}
