/** Reads the rendered form of an archived page, from the conversion record beside it. */
import type { ResponseHead } from '../outcome/response-head.ts';
import { openWhole } from './read-member.ts';
import type { RecordLocation } from './record-location.ts';
import { memberBeside } from './records-beside.ts';
import type { ReadAt } from './scan-members.ts';

/** Fields of a response about the bytes of its body. */
const OF_BODY: ReadonlySet<string> = new Set([
  'content-type',
  'content-encoding',
  'content-length',
  'transfer-encoding',
]);

/** Header fields of a page as if its site had sent the rendered document. */
export const renderedHeaders = (headers: ResponseHead['headers']): ResponseHead['headers'] => [
  ...headers.filter(([name]) => !OF_BODY.has(name.toLowerCase())),
  ['Content-Type', 'text/html; charset=utf-8'],
];

/**
 * Returns the document as UTF-8; undefined if the page has none, or it has more than `maxBytes`. Throws `NotWarc` if it is
 * damaged. `location`: where the response or revisit is.
 */
export async function readRendered(
  read: ReadAt,
  url: string,
  location: Pick<RecordLocation, 'offset' | 'length'>,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const member = await memberBeside(read, url, location, 'conversion');
  if (member === undefined || member.record.blockLength > maxBytes) return undefined;
  const { block, close } = await openWhole(read, member);
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of block) chunks.push(chunk);
    return Buffer.concat(chunks);
  } finally {
    await close();
  }
}
