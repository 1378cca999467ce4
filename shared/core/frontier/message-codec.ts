/**
 * Messages as bytes: compact, since a popular host's links travel by the thousand. Links are sorted by URL
 * and front-coded; the pages they were found on stand in a table; DEFLATE over all where it pays.
 *
 * Layout: `M`, version, 0 or 1 (compressed), then kind, crawl and content.
 */
import { deflateRawSync } from 'node:zlib';
import { URL_KINDS } from '../url/url-kind.ts';
import { ByteReader, ByteWriter, CorruptBytes, checkVersion, inflateOwn } from './bytes.ts';
import type { Link, Message, OutLinks } from './message.ts';
import { readTexts, textAt, writeTexts } from './text-column.ts';

export const MESSAGE_MAGIC = 0x4d;
export const MESSAGE_VERSION = 1;
const KINDS = ['links', 'token', 'wake', 'robots'] as const;
/** Below this, compression costs more than it saves. */
const MIN_COMPRESSED_BYTES = 200;
/** The largest size of a decompressed message: far more than a queue carries. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Characters of all URLs of a message, front-coding undone. */
const MAX_TEXT_LENGTH = 4 * MAX_MESSAGE_BYTES;

/** Content of `compressFrom` bytes and more is compressed. */
export function encodeMessage(message: Message, compressFrom = MIN_COMPRESSED_BYTES): Uint8Array {
  const out = new ByteWriter();
  out.byte(KINDS.indexOf(message.kind));
  out.text(message.crawl);
  if (message.kind === 'links') writeLinks(out, message.links);
  if (message.kind === 'token') writeToken(out, message);
  if (message.kind === 'wake') out.varint(message.resume ?? 0);
  if (message.kind === 'robots') out.text(message.url);
  return wrap(out.bytes(), compressFrom);
}

/**
 * Throws {@link CorruptBytes} for what {@link encodeMessage} did not make, and for more than `maxLinks`
 * links: where strangers may send, a few bytes must not become more than memory holds.
 */
export function decodeMessage(bytes: Uint8Array, maxLinks = Number.POSITIVE_INFINITY): Message {
  const input = unwrap(bytes);
  const kind = KINDS[input.byte()];
  const crawl = input.text();
  if (kind === 'links') return { kind, crawl, links: readLinks(input, maxLinks) };
  if (kind === 'token') return readToken(input, crawl);
  if (kind === 'wake') {
    const resume = input.varint();
    return { kind, crawl, ...(resume > 0 && { resume }) };
  }
  if (kind === 'robots') return { kind, crawl, url: input.text() };
  throw new CorruptBytes('a message of unknown kind');
}

type Token = Extract<Message, { kind: 'token' }>;

function writeToken(out: ByteWriter, { token, caution }: Token): void {
  out.text(token);
  out.byte(caution ?? 0);
}

function readToken(input: ByteReader, crawl: string): Token {
  const token = input.text();
  const caution = input.byte();
  if (caution > 2) throw new CorruptBytes(`a token with the unknown caution ${caution}`);
  return { kind: 'token', crawl, token, ...(caution > 0 && { caution: caution as 1 | 2 }) };
}

/** As {@link encodeMessage} does it. */
export function encodeOutLinks({ crawl, links }: OutLinks, compressFrom?: number): Uint8Array {
  return encodeMessage({ kind: 'links', crawl, links }, compressFrom);
}

/** Throws as {@link decodeMessage} does. */
export function decodeOutLinks(bytes: Uint8Array, maxLinks?: number): OutLinks {
  const message = decodeMessage(bytes, maxLinks);
  if (message.kind !== 'links') throw new CorruptBytes(`links expected, a ${message.kind} came`);
  return { crawl: message.crawl, links: message.links };
}

const IS_SEED = 1;
const HAS_VIA = 2;
const HAS_KIND = 4;
const HAS_LEVEL = 8;
const HAS_LINKERS = 16;

