/** The links of a JSON Feed (https://www.jsonfeed.org/version/1.1/). */
import { messageOf } from '../base/error-message.ts';
import { createCharsetDecoder } from './charset-decoder.ts';
import {
  createLinkSet,
  type DroppedLinks,
  type HtmlLink,
  type LinkKind,
  type ResolveReference,
  resolveReference,
  withoutFragment,
} from './link-set.ts';
import { parseW3cDatetime } from './w3c-datetime.ts';

export const JSON_FEED_TYPE = 'application/feed+json';

export interface JsonFeedOptions {
  /** Absolute URL of the document. */
  readonly url: string;
  readonly maxLinks: number;
  readonly resolve?: ResolveReference | undefined;
  /** Attachments are among the links. */
  readonly wantsRequisites?: boolean | undefined;
}

export interface JsonFeedLinks extends DroppedLinks {
  readonly type: 'feed';
  readonly links: HtmlLink[];
  readonly charset: 'utf-8';
  readonly fault?: string | undefined;
}

/** It is parsed as a whole. Feeds have some 100 items. */
const MAX_CHARS = 8 * 1024 * 1024;
const VERSION =
  /"version"[\t\n\r ]{0,9}:[\t\n\r ]{0,9}"https?:\\?\/\\?\/(?:www\.)?jsonfeed\.org\\?\/version\\?\//;

/** Whether a document that was declared as JSON says at its beginning that it is a feed. */
export const isJsonFeed = (start: Uint8Array): boolean =>
  VERSION.test(Buffer.from(start.buffer, start.byteOffset, start.length).toString('latin1'));

/** Items are read in the feed's order; items that break the format have no links. */
export function createJsonFeedLinks({
  url,
  maxLinks,
  resolve = resolveReference,
  wantsRequisites = false,
}: JsonFeedOptions) {
  const decoder = createCharsetDecoder('utf-8');
  const pieces: string[] = [];
  let length = 0;
  const take = (text: string) => {
    length += text.length;
    if (length <= MAX_CHARS) pieces.push(text);
  };
  return {
    write(bytes: Uint8Array): void {
      take(decoder.decode(bytes));
    },
    end(): JsonFeedLinks {
      take(decoder.end());
      const links = createLinkSet(maxLinks);
      const add = (reference: unknown, kind: LinkKind): string | undefined => {
        if (typeof reference !== 'string') return undefined;
        const target = resolve(withoutFragment(reference.trim()), url);
        if (target !== undefined) links.add(target, kind, false);
        return target;
      };
      let fault = length > MAX_CHARS ? `longer than ${MAX_CHARS} characters` : undefined;
      if (fault === undefined)
        try {
          addLinks(JSON.parse(pieces.join('')), { add, hint: links.hint, wantsRequisites });
        } catch (error) {
          fault = `no JSON: ${messageOf(error).slice(0, 100)}`;
        }
      if (links.droppedLinks() > 0) fault ??= `more than ${maxLinks} links`;
      const { urlOf: _, ...found } = links.resolved('', (target) => target);
      return { type: 'feed', ...found, charset: 'utf-8', fault };
    },
  };
}

interface Sink {
  readonly add: (reference: unknown, kind: LinkKind) => string | undefined;
  readonly hint: ReturnType<typeof createLinkSet>['hint'];
  readonly wantsRequisites: boolean;
}

function addLinks(feed: unknown, { add, hint, wantsRequisites }: Sink): void {
  const { items, next_url } = objectOf(feed);
  for (const item of listOf(items)) {
    const { id, url, external_url, attachments, ...dates } = objectOf(item);
    // An id is a URL at best, as a `guid` of RSS.
    const permanent = url ?? (/^https?:\/\//i.test(String(id)) ? id : undefined);
    const targets = [add(permanent, 'item'), add(external_url, 'item')];
    const modifiedAt = newestOf([dates.date_modified, dates.date_published]);
    if (modifiedAt !== undefined)
      for (const target of targets) if (target !== undefined) hint(target, { modifiedAt });
    if (wantsRequisites) for (const file of listOf(attachments)) add(objectOf(file).url, 'media');
  }
  add(next_url, 'link');
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function newestOf(dates: readonly unknown[]): number | undefined {
  const times = dates.flatMap((date) => (typeof date === 'string' ? (parseW3cDatetime(date) ?? []) : []));
  return times.length > 0 ? Math.max(...times) : undefined;
}
