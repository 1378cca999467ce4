/**
 * Cuts Markdown into pieces for search and language models: at headings and paragraphs, never inside code.
 */
import { createFenceReader, type LineKind } from './markdown-fences.ts';

export interface MarkdownChunk {
  /** The headings above the piece, the outermost first, without their `#`. */
  readonly headings: readonly string[];
  readonly markdown: string;
  /** An estimate, see {@link estimateTokens}. */
  readonly tokens: number;
}

export interface ChunkLimits {
  /** A piece has at most this many tokens, unless a single block of code or table has more. */
  readonly maxTokens: number;
  /**
   * A piece repeats the last paragraphs of the one before it, if they have at most this many tokens together.
   */
  readonly overlapTokens: number;
}

interface Block {
  readonly text: string;
  readonly tokens: number;
  /** 1 to 6 for a heading. */
  readonly level?: number;
  readonly lines: readonly Segment[];
}

/** A block, or a piece of one. */
type Part = Pick<Block, 'text' | 'tokens' | 'level'>;

/** Lines of one kind. Code and tables stay whole. */
interface Segment {
  readonly text: string;
  readonly kind: LineKind;
}

/**
 * About how many tokens the tokenizers of language models make of a text: 20 for 100 letters and blanks, 65 for 100
 * digits and signs, and one for each character that is not ASCII. Of 8,400 pieces of manuals nine in ten have at most 1.03 times as
 * many of cl100k_base, and 99 in 100 at most 1.17 times.
 */
export function estimateTokens(text: string): number {
  let hundredths = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    hundredths += code < 128 ? HUNDREDTHS[code]! : 100;
  }
  return Math.ceil(hundredths / 100);
}

/** Hundredths of a token for each ASCII character: a look at a table takes half the time of comparing. */
const HUNDREDTHS = Uint8Array.from({ length: 128 }, (_, code) =>
  /[a-z\0-\x20]/i.test(String.fromCharCode(code)) ? 20 : 65,
);

/** Returns the pieces in order; none for an empty text. Takes time linear in the text's length. */
export function chunkMarkdown(markdown: string, { maxTokens, overlapTokens }: ChunkLimits): MarkdownChunk[] {
  const chunks: MarkdownChunk[] = [];
  /** The headings that the current block stands under. */
  const path: Block[] = [];
  let blocks: Part[] = [];
  let tokens = 0;
  /** Blocks at the beginning that repeat the end of the last piece. */
  let repeated = 0;
  let headings: readonly string[] = [];

  const begin = (first: readonly Part[]) => {
    blocks = [...first];
    repeated = blocks.length;
    tokens = blocks.reduce((sum, block) => sum + block.tokens, 0);
    headings = path.map(titleOf);
  };

  const end = () => {
    if (blocks.length === repeated) return;
    const text = blocks.map((block) => block.text).join('\n\n');
    chunks.push({ headings, markdown: text, tokens: estimateTokens(text) });
  };

  for (const block of blocksOf(markdown)) {
    const { level } = block;
    if (level !== undefined) while ((path.at(-1)?.level ?? 0) >= level) path.pop();
    // A section begins a piece, unless it is a small one that follows another.
    const beginsPiece = level !== undefined && (level <= 2 || tokens > maxTokens / 2);
    if (beginsPiece || blocks.length === 0) {
      end();
      begin([]);
    }
    if (level !== undefined) path.push(block);
    for (const part of partsOf(block, maxTokens)) {
      if (blocks.length > 0 && tokens + part.tokens > maxTokens) {
        const last = lastWithin(blocks, Math.min(overlapTokens, maxTokens - part.tokens));
        end();
        begin(last);
      }
      blocks.push(part);
      tokens += part.tokens;
    }
  }
  end();
  return chunks;
}

const titleOf = ({ text, level = 0 }: Block): string => text.slice(level).trim();

/**
 * The last blocks that have at most this many tokens together; no heading stands at their end, where it says
 * nothing.
 */
function lastWithin(blocks: readonly Part[], maxTokens: number): Part[] {
  const last: Part[] = [];
  let tokens = 0;
  for (const block of blocks.toReversed()) {
    tokens += block.tokens;
    if (tokens > maxTokens || block.level !== undefined) break;
    last.unshift(block);
  }
  return last;
}

/** Blocks stand apart by empty lines, other than those inside a fence. */
function* blocksOf(markdown: string): Generator<Block> {
  const kindOf = createFenceReader();
  let lines: Segment[] = [];
  for (const text of markdown.split('\n')) {
    const kind = kindOf(text);
    // A fence without an end, in a list that ends.
    if (kind !== 'code' && isBlank(lines.at(-1)?.text)) {
      yield blockOf(lines);
      lines = [];
    }
    if (!isBlank(text) || kind === 'code') lines.push({ text, kind });
    else if (lines.length > 0) {
      yield blockOf(lines);
      lines = [];
    }
  }
  // A fence that is never closed ends with the text.
  if (lines.some(({ text }) => text.trim() !== '')) yield blockOf(lines);
}

