/**
 * WACZ: WARC files with their index and a list of pages, in one ZIP file that replay tools read by ranges
 * (https://specs.webrecorder.net/wacz/1.1.1/).
 */
import { createHash, hash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import { warcName } from '../text/stored-names.ts';
import type { WaczPage } from './wacz-pages.ts';
import { type ZipEntry, zipDescriptor, zipDirectory, zipHeader } from './zip-parts.ts';

const WACZ_VERSION = '1.1.1';

export interface WaczWarc {
  /** Without folder; ends with `.warc.gz`. */
  readonly name: string;
  /** Just as many as `read` gives. */
  readonly bytes: number;
  read(): AsyncIterable<Uint8Array>;
}

/** A file of the package. WARC files and the index are stored, so that a reader gets at any record by its range. */
export interface WaczFile {
  readonly path: string;
  readonly isDeflated?: boolean;
  read(): AsyncIterable<Uint8Array>;
}

/** Throws for a name that no WARC file of ours has: it would lead out of the folder where the package is unpacked. */
export const waczArchive = ({ name, read }: WaczWarc): WaczFile => ({
  path: `archive/${warcName(name)}`,
  read,
});

/** An entry of `datapackage.json` about a file of the package (Frictionless Data Resource). */
interface Resource {
  readonly name: string;
  readonly path: string;
  readonly hash: string;
  readonly bytes: number;
}

/** How far a package is written, as JSON. */
export interface WaczState {
  /** ms since the epoch. */
  readonly createdAt: number;
  /** Bytes so far. */
  readonly offset: number;
  readonly entries: readonly ZipEntry[];
  readonly resources: readonly Resource[];
}

export const newWacz = (createdAt: number): WaczState => ({
  createdAt,
  offset: 0,
  entries: [],
  resources: [],
});

export interface WaczDescription {
  readonly title: string;
  /** Name and version of the program. */
  readonly software: string;
  /** The page to be shown first. */
  readonly main?: WaczPage | undefined;
}

const deflate = promisify(deflateRaw);
/** Ends at a byte, and without the last block: more may follow (RFC 1951, 3.2.4). */
const PIECE = { finishFlush: constants.Z_SYNC_FLUSH };

/** Yields the bytes of the next file, and returns the state after it. Reads the file once. */
export async function* waczFile(
  { createdAt, offset, entries, resources }: WaczState,
  { path, isDeflated = false, read }: WaczFile,
): AsyncGenerator<Uint8Array, WaczState> {
  let written = 0;
  const counted = (piece: Uint8Array) => {
    written += piece.length;
    return piece;
  };
  const head = zipHeader(path, createdAt, isDeflated);
  yield head;
  const digest = createHash('sha256');
  let [bytes, sum] = [0, 0];
  for await (const chunk of read()) {
    digest.update(chunk);
    sum = crc32(chunk, sum);
    bytes += chunk.length;
    yield counted(isDeflated ? await deflate(chunk, PIECE) : chunk);
  }
  if (isDeflated) yield counted(await deflate(new Uint8Array()));
  const deflatedBytes = isDeflated ? written : undefined;
  const descriptor = zipDescriptor({ bytes, deflatedBytes, crc32: sum });
  yield descriptor;
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return {
    createdAt,
    offset: offset + head.length + written + descriptor.length,
    entries: [...entries, { path, offset, bytes, deflatedBytes, crc32: sum }],
    resources: [...resources, { name, path, hash: `sha256:${digest.digest('hex')}`, bytes }],
  };
}

/** Yields the end of the package: two files that describe the others, and the directory. */
export async function* waczEnd(state: WaczState, description: WaczDescription): AsyncGenerator<Uint8Array> {
  const text = descriptionOf(description, state);
  const digest = { path: 'datapackage.json', hash: `sha256:${hash('sha256', text)}` };
  const described = yield* waczFile(state, textFile('datapackage.json', text));
  const digested = `${JSON.stringify(digest, undefined, 2)}\n`;
  const { entries, offset, createdAt } = yield* waczFile(
    described,
    textFile('datapackage-digest.json', digested),
  );
  yield zipDirectory(entries, offset, createdAt);
}

const textFile = (path: string, text: string): WaczFile => ({
  path,
  isDeflated: true,
  async *read() {
    yield Buffer.from(text);
  },
});

/** Precedes the lines with the blocks' offsets in the file of that name; readers know the format by it. */
export const INDEX = 'index.cdx.gz';

/** Whether the page is rather to be shown first than the best one so far. */
export function isBetterMain(
  page: WaczPage,
  best: WaczPage | undefined,
  mainUrl: string | undefined,
): boolean {
  if (best === undefined) return true;
  if (best.url === mainUrl) return false;
  return page.url === mainUrl || (page.isSeed && !best.isSeed);
}

/** The text of `datapackage.json`. */
function descriptionOf(
  { title, software, main }: WaczDescription,
  { createdAt, resources }: Pick<WaczState, 'createdAt' | 'resources'>,
): string {
  const description = {
    profile: 'data-package',
    title,
    wacz_version: WACZ_VERSION,
    software,
    created: new Date(createdAt).toISOString().replace(/\.\d+Z$/, 'Z'),
    mainPageUrl: main?.url,
    mainPageDate: main?.date,
    resources,
  };
  return `${JSON.stringify(description, undefined, 2)}\n`;
}
