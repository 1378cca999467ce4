/** Reads a document with the module for its media type, inside of the thread for documents. */

import { messageOf } from '../../core/base/error-message.ts';
import {
  MAX_TEXT_CHARS,
  type MediaContent,
  type MediaModule,
  UnreadableDocument,
} from '../../core/media/media-module.ts';
import { OFFICE_MODULES } from '../../core/media/office.ts';
import { createPdfModule } from '../../core/media/pdf.ts';
import { decodeBody } from '../../core/parser/decode-body.ts';

/** A document as received. */
export interface ReadJob {
  /** Absolute URL of the document. */
  readonly url: string;
  readonly mediaType: string;
  readonly body: Uint8Array;
  readonly contentEncoding?: string | undefined;
  /** A larger body, when decoded, is not read. */
  readonly maxBytes: number;
}

/**
 * `fault`: why the document was not read, for people. `isLimit`: with more time or memory it might be. `wasBusy`: it was not
 * read, or not to its end, since the machine was busy: with other documents, so that it waited, or with other work while it was
 * read. Later more of it may be read.
 */
export type ReadAnswer = (
  | { readonly content: MediaContent }
  | { readonly fault: string; readonly isLimit?: true }
) & { readonly wasBusy?: 'waiting' | 'reading' };

export interface ReadLimits {
  readonly pages: number;
  readonly hasTime: () => boolean;
}

/** Never rejects. */
export async function readWhole(job: ReadJob, limits: ReadLimits): Promise<ReadAnswer> {
  const { url, mediaType, body, contentEncoding, maxBytes } = job;
  const module = modules(limits).find(({ mediaTypes }) => mediaTypes.includes(mediaType));
  if (module === undefined) return { fault: `there is no module for ${mediaType}` };
  try {
    const bytes = decodeBody(body, contentEncoding, maxBytes);
    const content = await module.read({ url, bytes });
    return { content: bounded(content) };
  } catch (error) {
    if (error instanceof UnreadableDocument) return { fault: error.message };
    return { fault: `it is damaged: ${messageOf(error).slice(0, 300)}` };
  }
}

const modules = (limits: ReadLimits): readonly MediaModule[] => [createPdfModule(limits), ...OFFICE_MODULES];

function bounded(content: MediaContent): MediaContent {
  if (content.markdown.length < MAX_TEXT_CHARS && content.text.length < MAX_TEXT_CHARS) return content;
  return { ...content, cut: content.cut ?? `more than ${MAX_TEXT_CHARS} characters` };
}
