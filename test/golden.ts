/**
 * The whole of what a piece of the program does, as lines of text, compared with those of a file beside the test. So a
 * change of any call, argument or stored value is noticed, also of one that no other test asks about.
 *
 * After a change that was meant, `STRAND_GOLDEN=write npx vitest run FILE` writes the file again: then its diff shows what
 * the change does. The file has what a person can read, and hashes of the rest: `STRAND_GOLDEN=print npx vitest run FILE`
 * prints all, to be compared with that of another checkout.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { version } from '../shared/core/base/version.ts';

const MARK = '=== ';
/** Longer texts and lines are cut. Their hash says whether they are the same. */
const MAX_CHARS = 600;
const MAX_LINE_CHARS = 280;

export interface Golden {
  /** Fails if the file has other lines under that name. `outline`: the file has these, and one hash of the lines. */
  compare(name: string, lines: readonly string[], outline?: readonly string[]): void;
  /** The names that the file has lines for. */
  names(): readonly string[];
}

/** `file`: the name of the file beside the test module. */
export function openGolden(file: string, testModule: string): Golden {
  const path = fileURLToPath(new URL(file, testModule));
  const sections = read(path);
  const isWriting = process.env.STRAND_GOLDEN === 'write';
  const written = new Map<string, readonly string[]>();
  return {
    compare(name, texts, outline) {
      const lines = texts
        .flatMap((text) => text.split('\n'))
        .map((line) => line.trimEnd().replaceAll(`Strand/${version}`, 'Strand/VERSION'));
      if (process.env.STRAND_GOLDEN === 'print') console.log([MARK + name, ...lines].join('\n'));
      const found = (outline ? [...outline, `all ${hashOf(lines.join('\n'))}`] : lines).map(cutLine);
      if (isWriting) {
        written.set(name, found);
        sections.set(name, found);
        writeFileSync(
          path,
          [...written].map(([one, of]) => `${[MARK + one, ...of].join('\n')}\n`).join('\n'),
        );
      }
      expect(found).toEqual(sections.get(name) ?? []);
    },
    names: () => [...sections.keys()],
  };
}

function read(path: string): Map<string, readonly string[]> {
  const sections = new Map<string, string[]>();
  if (!existsSync(path)) return sections;
  let lines: string[] = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line.startsWith(MARK)) {
      lines = [];
      sections.set(line.slice(MARK.length), lines);
    } else lines.push(line);
  }
  // The empty line before the next section, or the end.
  for (const of of sections.values()) of.pop();
  return sections;
}

/**
 * The line without what follows from how well data were compressed, which is not the same on each machine: sizes, places
 * and hashes.
 */
export const withoutSizes = (line: string): string =>
  line
    .replace(/\b(bytes|length|offset|Size|Range|at)(\\*"? ?[:=] ?\\*"?(?:bytes=)?)\d+(?:-\d+)?/g, '$1$2N')
    .replace(/\b\d+ bytes\b/g, 'N bytes')
    .replace(/\b[0-9a-f]{20,}\b/g, 'HASH');

/** A value as one line, if its texts are: JSON, with bytes as texts, and without functions and signals. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return cut(value);
  return JSON.stringify(plain(value)) ?? 'undefined';
}

/** An attribute of an item of DynamoDB is its value alone. */
function plain(value: unknown): unknown {
  if (typeof value === 'string') return cut(value);
  if (typeof value === 'function') return 'function';
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return bytesText(value);
  if (value instanceof AbortSignal) return 'signal';
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Map) return [...value].map(plain);
  if (value instanceof Set || Array.isArray(value)) return [...value].map(plain);
  const entries = Object.entries(value);
  const [[type, part] = []] = entries;
  if (entries.length === 1 && type === 'N') return Number(part);
  if (entries.length === 1 && /^(S|B|BOOL)$/.test(type ?? '')) return plain(part);
  return Object.fromEntries(entries.map(([key, of]) => [key, plain(of)]));
}

function bytesText(bytes: Uint8Array): string {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (isGzip) return `gzip of ${bytesText(gunzipSync(bytes))}`;
  const text = Buffer.from(bytes).toString('utf8');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they show that it is no text
  return /[\u0000-\u0008\u000e-\u001f\ufffd]/.test(text)
    ? `${bytes.length} bytes ${hashOf(bytes)}`
    : cut(text);
}

const cutLine = (line: string): string =>
  line.length <= MAX_LINE_CHARS
    ? line
    : `${line.slice(0, MAX_LINE_CHARS).toWellFormed()} ... ${hashOf(line)}`;

const cut = (text: string): string =>
  text.length <= MAX_CHARS
    ? text
    : `${text.slice(0, MAX_CHARS)} ... of ${text.length} characters ${hashOf(text)}`;

const hashOf = (data: string | Uint8Array): string =>
  createHash('sha256').update(data).digest('hex').slice(0, 12);
