/**
 * The chosen blocks of a page as Markdown: headings, lists, tables, code, quotes, as a person would write
 * them.
 */
import type { TextBlock } from './blocks.ts';
import type { ContentElement } from './element-tree.ts';
import { inlineMarkdown, longestBackticks, plainText } from './markdown-inline.ts';

/**
 * Quotes and lists nested deeper are not indented further: each level would repeat its marks in every line.
 */
const MAX_NESTING = 12;

type Resolve = (reference: string) => string | undefined;

/** `blocks`: of one tree. `resolve`: makes a reference absolute. */
export function markdownOf(root: ContentElement, blocks: readonly TextBlock[], resolve: Resolve): string {
  const chosen = Map.groupBy(blocks, ({ element }) => element);
  const holders = new Set<ContentElement>();
  for (const { element } of blocks)
    for (let up: ContentElement | undefined = element; up && !holders.has(up); up = up.parent)
      holders.add(up);
  let nesting = 0;
  return join(blocksIn(root));

  /** Returns the content of an element as blocks of Markdown. */
  function blocksIn(element: ContentElement): string[] {
    const own = chosen.get(element) ?? [];
    const found: string[] = [];
    let next = 0;
    for (const [i, child] of element.children.entries()) {
      const block = own[next];
      if (block && i >= block.first) {
        if (i === block.end - 1) next++;
        if (i === block.first) push(found, runOf(element, block));
        if (i < block.end) continue;
      }
      if (typeof child !== 'string' && holders.has(child)) pushAll(found, blockOf(child));
    }
    return found;
  }

  function runOf(element: ContentElement, { first, end }: TextBlock): string {
    return inlineMarkdown(element.children.slice(first, end), resolve);
  }

  function blockOf(element: ContentElement): string[] {
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
        return [listOf(element)];
      case 'li':
        return itemOf(element, '-');
      case 'pre':
        return [codeBlock(element)];
      case 'blockquote':
        return nested(element, (parts) => [prefixed(join(parts), '> ')]);
      case 'dt':
        return blocksIn(element).map((text) => (text.includes('\n') ? text : `**${text}**`));
      case 'table':
        return isDataTable(element) ? [tableOf(element)] : blocksIn(element);
      default:
        return blocksIn(element);
    }
  }

  function headings(element: ContentElement, level: number): string[] {
    const text = blocksIn(element)
      .join(' ')
      .replace(/ {2}\n|\n/g, ' ')
      .trim();
    return text === '' ? [] : [`${'#'.repeat(level)} ${text}`];
  }

  function listOf(list: ContentElement): string {
    const items: string[] = [];
    let number = Number.parseInt(list.attributes.start ?? '1', 10) || 1;
    for (const child of list.children) {
      if (typeof child === 'string' || !holders.has(child)) continue;
      if (child.name === 'li') pushAll(items, itemOf(child, list.name === 'ol' ? `${number++}.` : '-'));
      else pushAll(items, blockOf(child));
    }
    // The content of the list beside its items.
    for (const block of chosen.get(list) ?? []) push(items, runOf(list, block));
    const isLoose = items.some((item) => item.includes('\n\n'));
    return items.join(isLoose ? '\n\n' : '\n');
  }

  function itemOf(item: ContentElement, mark: string): string[] {
    return nested(item, ([first = '', ...rest]) => {
      const isTight = rest.every((part) => /^(-|\d+\.) /.test(part));
      const text = [first, ...rest].join(isTight ? '\n' : '\n\n');
      const indent = ' '.repeat(mark.length + 1);
      return [`${mark} ${text.replace(/\n(?=[^\n])/g, `\n${indent}`)}`];
    });
  }

  function nested(element: ContentElement, mark: (parts: string[]) => string[]): string[] {
    nesting++;
    const parts = blocksIn(element);
    nesting--;
    return nesting < MAX_NESTING ? mark(parts) : parts;
  }

  function tableOf(table: ContentElement): string {
    const rows = rowsOf(table).map((row) =>
      cellsOf(row).map((cell) => {
        const text = holders.has(cell) ? blocksIn(cell).join(' ') : '';
        return text
          .split('\n')
          .map((line) => line.trim())
          .join(' ')
          .replaceAll('|', '\\|');
      }),
    );
    const width = widthOf(rows);
    const lines = rows
      .filter((row) => row.some((cell) => cell !== ''))
      .map((row) => `| ${Array.from({ length: width }, (_, i) => row[i] ?? '').join(' | ')} |`);
    lines.splice(1, 0, `|${' --- |'.repeat(width)}`);
    const caption = table.children.find((child) => typeof child !== 'string' && child.name === 'caption');
    const title =
      caption && holders.has(caption as ContentElement) ? join(blocksIn(caption as ContentElement)) : '';
    return title === '' ? lines.join('\n') : `${title}\n\n${lines.join('\n')}`;
  }
}

