/**
 * WACZ: WARC files with their index and a list of pages, in one ZIP file that replay tools read by ranges
 * (https://specs.webrecorder.net/wacz/1.1.1/).
 */
import { createHash, hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type Options, ZipFile } from 'yazl';
import { warcName } from '../text/stored-names.ts';
import { type WaczPage, waczPageLines } from './wacz-pages.ts';
import { createZipNum } from './zip-num.ts';

const WACZ_VERSION = '1.1.1';

export interface WaczContents {
  readonly title: string;
  /** ms since the epoch. */
  readonly createdAt: number;
  /** Name and version of the program. */
  readonly software: string;
  readonly warcs: readonly WaczWarc[];
  /** Lines of CDXJ with their ends, sorted by their bytes; `filename` is that of a WARC file here. */
  readonly cdxj: AsyncIterable<string>;
  readonly pages: AsyncIterable<WaczPage>;
  /** The page to be shown first, if it is among `pages`; else the first seed, else the first page is. */
  readonly mainUrl?: string;
}

export interface WaczWarc {
  /** Without folder; ends with `.warc.gz`. */
  readonly name: string;
  /** Just as many as `read` gives. */
  readonly bytes: number;
  /** Read once, when everything before it is written. */
  read(): AsyncIterable<Uint8Array>;
}

/** An entry of `datapackage.json` about a file of the package (Frictionless Data Resource). */
export interface Resource {
  readonly name: string;
  readonly path: string;
  readonly hash: string;
  readonly bytes: number;
}

/**
 * The file's bytes, made while they are read: one file after the other, each read once. Fails as its contents
 * fail. WARC files and the index, compressed as they are, are stored; so a reader gets at any record by its
 * range.
 */
export function writeWacz(contents: WaczContents): Readable {
  const zip = new ZipFile();
  const out = zip.outputStream as Readable;
  zip.on('error', (error) => out.destroy(error as Error));
  // Its reader gets the error; a reader that stops early is not an error.
  out.on('error', () => {});
  let source: Readable | undefined;
  out.once('close', () => source?.destroy());
  const mtime = new Date(contents.createdAt);
  const resources: Resource[] = [];
  let mainPage: WaczPage | undefined;

  /** `make` is called when all files before this one are written. */
  const add = (
    path: string,
    options: Partial<Options & { size: number }>,
    make: () => AsyncIterable<Uint8Array>,
  ) => {
    zip.addReadStreamLazy(path, { mtime, ...options }, (give) => {
      const listed = hashed(make(), (digest, bytes) => {
        const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
        resources.push({ name, path, hash: `sha256:${digest}`, bytes });
      });
      source = Readable.from(listed, { objectMode: false });
      source.on('error', (error) => zip.emit('error', error));
      give(null, source);
    });
  };

  for (const { name, bytes, read } of contents.warcs)
    add(`archive/${warcName(name)}`, { compress: false, size: bytes }, read);
  const index = createZipNum(contents.cdxj, INDEX);
  add(`indexes/${INDEX}`, { compress: false }, index.blocks);
  add('indexes/index.idx', {}, () => utf8([index.summary()]));
  add('pages/pages.jsonl', {}, () => {
    const pages = noting(contents.pages, (page) => {
      if (isBetterMain(page, mainPage, contents.mainUrl)) mainPage = page;
    });
    return utf8(waczPageLines(pages));
  });

  // These two files describe the others, and are not resources themselves.
  let description = '';
  const addLast = (path: string, make: () => string) =>
    zip.addReadStreamLazy(path, { mtime }, (give) => give(null, Readable.from([Buffer.from(make())])));
  addLast('datapackage.json', () => {
    description = descriptionOf(contents, resources, mainPage);
    return description;
  });
  addLast('datapackage-digest.json', () => {
    const digest = { path: 'datapackage.json', hash: `sha256:${hash('sha256', description)}` };
    return `${JSON.stringify(digest, undefined, 2)}\n`;
  });
  zip.end();
  return out;
}

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
export function descriptionOf(
  contents: Pick<WaczContents, 'title' | 'createdAt' | 'software'>,
  resources: readonly Resource[],
  main: WaczPage | undefined,
): string {
  const { title, createdAt, software } = contents;
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

async function* hashed(
  chunks: AsyncIterable<Uint8Array>,
  onEnd: (sha256: string, bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    digest.update(chunk);
    bytes += chunk.length;
    yield chunk;
  }
  onEnd(digest.digest('hex'), bytes);
}

async function* utf8(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text);
}

async function* noting<T>(values: AsyncIterable<T>, note: (value: T) => void): AsyncGenerator<T> {
  for await (const value of values) {
    note(value);
    yield value;
  }
}
