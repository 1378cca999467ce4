/**
 * The chosen blocks of a page as Markdown: headings, lists, tables, code, quotes, as a person would write
 * them.
 */
import { escapeHeadingEnd, escapeLineStart } from '../text/markdown-text.ts';
import type { Run } from './blocks.ts';
import { hasReference, isOrHoldsLink } from './code-links.ts';
import type { ContentElement } from './content-element.ts';
import { formulaMarkdown } from './formulas.ts';
import { codeBlock, codeLines, isFenced } from './markdown-code.ts';
import { type InlineOptions, inlineMarkdown, linkUrl, textMarkdown } from './markdown-inline.ts';
import { followsText, indented, isListItem, joinBlocks, ListParts, separateLists } from './markdown-lists.ts';
import { dataGrid, divGrid, type GridRow, holdsCell, isCell } from './table-grid.ts';

/**
 * Quotes and lists nested deeper are not indented further: each level would repeat its marks in every line.
 */
const MAX_NESTING = 12;

interface LinkAround {
  readonly url: string;
  readonly hasHeading: boolean;
}

type Resolve = (reference: string) => string | undefined;

const LISTS: ReadonlySet<string> = new Set(['ul', 'ol', 'menu', 'dir']);
const TABLE_PARTS: ReadonlySet<string> = new Set(['thead', 'tbody', 'tfoot', 'tr']);
const HEADINGS: ReadonlySet<string> = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