function push(list: string[], text: string): void {
  if (text !== '') list.push(text);
}

/** `list.push(...more)` throws where there are some 100,000. */
function pushAll(list: string[], more: readonly string[]): void {
  for (const text of more) list.push(text);
}

const join = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');

const prefixed = (text: string, prefix: string): string =>
  text
    .split('\n')
    .map((line) => `${prefix}${line}`.trimEnd())
    .join('\n');

/**
 * The language is a class of the element or of its code: `language-js`, `lang-js`, `highlight-source-js`,
 * `brush: js`.
 */
function codeBlock(pre: ContentElement): string {
  const text = plainText(pre).trimEnd().replace(/^\n+/, '');
  const fence = '`'.repeat(Math.max(3, longestBackticks(text) + 1));
  return `${fence}${languageOf(pre)}\n${text}\n${fence}`;
}

function languageOf(pre: ContentElement): string {
  const code = pre.children.find((child) => typeof child !== 'string' && child.name === 'code') as
    | ContentElement
    | undefined;
  const around = [code, pre, pre.parent, pre.parent?.parent];
  for (const element of around) {
    const classes = (element?.attributes.class ?? '').slice(0, 500);
    const found = /(?:^|[\s-])(?:language|lang|source|brush:)[- ]?([\w+#.-]{1,20})/.exec(classes)?.[1];
    if (found !== undefined) return found.toLowerCase();
  }
  return '';
}

/** Those that fill up short rows count. */
const MAX_CELLS = 20_000;

/** Whether a table holds data and is not used for the layout of a page: small cells, no table inside. */
function isDataTable(table: ContentElement): boolean {
  const rows = rowsOf(table).map(cellsOf);
  const width = widthOf(rows);
  if (rows.length < 2 || width < 2 || rows.length * width > MAX_CELLS) return false;
  return rows.every((cells) => cells.every((cell) => !holdsBlocks(cell)));
}

const NOT_IN_CELLS: ReadonlySet<string> = new Set([
  'table',
  'pre',
  'ul',
  'ol',
  'h1',
  'h2',
  'h3',
  'blockquote',
  'article',
  'section',
]);

const holdsBlocks = (cell: ContentElement): boolean =>
  cell.hasBlocks &&
  cell.children.some(
    (child) => typeof child !== 'string' && (NOT_IN_CELLS.has(child.name) || holdsBlocks(child)),
  );

const widthOf = (rows: readonly (readonly unknown[])[]): number =>
  rows.reduce((width, row) => Math.max(width, row.length), 0);

function rowsOf(table: ContentElement): ContentElement[] {
  return table.children.flatMap((child) => {
    if (typeof child === 'string') return [];
    if (child.name === 'tr') return [child];
    return /^t(head|body|foot)$/.test(child.name) ? rowsOf(child) : [];
  });
}

const cellsOf = (row: ContentElement): ContentElement[] =>
  row.children.filter(
    (child) => typeof child !== 'string' && (child.name === 'td' || child.name === 'th'),
  ) as ContentElement[];
