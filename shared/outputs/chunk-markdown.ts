/**
 * Cuts Markdown into pieces for search and language models: at headings and paragraphs, never inside code.
 */

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
  /** Code and tables stay whole. */
  readonly isWhole: boolean;
}

/**
 * About how many tokens the tokenizers of language models make of a text: a quarter of its ASCII characters,
 * and one for each other character. Accurate to some 20 % for English prose; code and other languages differ
 * more.
 */
export function estimateTokens(text: string): number {
  let others = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) others++;
  return Math.ceil((text.length - others) / 4) + others;
}

/** Returns the pieces in order; none for an empty text. Takes time linear in the text's length. */
export function chunkMarkdown(markdown: string, { maxTokens, overlapTokens }: ChunkLimits): MarkdownChunk[] {
  const chunks: MarkdownChunk[] = [];
  /** The headings that the current block stands under. */
  const path: Block[] = [];
  let blocks: Block[] = [];
  let tokens = 0;
  /** Blocks at the beginning that repeat the end of the last piece. */
  let repeated = 0;
  let headings: readonly string[] = [];

  const begin = (first: readonly Block[]) => {
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
function lastWithin(blocks: readonly Block[], maxTokens: number): Block[] {
  const last: Block[] = [];
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
  let lines: string[] = [];
  let fence: string | undefined;
  for (const line of [...markdown.split('\n'), '']) {
    const [start = '', mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) && line.slice(start.length).trim() === '') fence = undefined;
    if (line.trim() !== '' || fence !== undefined) lines.push(line);
    else if (lines.length > 0) {
      yield blockOf(lines);
      lines = [];
    }
  }
  // A fence that is never closed ends with the text.
  if (lines.some((line) => line.trim() !== '')) yield blockOf(lines);
}

function blockOf(lines: readonly string[]): Block {
  const text = lines.join('\n').trimEnd();
  const level = lines.length === 1 ? /^(#{1,6}) /.exec(text)?.[1]?.length : undefined;
  return { text, tokens: estimateTokens(text), level, isWhole: /^ {0,3}(`{3}|~{3}|\|)/.test(text) };
}

/** The block, or pieces of one that is too long: lines, sentences or words together. */
function partsOf(block: Block, maxTokens: number): readonly Block[] {
  if (block.isWhole || block.tokens <= maxTokens) return [block];
  const parts: Block[] = [];
  let text = '';
  const flush = () => {
    if (text.trim() !== '') parts.push({ text: text.trim(), tokens: estimateTokens(text), isWhole: false });
    text = '';
  };
  let tokens = 0;
  for (const piece of piecesOf(block.text, maxTokens)) {
    const more = estimateTokens(piece);
    if (tokens + more > maxTokens) {
      flush();
      tokens = 0;
    }
    text += piece;
    tokens += more;
  }
  flush();
  return parts;
}

/** Sentences and lines with the white space after them; longer ones in pieces. */
function* piecesOf(text: string, maxTokens: number): Generator<string> {
  const sentence = /[.!?\u3002\uff01\uff1f](?=\s)|\n|[\u3002\uff01\uff1f]/g;
  let at = 0;
  while (at < text.length) {
    sentence.lastIndex = at;
    let stop = (sentence.exec(text)?.index ?? text.length - 1) + 1;
    if (estimateTokens(text.slice(at, stop)) > maxTokens) {
      // A token has at least one character, so that this many characters fit.
      const cut = text.lastIndexOf(' ', at + maxTokens - 1) + 1;
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