/** `blocks`: of one tree, those of one element in their order. `resolve`: makes a reference absolute. */
export function markdownOf(root: ContentElement, blocks: readonly Run[], resolve: Resolve): string {
  const chosen = Map.groupBy(blocks, ({ element }) => element);
  const holders = holdersOf(blocks);
  const isHolder = ({ index }: ContentElement): boolean => holders[index] === 1;
  let nesting = 0;
  /** How lines are written in the heading, cell or term that is open. */
  let inline: InlineOptions = {};
  /** The link around the blocks that are read, until one of them has it. */
  let around: LinkAround | undefined;
  return joinBlocks(blocksIn(root));

  /** Whether a heading is among its blocks, outside of links within it. */
  function holdsHeading({ children }: ContentElement): boolean {
    return children.some(
      (child) =>
        typeof child === 'object' &&
        isHolder(child) &&
        !hasReference(child) &&
        (HEADINGS.has(child.name) || holdsHeading(child)),
    );
  }

  /** Returns the content of an element as blocks of Markdown. */
  function blocksIn(element: ContentElement): string[] {
    // Items without a list around them.
    if (element.children.some(isItem)) return listOf(element);
    const found: string[] = [];
    readParts(
      element,
      (text) => push(found, text),
      (child) => {
        if (isHolder(child)) pushAll(found, blockOf(child));
      },
    );
    return found;
  }

  /** Passes the runs of text of an element, and the elements in it outside of them, in their order. */
  function readParts(
    element: ContentElement,
    onText: (text: string) => void,
    onElement: (child: ContentElement) => void,
  ): void {
    const own = chosen.get(element);
    const { children } = element;
    let next = 0;
    for (let i = 0; i < children.length; i++) {
      const child = children[i]!;
      const block = own?.[next];
      if (block && i >= block.first) {
        if (i === block.end - 1) next++;
        if (i === block.first) onText(runOf(element, block));
        if (i < block.end) continue;
      }
      if (typeof child !== 'string') onElement(child);
    }
  }

  function runOf(element: ContentElement, { first, end, text }: Run): string {
    // Code of several lines that stands alone.
    const only = inline.isWithin ? undefined : onlyElement(element.children, first, end);
    if (only !== undefined && isCodeOfLines(only)) return codeBlock(only);
    const nodes = element.children.slice(first, end);
    if (around && (inline.isHeading || !around.hasHeading) && !nodes.some(isOrHoldsLink))
      return linkedLine(nodes, around);
    // Most blocks are one text.
    return text !== undefined && nodes.length === 1 && typeof nodes[0] === 'string'
      ? textMarkdown(text, inline)
      : inlineMarkdown(nodes, resolve, inline);
  }

  function linkedLine(nodes: ContentElement['children'], { url }: LinkAround): string {
    const line = inlineMarkdown(nodes, resolve, { ...inline, isWithin: true }).replaceAll('  \n', ' ');
    if (line === '') return line;
    around = undefined;
    return `[${line}](${url})`;
  }

  /** Returns the content of an element whose text stands within a line. */
  function within(element: ContentElement, open = '', isHeading = inline.isHeading): string[] {
    const before = inline;
    inline = { open: (before.open ?? '') + open, isWithin: true, isHeading };
    const found = blocksIn(element);
    inline = before;
    return found;
  }

  function blockOf(element: ContentElement): string[] {
    if (typeof element.whole === 'object') return [formulaMarkdown(element.whole) ?? element.whole.text];
    if (element.whole === 'code') {
      if (!inline.isWithin) return [codeBlock(element)];
      return element.name === 'code' ? [inlineMarkdown([element], resolve, inline)] : codeLines(element);
    }
    switch (element.name) {
      case 'h1':
      case 'h2':
      case 'h3':
      case 'h4':
      case 'h5':
      case 'h6':
        return headings(element, Number(element.name[1]));
      case 'ul':
      case 'ol':
      case 'menu':
      case 'dir':
        return listOf(element);
      case 'pre':
        return inline.isWithin ? codeLines(element) : [codeBlock(element)];
      case 'blockquote':
        // Code in a quote is code that is indented.
        return nested(element, (parts) =>
          parts.every(isFenced) ? parts : [prefixed(joinBlocks(parts), '> ')],
        );
      case 'dt':
        return termOf(element);
      case 'a':
        return linkOf(element, blocksIn);
      case 'table': {
        const grid = dataGrid(element);
        return (grid && tableOf(element, grid)) ?? blocksIn(element);
      }
      case 'div': {
        const grid = inline.isWithin ? undefined : divGrid(element);
        return (grid && tableOf(element, grid)) ?? blocksIn(element);
      }
      case 'tr':
        return rowOf(element) ?? blocksIn(element);
      default:
        return blocksIn(element);
    }
  }

  function headings(element: ContentElement, level: number): string[] {
    const text = within(element, '', true)
      .join(' ')
      .replace(/ {2}\n|\n/g, ' ')
      .trim();
    return text === '' ? [] : [`${'#'.repeat(level)} ${escapeHeadingEnd(text)}`];
  }

  /** A link around blocks: its heading has it, otherwise its first text. Another link within it ends it. */
  function linkOf<T>(element: ContentElement, read: (link: ContentElement) => T): T {
    const before = around;
    const { href } = element.attributes;
    const url = href === undefined ? undefined : linkUrl(href, resolve);
    around = url === undefined ? undefined : { url, hasHeading: holdsHeading(element) };
    const found = read(element);
    around = url === undefined ? before : undefined;
    return found;
  }

  function termOf(element: ContentElement): string[] {
    const hasLines = element.hasBlocks || holdsBreak(element);
    return hasLines
      ? blocksIn(element)
      : within(element, '**').map((text) => (text === '' ? '' : `**${text}**`));
  }

  /** Returns a list, or several with the text between them. */
  function listOf(list: ContentElement): string[] {
    const isOrdered = list.name === 'ol';
    const step = list.attributes.reversed === undefined ? 1 : -1;
    const start = () => (step === 1 ? 1 : list.children.filter(isItem).length);
    const found = new ListParts(isOrdered, step, integerOf(list.attributes.start) ?? start());
    readList(list, found);
    return found.end();
  }

  /** `element`: a list, or an element within it that stands around items. */
  function readList(element: ContentElement, found: ListParts): void {
    readParts(
      element,
      (text) => found.addText(text),
      (child) => {
        if (child.name === 'li') addItem(child, found);
        else if (!isHolder(child)) return;
        else if (LISTS.has(child.name)) found.addList(blockOf(child));
        else if (!holdsItem(child)) for (const text of blockOf(child)) found.addText(text);
        else if (child.name === 'a') linkOf(child, (link) => readList(link, found));
        else readList(child, found);
      },
    );
  }

  function addItem(item: ContentElement, found: ListParts): void {
    const mark = found.nextMark(integerOf(item.attributes.value), isHolder(item));
    if (mark === undefined) return;
    const texts = itemOf(item, mark.sign);
    found.addItems(
      mark.label === undefined ? texts : texts.map((text) => text.replace('- ', `- ${mark.label} `)),
    );
  }

  function itemOf(item: ContentElement, mark: string): string[] {
    return nested(item, (found) => {
      const [first = '', ...rest] = separateLists(found);
      const isTight = rest.every(followsText);
      const text = [first, ...rest].join(isTight ? '\n' : '\n\n');
      return [`${mark} ${indented(text, mark.length + 1).trimStart()}`];
    });
  }

  function nested(element: ContentElement, mark: (parts: string[]) => string[]): string[] {
    nesting++;
    const parts = blocksIn(element);
    nesting--;
    return nesting < MAX_NESTING ? mark(parts) : parts;
  }

  /** Columns without text are left out. Undefined if a single column has text: that is the layout of a page. */
  function tableOf(table: ContentElement, grid: readonly GridRow[]): string[] | undefined {
    const all = grid.map((row) => Array.from(row, (cell) => (cell && isHolder(cell) ? cellOf(cell) : '')));
    const columns = [...grid[0]!.keys()].filter((column) => all.some((row) => row[column] !== ''));
    const width = columns.length;
    if (width < 2) return undefined;
    const rows = all.map((row) => columns.map((column) => row[column]!));
    const lines = rows
      .filter((row) => row.some((cell) => cell !== ''))
      .map((row) => `| ${row.join(' | ')} |`);
    lines.splice(1, 0, `|${' --- |'.repeat(width)}`);
    const caption = table.children.find((child) => typeof child !== 'string' && child.name === 'caption');
    const title = typeof caption === 'object' && isHolder(caption) ? joinBlocks(blocksIn(caption)) : '';
    return [
      ...(table.name === 'table' ? besideCells(table) : []),
      title === '' ? lines.join('\n') : `${title}\n\n${lines.join('\n')}`,
    ];
  }

  /** Returns the texts that stand in a table outside of its cells: browsers show them above it. */
  function besideCells(part: ContentElement): string[] {
    if (!chosen.has(part) && part.children.every(isCellOrText)) return [];
    const found: string[] = [];
    readParts(
      part,
      (text) => push(found, text),
      (child) => {
        if (!isHolder(child) || isCell(child) || child.name === 'caption') return;
        pushAll(found, TABLE_PARTS.has(child.name) || holdsCell(child) ? besideCells(child) : blockOf(child));
      },
    );
    return found;
  }

  function cellOf(cell: ContentElement): string {
    return linesOf(cell).join('<br>').replaceAll('|', '\\|');
  }

  /** The short texts of a row as one line. Undefined if it has others. */
  function rowOf(row: ContentElement): string[] | undefined {
    if (chosen.has(row)) return undefined;
    const cells = row.children.filter((child) => typeof child === 'object').filter(isHolder);
    if (cells.length < 2 || inline.isWithin || cells.some(({ hasBlocks }) => hasBlocks)) return undefined;
    const line = cells.flatMap(linesOf).join(' ');
    return line.length > MAX_ROW_CHARS ? undefined : [escapeLineStart(line)];
  }

  /** The blocks of a cell, each as one line. */
  function linesOf(cell: ContentElement): string[] {
    const lines = within(cell).flatMap((block) => {
      const found = block.split('\n').map((line) => line.trim());
      return isListItem(block) ? found : found.join(' ');
    });
    return lines.filter((line) => line !== '');
  }
}

