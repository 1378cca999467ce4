/** Reads a document by a module of the project, with the limits that hooks have. */

import { messageOf } from '../../core/base/error-message.ts';
import { lazy } from '../../core/base/lazy.ts';
import type { PageMetadata } from '../../core/content/metadata.ts';
import { METADATA_TEXTS } from '../../core/content/metadata-texts.ts';
import { MAX_REFERENCES, MAX_TEXT_CHARS, type MediaContent } from '../../core/media/media-module.ts';
import type { FetchedResponse } from '../../core/outcome/fetch-outcome.ts';
import { charsetOf, createCharsetDecoder } from '../../core/parser/charset-decoder.ts';
import { decodeBody } from '../../core/parser/decode-body.ts';
import { charsetParameter } from '../../core/parser/media-type.ts';
import type { Clock } from '../../crawler/ports/clock.ts';
import type { HookError } from '../../crawler/ports/hook-error-log.ts';
import type { DocumentAnswer, UnreadDocument } from '../../crawler/turn/page/document-reading.ts';
import { inHook } from '../project/hook-context.ts';
import type { MediaDocument, MediaModule, MediaReading } from '../project/media-module.ts';
import { oneLine, runHook, stackOf } from './run-hook.ts';

export interface ProjectModules {
  readonly modules: readonly MediaModule[];
  readonly clock: Pick<Clock, 'sleep'>;
  /** Called with what a module threw. */
  readonly onFailure?: (error: HookError) => void;
}

/** The module for documents of this media type: the first one that names it. */
export const moduleFor = (
  project: Pick<ProjectModules, 'modules'> | undefined,
  mediaType: string,
): MediaModule | undefined => project?.modules.find(({ mediaTypes }) => mediaTypes.includes(mediaType));

/** The parts of a document that a module needs. */
export interface ModuleInput extends Pick<UnreadDocument, 'url' | 'mediaType' | 'around'> {
  readonly crawl: Pick<UnreadDocument['crawl'], 'config'>;
  readonly response: Pick<FetchedResponse, 'headers'> & {
    readonly body: Pick<FetchedResponse['body'], 'bytes'>;
  };
  readonly facts: Pick<UnreadDocument['facts'], 'charset'>;
}

/** Never rejects. */
export async function readByModule(
  module: MediaModule,
  { crawl, url, mediaType, response, facts, around }: ModuleInput,
  { clock, onFailure }: Omit<ProjectModules, 'modules'>,
): Promise<DocumentAnswer> {
  const { hookTimeoutMs, blockTimeoutMs, maxDecodedBytes } = crawl.config;
  try {
    const body = await response.body.bytes();
    const document = documentOf({ url, mediaType, body, response, charset: facts.charset, maxDecodedBytes });
    // Before the watchdog would take the page for one that hangs.
    const limits = { clock, limitMs: hookTimeoutMs, syncLimitMs: blockTimeoutMs * 0.75, around };
    const given = await runHook(() => inHook({ source: 'module', url }, () => module.read(document)), limits);
    return { content: contentOf(given) };
  } catch (error) {
    const message = oneLine(messageOf(error));
    onFailure?.({ source: 'module', url, message, stack: stackOf(error) });
    return { fault: `the project's module: ${message}` };
  }
}

interface Undecoded {
  readonly url: string;
  readonly mediaType: string;
  readonly body: Uint8Array;
  readonly response: Pick<FetchedResponse, 'headers'>;
  readonly charset: string | undefined;
  readonly maxDecodedBytes: number;
}

function documentOf({ url, mediaType, body, response, charset, maxDecodedBytes }: Undecoded): MediaDocument {
  const valuesOf = (name: string) =>
    response.headers.filter(([given]) => given.toLowerCase() === name).map(([, value]) => value);
  const bytes = lazy(() => {
    const decoded = decodeBody(body, valuesOf('content-encoding').join(', '), maxDecodedBytes);
    // The bytes as received are still to be archived.
    return decoded === body ? new Uint8Array(body) : decoded;
  });
  const text = lazy(() => {
    const declared = charsetOf(charsetParameter(valuesOf('content-type').at(-1)));
    const decoder = createCharsetDecoder(charset ?? declared ?? 'utf-8');
    return decoder.decode(bytes()) + decoder.end();
  });
  return {
    url,
    mediaType,
    get bytes() {
      return bytes();
    },
    get text() {
      return text();
    },
  };
}

/** Throws if the value is not content; cuts texts that are too long. */
function contentOf(given: MediaReading): MediaContent {
  const { text, markdown = text, links = [], metadata = {} } = (given ?? {}) as MediaReading;
  if (typeof text !== 'string' || typeof markdown !== 'string')
    throw new TypeError(`Expected { text, markdown, links, metadata }, text a string, got ${typeOf(given)}`);
  if (!Array.isArray(links) || !links.every((link) => typeof link === 'string'))
    throw new TypeError('Expected links to be a list of strings');
  const longest = Math.max(text.length, markdown.length);
  return {
    text: text.slice(0, MAX_TEXT_CHARS),
    markdown: markdown.slice(0, MAX_TEXT_CHARS),
    links: links.slice(0, MAX_REFERENCES),
    metadata: metadataOf(metadata),
    ...(longest > MAX_TEXT_CHARS && { cut: `more than ${MAX_TEXT_CHARS} characters` }),
  };
}

const typeOf = (given: unknown): string =>
  typeof given === 'object' && given !== null
    ? `{ ${Object.keys(given).slice(0, 9).join(', ')} }`
    : String(given);

const MAX_METADATA_CHARS = 10_000;
const MAX_TYPES = 100;

function metadataOf(given: Partial<PageMetadata>): PageMetadata {
  const texts = METADATA_TEXTS.flatMap((name) => {
    const value: unknown = given[name];
    return typeof value === 'string' && value !== '' ? [[name, value.slice(0, MAX_METADATA_CHARS)]] : [];
  });
  const types = Array.isArray(given.types) ? given.types.filter((type) => typeof type === 'string') : [];
  return {
    ...Object.fromEntries(texts),
    ...(typeof given.pages === 'number' && { pages: given.pages }),
    types: types.slice(0, MAX_TYPES),
  };
}
