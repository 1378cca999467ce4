/**
 * Messages as the text that SQS carries: the host, a blank and the message's bytes in base64 for the turn
 * queue, the base64 alone for the link exchange.
 */
import { createHash } from 'node:crypto';
import { CorruptBytes } from '../../../core/frontier/bytes.ts';
import type { Link, Message, OutLinks } from '../../../core/frontier/message.ts';
import {
  decodeMessage,
  decodeOutLinks,
  encodeMessage,
  encodeOutLinks,
} from '../../../core/frontier/message-codec.ts';
import type { HostKey } from '../../../core/url/host-key.ts';

/**
 * Far more than a turn or a request sends at once. Links that are much alike are a byte or two each when
 * compressed, so a message that is made to could otherwise hold more of them than a function has memory for.
 */
const MAX_LINKS = 100_000;

/**
 * A text; several, if the message's links do not fit into one. All are ASCII, so their length is their
 * size.
 */
export function messageTexts(host: HostKey, message: Message, maxBytes: number): string[] {
  const encode = (part: Message) => `${host} ${toBase64(encodeMessage(part))}`;
  if (message.kind !== 'links') return [encode(message)];
  return splitToFit(message.links, (links) => encode({ ...message, links }), maxBytes);
}

/** Throws for any text that {@link messageTexts} did not make. */
export function parseMessageText(text: string): { readonly host: HostKey; readonly message: Message } {
  const blank = text.indexOf(' ');
  if (blank <= 0) throw new CorruptBytes('a host and a message expected');
  return { host: text.slice(0, blank), message: decodeMessage(fromBase64(text.slice(blank + 1)), MAX_LINKS) };
}

/** Like {@link messageTexts}, for links to any hosts. */
export function parcelTexts(outLinks: OutLinks, maxBytes: number): string[] {
  return splitToFit(outLinks.links, (links) => toBase64(encodeOutLinks({ ...outLinks, links })), maxBytes);
}

/** Throws for any text that {@link parcelTexts} did not make. */
export const parseParcelText = (text: string): OutLinks => decodeOutLinks(fromBase64(text), MAX_LINKS);

/**
 * `MessageGroupId`: "up to 128 alphanumeric characters and punctuation" (SQS developer guide, message
 * quotas).
 */
const GROUP_ID = /^[!-~]{1,128}$/;
const KEPT_OF_LONG_HOST = 64;

/**
 * The host itself where SQS allows; else its beginning, for people, and a hash, which distinguishes hosts.
 */
export function groupIdOf(host: HostKey): string {
  if (GROUP_ID.test(host)) return host;
  const start = host.replace(/[^!-~]/g, '_').slice(0, KEPT_OF_LONG_HOST);
  return `${start}~${createHash('sha256').update(host).digest('base64url')}`;
}

/**
 * `MessageDeduplicationId`: a hash of the text, which holds host and content, so that only a true repeat is
 * dropped: a turn done again may send other links. `salt` makes a message unlike the same one sent before.
 */
export function deduplicationId(text: string, salt = ''): string {
  return createHash('sha256').update(text).update(` ${salt}`).digest('hex');
}

/** Begins the deduplication id of what was in another queue before. */
const AGAIN = 'again-';

/** The deduplication id of what was in another queue before: never the same one twice. */
export const idOfRepeat = (text: string, salt: string): string => `${AGAIN}${deduplicationId(text, salt)}`;

export const isIdOfRepeat = (id: string | undefined): boolean => id?.startsWith(AGAIN) ?? false;

/**
 * Halves the links until each part's text fits; links of close URLs stay together, since they share their
 * beginnings.
 */
function splitToFit(
  links: readonly Link[],
  encode: (links: readonly Link[]) => string,
  maxBytes: number,
): string[] {
  const text = encode(links);
  if (text.length <= maxBytes) return [text];
  if (links.length <= 1) {
    throw new RangeError(`expected a message of at most ${maxBytes} bytes, got ${text.length} for one link`);
  }
  const sorted = [...links].sort((a, b) => (a.url < b.url ? -1 : a.url > b.url ? 1 : 0));
  const middle = sorted.length >> 1;
  return [sorted.slice(0, middle), sorted.slice(middle)].flatMap((half) =>
    splitToFit(half, encode, maxBytes),
  );
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');

function fromBase64(text: string): Uint8Array {
  if (!BASE64.test(text)) throw new CorruptBytes('base64 expected');
  return Buffer.from(text, 'base64');
}
