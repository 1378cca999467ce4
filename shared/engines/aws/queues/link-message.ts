/**
 * The messages on the link queue: links between hosts, seeds as people write them, and the waking of a
 * crawl's hosts.
 */
import { z } from 'zod';
import { CRAWL_ID, type CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { OutLinks } from '../../../core/frontier/message.ts';
import { describeIssues, type Path } from '../../../core/text/describe-issues.ts';
import { quoted } from '../../../core/text/printable.ts';
import { parseParcelText } from './message-text.ts';

export type LinkMessage =
  | { readonly kind: 'parcel'; readonly outLinks: OutLinks }
  /** `config` is as it came: creating the crawl parses it. */
  | {
      readonly kind: 'seeds';
      readonly crawl?: CrawlId;
      readonly urls: readonly string[];
      readonly config?: Readonly<Record<string, unknown>>;
    }
  /**
   * Wakes every host of the crawl, a page of hosts at a time, from `cursor` on. `resume`: the number of the resume.
   */
  | {
      readonly kind: 'wakeAll';
      readonly crawl: CrawlId;
      readonly cursor?: string;
      readonly resume: number;
    };

/** The text is not a known message. The error's message says why, for the sender. */
export class InvalidLinkMessage extends Error {
  override name = 'InvalidLinkMessage';
}

/** URLs in one message. */
export const MAX_MESSAGE_URLS = 10_000;

const text = z.string().min(1);
const crawlName = z.string().regex(CRAWL_ID, '1 to 64 letters, digits, ., _ and -');
const seedsSchema = z.strictObject({
  crawl: crawlName.optional(),
  url: text.optional(),
  urls: z.array(text).max(MAX_MESSAGE_URLS).optional(),
  config: z.record(z.string(), z.unknown()).optional(),
});
const wakeAllSchema = z.strictObject({
  wakeAll: crawlName,
  cursor: text.optional(),
  resume: z.int().positive(),
});

/**
 * Reads a message of the link queue. People send seeds as `{"url": "https://..."}`, `{"urls": [...]}`,
 * `{"crawl": "news", "urls": [...], "config": {...}}`, or as plain text: URLs between blanks or line ends,
 * and comments from a `#` that begins a word to the line's end. Throws {@link InvalidLinkMessage}.
 */
export function parseLinkText(body: string): LinkMessage {
  const trimmed = body.trim();
  if (trimmed.startsWith('{')) return parseObject(trimmed);
  // A parcel is base64, which has neither colon nor dot; a URL has one of them.
  if (/^[A-Za-z0-9+/]+=*$/.test(trimmed)) return parseParcel(trimmed);
  if (/^["[]/.test(trimmed))
    throw new InvalidLinkMessage('Expected JSON of an object such as {"urls": ["https://..."]}');
  return { kind: 'seeds', urls: parseUrls(trimmed) };
}

/** The message that wakes the crawl's hosts for that resume, from the page at `cursor` on. */
export const wakeAllText = (crawl: CrawlId, resume: number, cursor?: string): string =>
  JSON.stringify({ wakeAll: crawl, cursor, resume });

function parseParcel(base64: string): LinkMessage {
  try {
    return { kind: 'parcel', outLinks: parseParcelText(base64) };
  } catch (cause) {
    throw new InvalidLinkMessage(
      `Expected URLs, a JSON object, or a parcel of links, got ${quoted(base64)}: ${(cause as Error).message}`,
      { cause },
    );
  }
}

function parseObject(json: string): LinkMessage {
  const value = parseJson(json);
  if (Object.hasOwn(value, 'wakeAll')) {
    const parsed = check(wakeAllSchema, value, 'cursor', 'resume', 'wakeAll');
    const { wakeAll: crawl, cursor, resume } = parsed;
    return {
      kind: 'wakeAll',
      crawl,
      ...(cursor !== undefined && { cursor }),
      resume,
    };
  }
  const { crawl, url, urls = [], config } = check(seedsSchema, value, 'crawl', 'url', 'urls', 'config');
  const all = url === undefined ? urls : [url, ...urls];
  if (all.length === 0) throw new InvalidLinkMessage('Expected `url` or `urls` to hold a URL, got none');
  return {
    kind: 'seeds',
    urls: all,
    ...(crawl !== undefined && { crawl }),
    ...(config !== undefined && { config }),
  };
}

function parseJson(json: string): object {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new InvalidLinkMessage(`Expected JSON, got ${quoted(json)}: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function check<T>(schema: z.ZodType<T>, value: unknown, ...keys: string[]): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const words = { name, object: () => ({ name: 'the message', keys }) };
  const [issue] = describeIssues(parsed.error, value, words);
  throw new InvalidLinkMessage(issue?.message, { cause: parsed.error });
}

const name = ([key, ...rest]: Path): string =>
  `\`${String(key)}${rest.map((part) => `[${String(part)}]`).join('')}\``;

function parseUrls(lines: string): string[] {
  const urls = lines
    .split(/[\r\n]+/)
    .flatMap((line) => line.replace(/(?:^|\s)#[\s\S]*/, '').split(/\s+/))
    .filter((word) => word !== '');
  if (urls.length === 0) throw new InvalidLinkMessage('Expected URLs, got an empty text');
  if (urls.length > MAX_MESSAGE_URLS)
    throw new InvalidLinkMessage(
      `Expected at most ${MAX_MESSAGE_URLS} URLs in one message, got ${urls.length}`,
    );
  // A text for people, sent here by mistake, must not be read as a list of hosts named `Hello` and `world`.
  const word = urls.find((url) => !/[.:]/.test(url));
  if (word !== undefined)
    throw new InvalidLinkMessage(`Expected URLs such as https://example.org/, got ${quoted(word)}`);
  return urls;
}