const isBlank = (text: string | undefined): boolean => text !== undefined && !/\S/.test(text);

function blockOf(lines: readonly Segment[]): Block {
  const text = textOf(lines).trimEnd();
  const level =
    lines.length === 1 && lines[0]!.kind === 'text' ? /^(#{1,6}) /.exec(text)?.[1]?.length : undefined;
  return { text, tokens: estimateTokens(text), level, lines };
}

const textOf = (lines: readonly Segment[]): string =>
  lines.length === 1 ? lines[0]!.text : lines.map(({ text }) => text).join('\n');

function segmentsOf(lines: readonly Segment[]): Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  for (let i = 1; i <= lines.length; i++) {
    if (i < lines.length && lines[i]!.kind === lines[from]!.kind) continue;
    segments.push({ text: textOf(lines.slice(from, i)), kind: lines[from]!.kind });
    from = i;
  }
  return segments;
}

/** The block, or pieces of one that is too long: code, lines, sentences or words together. */
function partsOf(block: Block, maxTokens: number): readonly Part[] {
  if (block.tokens <= maxTokens) return [block];
  const parts: Part[] = [];
  let text = '';
  let tokens = 0;
  const flush = () => {
    const part = withoutIndent(text.trimEnd().replace(/^(?:[ \t]*\n)+/, ''));
    if (part !== '') parts.push({ text: part, tokens: estimateTokens(part) });
    text = '';
    tokens = 0;
  };
  for (const piece of piecesOfBlock(block, maxTokens)) {
    const more = estimateTokens(piece);
    if (tokens + more > maxTokens) flush();
    text += piece;
    tokens += more;
  }
  flush();
  return parts;
}

/** A piece that begins with code of a list does not stand in that list. */
function withoutIndent(text: string): string {
  const indent = /^[ \t]+(?=```|~~~|\|)/.exec(text)?.[0];
  if (indent === undefined) return text.trimStart();
  const lines = text.split('\n').map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
  return lines.join('\n');
}

function* piecesOfBlock({ lines }: Block, maxTokens: number): Generator<string> {
  const segments = segmentsOf(lines);
  for (const [i, { text, kind }] of segments.entries()) {
    const lineEnd = i < segments.length - 1 ? '\n' : '';
    if (kind === 'text') yield* piecesOf(text + lineEnd, maxTokens);
    else if (PLAIN_TEXT.test(text)) yield* fencedPieces(text, maxTokens);
    else yield text + lineEnd;
  }
}

/** A document of plain text, as a whole between fences (`content/text-content.ts`). */
const PLAIN_TEXT = /^`{3,}text\n/;

/** Pieces of plain text, each between fences. */
function* fencedPieces(text: string, maxTokens: number): Generator<string> {
  const [first = '', last = ''] = [text.slice(0, text.indexOf('\n')), text.slice(text.lastIndexOf('\n') + 1)];
  const room = Math.max(1, maxTokens - estimateTokens(first + last) - 1);
  let piece = '';
  let tokens = 0;
  for (const part of piecesOf(text.slice(first.length + 1, -last.length - 1), room)) {
    const more = estimateTokens(part);
    if (tokens + more > room && piece.trim() !== '') {
      yield `${first}\n${piece.replace(/\n$/, '')}\n${last}\n`;
      piece = '';
      tokens = 0;
    }
    piece += part;
    tokens += more;
  }
  if (piece.trim() !== '') yield `${first}\n${piece.replace(/\n$/, '')}\n${last}\n`;
}

/** Sentences and lines with the white space after them; longer ones in pieces. */
function* piecesOf(text: string, maxTokens: number): Generator<string> {
  const sentence = /[.!?\u3002\uff01\uff1f](?=\s)|\n|[\u3002\uff01\uff1f]/g;
  let at = 0;
  /** Behind the sentence that `at` is in: looked for once. */
  let sentenceEnd = 0;
  while (at < text.length) {
    if (sentenceEnd <= at) {
      sentence.lastIndex = at;
      sentenceEnd = (sentence.exec(text)?.index ?? text.length - 1) + 1;
    }
    let stop = sentenceEnd;
    // Most tokens have at most five characters.
    if (stop - at > 5 * maxTokens || estimateTokens(text.slice(at, stop)) > maxTokens) {
      // A token has at least one character, so that this many characters fit.
      const cut = at + text.slice(at, at + maxTokens).lastIndexOf(' ') + 1;
      stop = cut > at ? cut : at + maxTokens;
      if (isLowHalf(text, stop)) stop = stop - 1 > at ? stop - 1 : stop + 1;
    }
    yield text.slice(at, stop);
    at = stop;
  }
}

/** Whether the text, cut there, would be cut within a character. */
const isLowHalf = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000;
};