function writeLinks(out: ByteWriter, links: readonly Link[]): void {
  const sorted = [...links].sort((a, b) => (a.url < b.url ? -1 : a.url > b.url ? 1 : 0));
  const vias = new Map<string, number>();
  out.varint(sorted.length);
  writeTexts(
    out,
    sorted.map((link) => link.url),
  );
  for (const link of sorted) out.byte(flagsOf(link));
  for (const link of sorted) out.varint(link.depth);
  for (const link of sorted) out.varint(link.redirects ?? 0);
  for (const { via } of sorted) {
    if (via === undefined) continue;
    if (!vias.has(via)) vias.set(via, vias.size);
    out.varint(vias.get(via) as number);
  }
  out.varint(vias.size);
  for (const via of vias.keys()) out.text(via);
  for (const { kind, level, linkers } of sorted) {
    if (kind !== undefined) out.byte(URL_KINDS.indexOf(kind));
    if (level !== undefined) out.byte(level);
    if (linkers !== undefined) out.text(linkers);
  }
}

const flagsOf = ({ isSeed, via, kind, level, linkers }: Link): number =>
  (isSeed ? IS_SEED : 0) |
  (via !== undefined ? HAS_VIA : 0) |
  (kind !== undefined ? HAS_KIND : 0) |
  (level !== undefined ? HAS_LEVEL : 0) |
  (linkers !== undefined ? HAS_LINKERS : 0);

function readLinks(input: ByteReader, maxLinks: number): Link[] {
  const count = input.varint();
  if (count > maxLinks) throw new CorruptBytes(`at most ${maxLinks} links expected, got ${count}`);
  const urls = readTexts(input, count, MAX_TEXT_LENGTH);
  const flags = urls.map(() => input.byte());
  const depths = urls.map(() => input.varint());
  const redirects = urls.map(() => input.varint());
  const vias = flags.map((flag) => (flag & HAS_VIA ? input.varint() : -1));
  const pages = input.varint();
  if (pages > count) throw new CorruptBytes(`at most ${count} pages expected, got ${pages}`);
  const table = Array.from({ length: pages }, () => input.text());
  const said = flags.map((flag) => readSaid(input, flag));
  return urls.map((url, i) => ({
    url,
    depth: depths[i] as number,
    via: textAt(table, vias[i] as number),
    redirects: redirects[i] || undefined,
    isSeed: ((flags[i] as number) & IS_SEED) !== 0 || undefined,
    kind: said[i]?.kind,
    level: said[i]?.level,
    linkers: said[i]?.linkers,
  }));
}

/** Reads the optional fields at the end, which few links have. */
function readSaid(input: ByteReader, flags: number): Pick<Link, 'kind' | 'level' | 'linkers'> | undefined {
  if ((flags & (HAS_KIND | HAS_LEVEL | HAS_LINKERS)) === 0) return undefined;
  const code = flags & HAS_KIND ? input.byte() : undefined;
  const kind = code === undefined ? undefined : URL_KINDS[code];
  if (code !== undefined && kind === undefined) throw new CorruptBytes(`a link has the unknown kind ${code}`);
  const level = flags & HAS_LEVEL ? input.byte() : undefined;
  return { kind, level, linkers: flags & HAS_LINKERS ? input.text() : undefined };
}

function wrap(content: Uint8Array, compressFrom: number): Uint8Array {
  const isCompressed = content.length >= compressFrom;
  const payload = isCompressed ? deflateRawSync(content, { level: 3 }) : content;
  const bytes = new Uint8Array(3 + payload.length);
  bytes.set([MESSAGE_MAGIC, MESSAGE_VERSION, isCompressed ? 1 : 0]);
  bytes.set(payload, 3);
  return bytes;
}

function unwrap(bytes: Uint8Array): ByteReader {
  if (bytes[0] !== MESSAGE_MAGIC) throw new CorruptBytes('not a message');
  checkVersion('message', bytes[1] ?? 0, MESSAGE_VERSION);
  const payload = bytes.subarray(3);
  return new ByteReader(bytes[2] === 1 ? inflateOwn(payload, MAX_MESSAGE_BYTES, 'a message') : payload);
}
