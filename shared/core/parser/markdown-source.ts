/** Reads a Markdown document in one pass: its front matter, its first heading, and its references. */

export interface MarkdownSource {
  /** By the front matter, otherwise the first heading. */
  readonly title?: string;
  /** Texts of the front matter by their keys in lower case. */
  readonly facts: ReadonlyMap<string, string>;
  /** The document without its front matter. */
  readonly body: string;
  /** In their order. Not those in code. */
  readonly references: readonly MarkdownReference[];
}

export interface MarkdownReference {
  /** As written. */
  readonly target: string;
  /** Its index in `body`. */
  readonly from: number;
}

const MAX_FACTS = 100;
const MAX_VALUE_CHARS = 2000;
/** A longer line is data. */
const MAX_LINE_CHARS = 100_000;

/** Reads CommonMark 0.31 as far as links go: inline ones, definitions, autolinks, and `href` and `src` of HTML. */
export function readMarkdown(source: string): MarkdownSource {
  const { facts, body } = frontMatterOf(source);
  const references: MarkdownReference[] = [];
  let heading: string | undefined;
  let fence: string | undefined;
  let before = '';
  for (const { line, from } of linesOf(body)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
    } else if (mark !== undefined) fence = mark;
    else {
      heading ??=
        /^ {0,3}#{1,6}[ \t](.*)$/.exec(line)?.[1] ?? (/^(?:=+|-+)\s*$/.test(line) ? before : undefined);
      if (line.length <= MAX_LINE_CHARS)
        addReferences(line, (target, at) => references.push({ target, from: from + at }));
    }
    before = line.trim() === '' ? '' : line;
    heading ||= undefined;
  }
  const title = facts.get('title') ?? (heading && plain(heading));
  return { ...(title && { title }), facts, body, references };
}

function* linesOf(text: string): Generator<{ readonly line: string; readonly from: number }> {
  let from = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
    yield { line: text.slice(from, end).replace(/\r$/, ''), from };
    from = end + 1;
  }
  yield { line: text.slice(from).replace(/\r$/, ''), from };
}

/** Plain scalars of YAML between two lines of dashes, as static site generators write it. */
function frontMatterOf(source: string): Pick<MarkdownSource, 'facts' | 'body'> {
  const facts = new Map<string, string>();
  const start = /^\ufeff?---[ \t]*\r?\n/.exec(source)?.[0];
  const end = start === undefined ? -1 : source.indexOf('\n---', start.length - 1);
  if (start === undefined || end === -1) return { facts, body: source };
  for (const { line } of linesOf(source.slice(start.length, end))) {
    const [, key, value = ''] = /^([\w-]{1,50}):[ \t](.*)$/.exec(line.slice(0, MAX_VALUE_CHARS)) ?? [];
    const text = unquoted(value.trim());
    if (key !== undefined && text !== '' && facts.size < MAX_FACTS) facts.set(key.toLowerCase(), text);
  }
  const rest = source.indexOf('\n', end + 1);
  return { facts, body: rest === -1 ? '' : source.slice(rest + 1) };
}

function unquoted(value: string): string {
  const quote = value[0];
  if ((quote !== '"' && quote !== "'") || value.length < 2 || value.at(-1) !== quote) return value;
  const inner = value.slice(1, -1);
  return quote === "'" ? inner.replaceAll("''", "'") : inner.replace(/\\(["\\])/g, '$1');
}

function addReferences(line: string, add: (target: string, from: number) => void): void {
  const text = withoutCode(line);
  for (let at = text.indexOf(']('); at !== -1; at = text.indexOf('](', at + 2)) {
    const [target, from] = destinationAt(text, at + 2);
    if (target !== '') add(target, from);
  }
  const definition = /^ {0,3}\[[^\]]{1,999}\]:[ \t]*(?:<([^<>]*)>|(\S+))/.exec(text);
  if (definition && !definition[0].startsWith('[^')) {
    const target = definition[1] ?? definition[2] ?? '';
    add(target, definition[0].lastIndexOf(target));
  }
  for (const { 1: target = '', index } of text.matchAll(/<(https?:\/\/[^\s<>]{1,2000})>/g))
    add(target, index + 1);
  for (const { 0: all, 2: target = '', index } of text.matchAll(/\b(?:href|src)=(["'])([^"']{1,2000})\1/gi))
    add(target, index + all.length - 1 - target.length);
}

/** The destination of an inline link, to the bracket that closes it: it may have balanced ones. */
function destinationAt(text: string, from: number): [target: string, from: number] {
  let at = from;
  while (text[at] === ' ') at++;
  if (text[at] === '<') {
    const end = text.indexOf('>', at);
    return [end === -1 ? '' : text.slice(at + 1, end), at + 1];
  }
  let depth = 0;
  let end = at;
  for (; end < text.length && end - at < MAX_VALUE_CHARS; end++) {
    const character = text[end];
    if (character === ' ' || character === '\t') break;
    if (character === '(') depth++;
    else if (character === ')' && depth-- === 0) break;
  }
  return [text.slice(at, end), at];
}

/** The line with its code spans replaced by blanks of equal length. */
function withoutCode(line: string): string {
  if (!line.includes('`')) return line;
  const parts = line.split('`');
  // An unpaired mark does not begin code.
  return parts
    .map((part, i) => (i % 2 === 1 && i < parts.length - 1 ? ' '.repeat(part.length) : part))
    .join(' ');
}

/** A heading without its marks. */
const plain = (heading: string): string =>
  heading
    .slice(0, MAX_VALUE_CHARS)
    .replace(/[ \t]#+[ \t]*$/, '')
    // linear: of at most 2,000 characters
    .replace(/!?\[([^\]]*)\]\([^()]*\)/g, '$1')
    .replace(/[*_`]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 500);
