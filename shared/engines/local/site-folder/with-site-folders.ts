/**
 * Hosts whose pages come from a folder instead of the network (`fromFolder`): a site before it is published, a copy of a site,
 * a test. The URLs stay those of the host, so links from the root and links with the host's name lead into the folder, and a
 * page of the web can never lead to a file.
 */
import { createHash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { access, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf } from '../../../core/base/error-message.ts';
import type { CrawlOptions } from '../../../core/crawl/crawl-options.ts';
import { InvalidConfig } from '../../../core/crawl/invalid-config.ts';
import type { FetchOutcome } from '../../../core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../../core/outcome/fetch-request.ts';
import { type HostKey, hostKey, pathOf } from '../../../core/url/host-key.ts';
import { described } from '../../../crawler/fetcher/failure.ts';
import type { Fetcher } from '../../../crawler/ports/fetcher.ts';
import { type GivenResponse, responseOf } from '../../../services/project/response-of.ts';
import { type FoundFile, findFile } from './find-file.ts';
import { mediaTypeOf } from './media-types.ts';

export interface SiteFoldersOptions {
  readonly now: () => number;
  /** Larger files are cut, and marked so. */
  readonly maxBodyBytes: number;
}

/**
 * The fetcher, with the pages of some hosts from folders. Throws {@link InvalidConfig} for a missing folder. Answers
 * like a server of static files: 404 with the folder's `404.html`, 301 for a folder without its slash, 304 for a file
 * that has not changed, 403 for a file that may not be read, 405 for other methods than GET and HEAD.
 */
export function withSiteFolders(
  fetcher: Fetcher,
  given: readonly (readonly [host: string, folder: string])[],
  options: SiteFoldersOptions,
): Fetcher {
  if (given.length === 0) return fetcher;
  const roots = new Map<HostKey, string>(given.map(([host, folder]) => [host, rootOf(folder)]));
  const { addressesOf } = fetcher;
  return {
    ...fetcher,
    async fetch(request) {
      const root = roots.get(hostKey(request.url));
      return root === undefined ? fetcher.fetch(request) : answer(request, root, options);
    },
    ...(addressesOf && { addressesOf: async (host) => (roots.has(host) ? [] : addressesOf(host)) }),
  };
}

/**
 * The options with folders that are named from the root: a crawl may be resumed from another folder. Throws
 * {@link InvalidConfig} for one that is not there.
 */
export function withAbsoluteFolders<T extends CrawlOptions>(options: T): T {
  const { fromFolder } = options;
  if (fromFolder === undefined) return options;
  for (const [, folder] of fromFolder) rootOf(folder);
  return { ...options, fromFolder: fromFolder.map(([host, folder]) => [host, resolve(folder)]) };
}

function rootOf(folder: string): string {
  try {
    if (statSync(folder).isDirectory()) return realpathSync(folder);
  } catch (cause) {
    throw new InvalidConfig(`The folder of fromFolder cannot be read: ${messageOf(cause)}`, { cause });
  }
  throw new InvalidConfig(`Expected fromFolder to name a folder, got the file ${folder}`);
}

async function answer(
  request: FetchRequest,
  root: string,
  { now, maxBodyBytes }: SiteFoldersOptions,
): Promise<FetchOutcome> {
  const startedAt = now();
  const limit = Math.min(request.maxBodyBytes ?? maxBodyBytes, maxBodyBytes);
  try {
    const response = await respond(request, root, limit);
    return responseOf(
      { ...request, maxBodyBytes: limit },
      { ...response, startedAt, endedAt: now(), ipAddress: '' },
    );
  } catch (error) {
    const { url } = request;
    const why = described('connectionFailed', `the folder cannot be read: ${messageOf(error)}`);
    return { status: 'failed', url, startedAt, endedAt: now(), ...why };
  }
}

async function respond(request: FetchRequest, root: string, limit: number): Promise<GivenResponse> {
  const { method = 'GET', url } = request;
  if (method !== 'GET' && method !== 'HEAD')
    return { httpStatus: 405, statusText: 'Method Not Allowed', headers: { Allow: 'GET, HEAD' } };
  const path = pathOf(url).replace(/\?.*$/s, '');
  const found = await findFile(root, path);
  if (found.kind === 'file') return ofFile(request, found, limit);
  if (found.kind === 'listing') return body(request, 'text/html; charset=utf-8', listingPage(path, found));
  if (found.kind === 'folder')
    return { httpStatus: 301, statusText: 'Moved Permanently', headers: { Location: `${path}/` } };
  if (found.kind === 'forbidden') return { httpStatus: 403, statusText: 'Forbidden' };
  // A folder that is gone, such as a disk that is no longer mounted, says nothing about its pages.
  await access(root);
  const own = await findFile(root, '/404.html');
  if (own.kind !== 'file') return { httpStatus: 404, statusText: 'Not Found' };
  const { handle, path: file } = own;
  return { ...body(request, mediaTypeOf(file), await read(handle, limit)), ...NOT_FOUND };
}

const NOT_FOUND = { httpStatus: 404, statusText: 'Not Found' };

async function ofFile(
  request: FetchRequest,
  { handle, path }: FoundFile & { kind: 'file' },
  limit: number,
): Promise<GivenResponse> {
  const { mtimeMs, size } = await handle.stat();
  // A byte more than is kept shows that the file is longer.
  const bytes = await read(handle, limit + 1);
  // By the content: programs that build a site the same way each time give all files one time.
  const digest = createHash('sha1').update(bytes).update(String(size)).digest('base64url');
  const validators = { ETag: `"${digest}"`, 'Last-Modified': new Date(mtimeMs).toUTCString() };
  if (isUnchanged(request, validators))
    return { httpStatus: 304, statusText: 'Not Modified', headers: validators };
  return body(request, mediaTypeOf(path), bytes, {
    ...validators,
    // The file may have grown since.
    ...lengthOf(bytes.length > limit ? size : bytes.length),
  });
}

/** By the tag if the request has one (RFC 9110, section 13.2.2), otherwise by the time. */
function isUnchanged({ headers = {} }: FetchRequest, validators: Record<string, string>): boolean {
  const given = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const tag = given.get('if-none-match');
  if (tag !== undefined) return tag === validators.ETag;
  const since = given.get('if-modified-since');
  return since !== undefined && since === validators['Last-Modified'];
}

const lengthOf = (size: number) => ({ 'Content-Length': String(size) });

function body(
  { method }: FetchRequest,
  type: string | undefined,
  bytes: Uint8Array,
  headers: Record<string, string> = lengthOf(bytes.length),
): GivenResponse {
  return {
    httpStatus: 200,
    statusText: 'OK',
    headers: { ...(type !== undefined && { 'Content-Type': type }), ...headers },
    body: method === 'HEAD' ? new Uint8Array(0) : bytes,
  };
}

/** At most `maxBytes` from the file's start. Closes the file. */
async function read(handle: FileHandle, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    while (size < maxBytes) {
      const { buffer, bytesRead } = await handle.read({
        buffer: Buffer.allocUnsafe(Math.min(maxBytes - size, 1 << 18)),
      });
      if (bytesRead === 0) break;
      chunks.push(buffer.subarray(0, bytesRead));
      size += bytesRead;
    }
  } finally {
    await handle.close();
  }
  return Buffer.concat(chunks);
}

/** A page that links to what the folder holds. */
function listingPage(path: string, { names }: FoundFile & { kind: 'listing' }): Uint8Array {
  const title = `Index of ${escaped(path)}`;
  const items = names.map((name) => {
    const href = name.split('/').map(encodeURIComponent).join('/');
    return `<li><a href="./${href}">${escaped(name)}</a></li>`;
  });
  return Buffer.from(
    `<!DOCTYPE html>\n<title>${title}</title>\n<h1>${title}</h1>\n<ul>\n${items.join('\n')}\n</ul>\n`,
  );
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