/** 1 for each element, by its index, that holds a block. */
function holdersOf(blocks: readonly Run[]): Uint8Array {
  let last = 0;
  for (const { element } of blocks) last = Math.max(last, element.index);
  const holders = new Uint8Array(last + 1);
  for (const { element } of blocks)
    for (let up: ContentElement | undefined = element; up && holders[up.index] === 0; up = up.parent)
      holders[up.index] = 1;
  return holders;
}

/** The element among the nodes if all others are blanks. */
function onlyElement(
  nodes: ContentElement['children'],
  first: number,
  end: number,
): ContentElement | undefined {
  let only: ContentElement | undefined;
  for (let i = first; i < end; i++) {
    const node = nodes[i]!;
    if (typeof node === 'string') {
      if (node.trim() !== '') return undefined;
    } else if (only !== undefined) return undefined;
    else only = node;
  }
  return only;
}

const isItem = (node: ContentElement | string): boolean => typeof node === 'object' && node.name === 'li';

const isCellOrText = (node: ContentElement | string): boolean => typeof node === 'string' || isCell(node);

/** Whether an item is in it that belongs to the list around it. */
const holdsItem = ({ children }: ContentElement): boolean =>
  children.some(
    (child) => typeof child === 'object' && (isItem(child) || (!LISTS.has(child.name) && holdsItem(child))),
  );

/** Rules for parsing integers (HTML standard, section 2.3.4.1). */
function integerOf(value: string | undefined): number | undefined {
  const digits = /^\s*([+-]?\d{1,15})/.exec(value ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

const isCodeOfLines = ({ name, children }: ContentElement): boolean =>
  name === 'code' && children.some((child) => typeof child === 'object' && holdsBreak(child));

const holdsBreak = ({ name, children }: ContentElement): boolean =>
  name === 'br' || children.some((child) => typeof child === 'object' && holdsBreak(child));

function push(list: string[], text: string): void {
  if (text !== '') list.push(text);
}

/** `list.push(...more)` throws where there are some 100,000. */
function pushAll(list: string[], more: readonly string[]): void {
  for (const text of more) list.push(text);
}

const prefixed = (text: string, prefix: string): string =>
  text
    .split('\n')
    .map((line) => `${prefix}${line}`.trimEnd())
    .join('\n');

/** Rows with more are columns of a page. */
const MAX_ROW_CHARS = 1000;
