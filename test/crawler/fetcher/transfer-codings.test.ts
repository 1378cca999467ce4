import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { storedResponseHead } from '../../../shared/core/archive/http-head.ts';
import type { FetchRequest } from '../../../shared/core/outcome/fetch-request.ts';
import type { FetcherOptions } from '../../../shared/crawler/fetcher/fetcher.ts';
import { asResponse, openFetcher, serveRaw, watchBody } from './servers.ts';

const TEXT = Buffer.from(`<!doctype html><title>Words</title>${'a word '.repeat(500)}`);
const PACKED = gzipSync(TEXT);
/** Neither text nor of a type that its first bytes show. */
const NOISE = Buffer.concat([Buffer.from([0, 1, 2, 3]), randomBytes(500)]);

interface Situation {
  readonly codings?: string;
  readonly options?: Partial<FetcherOptions>;
  readonly request?: Partial<FetchRequest>;
}

async function fetchSent(body: Uint8Array, { codings = 'gzip, chunked', options, request }: Situation = {}) {
  const server = await serveRaw((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: ${codings}\r\n\r\n`);
    for (let at = 0; at < body.length; at += 10_000) {
      const piece = body.subarray(at, at + 10_000);
      socket.write(`${piece.length.toString(16)}\r\n`);
      socket.write(piece);
      socket.write('\r\n');
    }
    socket.end('0\r\n\r\n');
  });
  const response = asResponse(await openFetcher(options).fetch({ url: server.origin, ...request }));
  return { response, body: Buffer.from(await response.body.bytes()) };
}

describe('a body with a transfer coding besides chunks', () => {
  test('comes without it, to the caller and in the archive', async () => {
    const { onHead, size } = watchBody();
    const { response, body } = await fetchSent(PACKED, { request: { onHead } });
    expect(body.equals(TEXT)).toBe(true);
    expect(size()).toBe(TEXT.length);
    expect(response.truncated).toBeUndefined();
    const head = Buffer.from(storedResponseHead(response, { size: response.body.size, isNone: false }));
    expect(head.toString()).toContain('X-Archive-Orig-Transfer-Encoding: gzip, chunked\r\n');
  });

  test('comes without two of them', async () => {
    const { body } = await fetchSent(gzipSync(PACKED), { codings: 'gzip, gzip, chunked' });
    expect(body.equals(TEXT)).toBe(true);
  });

  test('keeps its content coding', async () => {
    const codings = 'gzip, chunked\r\nContent-Encoding: gzip';
    const { body } = await fetchSent(gzipSync(PACKED), { codings });
    expect(body.equals(PACKED)).toBe(true);
  });

  test('may be large', async () => {
    const large = randomBytes(3_000_000);
    const { response, body } = await fetchSent(gzipSync(large));
    expect(response.truncated).toBeUndefined();
    expect(body.equals(large)).toBe(true);
  });

  test.each([
    ['small', 5000],
    ['large', 30_000_000],
  ])('is cut at the limit of its content: %s', async (_, size) => {
    const bomb = gzipSync(Buffer.alloc(size, 'a'));
    const { response, body } = await fetchSent(bomb, { options: { maxBodyBytes: 4000 } });
    expect([response.truncated, body.toString()]).toEqual(['length', 'a'.repeat(4000)]);
    const whole = await fetchSent(gzipSync(Buffer.alloc(4000, 'a')), { options: { maxBodyBytes: 4000 } });
    expect([whole.response.truncated, whole.body.length]).toEqual([undefined, 4000]);
  });

  test('is whole for the archive though the caller reads no further', async () => {
    const onHead = () => () => {
      throw new Error('No more');
    };
    expect((await fetchSent(PACKED, { request: { onHead } })).body.equals(TEXT)).toBe(true);
  });

  test.each<[string, Uint8Array, Situation]>([
    ['is a text all the same', TEXT, {}],
    ['has a coding that is unknown', NOISE, { codings: 'utf-8, chunked' }],
    ['has one of several that is unknown', PACKED, { codings: 'compress, gzip, chunked' }],
    ['has none but chunks', PACKED, { codings: 'identity, chunked' }],
  ])('comes as it was sent if it %s', async (_, sent, situation) => {
    const { response, body } = await fetchSent(sent, situation);
    expect([response.truncated, body.equals(sent)]).toEqual([undefined, true]);
  });

  test.each([
    ['ends too early', PACKED.subarray(0, PACKED.length - 20), 'unexpected end of file'],
    ['is not in it', NOISE, 'declared, but the body is not in it'],
  ])('breaks off if it %s', async (_, sent, why) => {
    const { response } = await fetchSent(sent);
    expect(response.truncated).toBe('disconnect');
    expect(response.bodyFailure).toMatchObject({
      code: 'malformedResponse',
      message: `the body's transfer coding cannot be undone: gzip: ${why}`,
    });
  });
});
