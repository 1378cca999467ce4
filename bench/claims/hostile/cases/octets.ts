/** Makes cases of HTTP/1.1 messages, octet by octet. */
import { setTimeout as sleep } from 'node:timers/promises';
import { asked, type Check, kept, leftOut } from '../checks.ts';
import type { HostileCase, Reply } from '../hostile-case.ts';
import { KB, pageWith, raw, replyCase } from '../replies.ts';

export const PAGE = pageWith('<p>text</p>').toString();
export const LENGTH = `Content-Length: ${PAGE.length}`;
export const TYPE = 'Content-Type: text/html';
export const READ = [kept(), asked('/first'), asked('/last')];
export const REFUSED = [leftOut('/', /./)];

/** A case whose `/` is answered by these octets. `isSlow`: it makes the crawl wait or try again. */
export const octets = (
  name: string,
  checks: readonly Check[],
  text: string | (() => Reply),
  isSlow = false,
): HostileCase =>
  replyCase(`http: ${name}`, checks, typeof text === 'string' ? () => raw(text) : text, { isQuick: !isSlow });
/** The same with these lines in a head that is fine otherwise. */
export const lines = (name: string, more: string, checks: readonly Check[] = READ): HostileCase =>
  octets(name, checks, `HTTP/1.1 200 OK\r\n${TYPE}\r\n${more}\r\n${LENGTH}\r\n\r\n${PAGE}`);
/** A head that is fine, with this status line. */
export const status = (line: string, checks: readonly Check[], body = PAGE): HostileCase =>
  octets(
    `status line ${JSON.stringify(line)}`,
    checks,
    `${line}\r\n${TYPE}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
export const chunked = (name: string, checks: readonly Check[], body: string, isSlow = false): HostileCase =>
  octets(
    `chunked: ${name}`,
    checks,
    `HTTP/1.1 200 OK\r\n${TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n${body}`,
    isSlow,
  );
export const CHUNK = `${PAGE.length.toString(16)}\r\n${PAGE}\r\n`;

export function* endless(start: string, piece: string): Generator<Buffer> {
  if (start) yield Buffer.from(start, 'latin1');
  const block = Buffer.from(piece.repeat(Math.ceil((16 * KB) / piece.length)), 'latin1');
  for (;;) yield block;
}

export async function* drip(text: string, start: Buffer = Buffer.alloc(0)): AsyncGenerator<Buffer> {
  if (start.length > 0) yield start;
  for (const letter of text) {
    yield Buffer.from(letter, 'latin1');
    await sleep(1000);
  }
}
