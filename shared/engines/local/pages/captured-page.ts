import type { MediaContent } from '../../../core/media/media-module.ts';
import type { FetchedResponse } from '../../../core/outcome/fetch-outcome.ts';
import { memoryBody } from '../../../core/outcome/memory-body.ts';
import type { DocumentFacts } from '../../../core/parser/document.ts';
import type { HookedPage } from '../../../crawler/turn/page-hooks.ts';

/** A page as a hook is given it, with its whole body. It can be cloned for another thread. */
export interface CapturedPage extends Pick<HookedPage, 'url' | 'depth' | 'via'> {
  readonly response: Omit<FetchedResponse, 'body'>;
  readonly body: Uint8Array;
  readonly sha1: Uint8Array;
  readonly facts: DocumentFacts;
  /** The content of a document that was read as a whole. */
  readonly content?: MediaContent | undefined;
}

/** The response is there only until the hook ends. */
export async function capturePage({
  url,
  depth,
  via,
  response,
  facts,
  content,
}: HookedPage): Promise<CapturedPage> {
  const { body, ...head } = response;
  // A copy: what the body holds is used again.
  const bytes = new Uint8Array(await body.bytes());
  return {
    url,
    depth,
    ...(via !== undefined && { via }),
    response: head,
    body: bytes,
    sha1: new Uint8Array(body.sha1),
    facts,
    ...(content && { content }),
  };
}

/** The page again as hooks take it. */
export function hookedPage({ response, body, sha1, ...page }: CapturedPage): HookedPage {
  return {
    ...page,
    response: {
      ...response,
      body: memoryBody(body, sha1),
    },
  };
}
