/** Collects the blocks of a document as plain text and as Markdown, in bounded memory. */
import { escapeHeadingEnd, escapeLineStart, escapeMarkdown, linkDestination } from '../text/markdown-text.ts';
import { MAX_TEXT_CHARS } from './media-module.ts';

/** A piece of a line: text, or text that leads somewhere. */
export interface Run {
  readonly text: string;
  /** Absolute http(s) URL. */
  readonly href?: string | undefined;
}

export interface TextWriter {
  /** `level`: 1 to 6. */
  heading(level: number, runs: readonly Run[]): void;
  paragraph(runs: readonly Run[]): void;
  /** `depth`: 0 for the outermost list. */
  item(depth: number, runs: readonly Run[]): void;
  table(rows: readonly (readonly (readonly Run[])[])[]): void;
  /** Whether the text is full. */
  readonly isFull: boolean;
  end(): { readonly text: string; readonly markdown: string };
}

/** Lists nested deeper are not indented further. */
const MAX_NESTING = 12;

export function createTextWriter(): TextWriter {
  const texts: string[] = [];
  const blocks: string[] = [];
  let chars = 0;
  let wasItem = false;

  function add(text: string, markdown: string, isItem = false): void {
    if (text === '' || chars > MAX_TEXT_CHARS) return;
    if (blocks.length > 0) {
      const gap = isItem && wasItem ? '\n' : '\n\n';
      texts.push(gap);
      blocks.push(gap);
    }
    wasItem = isItem;
    chars += markdown.length;
    texts.push(text);
    blocks.push(markdown);
  }

  return {
    heading(level, runs) {
      const text = textOf(runs);
      add(text, `${'#'.repeat(Math.min(6, Math.max(1, level)))} ${escapeHeadingEnd(markdownOf(runs))}`);
    },
    paragraph: (runs) => add(linesOf(runs), escapeStarts(markdownOf(runs, '  \n'))),
    item(depth, runs) {
      add(textOf(runs), `${'  '.repeat(Math.min(depth, MAX_NESTING))}- ${markdownOf(runs)}`, true);
    },
    table(rows) {
      const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
      if (columns === 0) return;
      const filled = rows.filter((row) => row.some((cell) => textOf(cell) !== ''));
      const lines = filled.map((row) => {
        const cells = Array.from({ length: columns }, (_, i) =>
          markdownOf(row[i] ?? []).replaceAll('|', '\\|'),
        );
        return `| ${cells.join(' | ')} |`;
      });
      const rule = `|${' --- |'.repeat(columns)}`;
      const text = filled.map((row) => row.map(textOf).join('\t').trimEnd()).join('\n');
      add(text, [lines[0], rule, ...lines.slice(1)].join('\n'));
    },
    get isFull() {
      return chars > MAX_TEXT_CHARS;
    },
    end: () => ({
      text: texts.join('').slice(0, MAX_TEXT_CHARS),
      markdown: blocks.join('').slice(0, MAX_TEXT_CHARS),
    }),
  };
}

const fold = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The text of a line. */
export const textOf = (runs: readonly Run[]): string => fold(runs.map(({ text }) => text).join(''));

/** The text with the breaks between its lines. */
const linesOf = (runs: readonly Run[]): string =>
  runs
    .map(({ text }) => text)
    .join('')
    .split('\n')
    .map(fold)
    .filter((line) => line !== '')
    .join('\n');

function markdownOf(runs: readonly Run[], lineBreak = ' '): string {
  const line = merged(runs)
    .map(({ text, href }) => {
      const escaped = escapeMarkdown(text.replace(/[^\S\n]+/g, ' '));
      const core = escaped.trim();
      if (href === undefined || core === '') return escaped;
      const start = escaped.indexOf(core);
      return `${escaped.slice(0, start)}[${core.replaceAll('\n', ' ')}](${linkDestination(href)})${escaped.slice(start + core.length)}`;
    })
    .join('');
  return line
    .split('\n')
    .map(fold)
    .filter((part) => part !== '')
    .join(lineBreak);
}

/** Editors cut a line into many runs: those of one link are one link. */
function merged(runs: readonly Run[]): Run[] {
  const found: { text: string; href?: string | undefined }[] = [];
  for (const { text, href } of runs) {
    const last = found.at(-1);
    if (last !== undefined && last.href === href) last.text += text;
    else found.push({ text, href });
  }
  return found;
}

/** Nothing that would begin another block. */
const escapeStarts = (block: string): string => block.split('\n').map(escapeLineStart).join('\n');
