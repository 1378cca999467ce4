/**
 * Servers that never come to an end: each exchange ends by a limit, keeps what it may, and frees its
 * connection.
 */
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { asFailure, asResponse, openFetcher, serveRaw, stopTimeouts, watchBody } from './servers.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`;

/** Sends `first`, then `piece` again and again: as fast as it is read, or with a pause of 5 ms. */
function endless(first: string, piece: string, isSlow: boolean) {
  return serveRaw((socket: Socket) => {
    socket.write(first);
    if (isSlow) {
      const timer = setInterval(() => socket.write(piece), 5);
      socket.on('close', () => clearInterval(timer));
      return;
    }
    const write = () => {
      while (!socket.destroyed && socket.write(piece.repeat(1000)));
    };
    socket.on('drain', write);
    write();
  });
}

describe.each([
  ['as fast as it is read', false],
  ['slowly', true],
])('a server that sends %s', (_name, isSlow) => {
  test.each([
    ['a field that never ends', `${OK}X-A: `, 'a'],
    ['fields without end', OK, 'X-A: b\r\n'],
    ['a folded field without end', `${OK}X-A: b\r\n`, ' c\r\n'],
    ['interim responses without end', '', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['empty lines without end', '', '\r\n'],
  ])('%s has no response', async (_what, first, piece) => {
    const server = await endless(first, piece, isSlow);
    const fetcher = openFetcher({ headersTimeoutMs: 300, totalTimeoutMs: 3000 });
    const failure = asFailure(await fetcher.fetch({ url: server.origin }));
    expect(['headersTooLarge', 'noResponse']).toContain(failure.code);
    if (isSlow) expect(failure.code).toBe('noResponse');
  });

  test.each([
    ['a chunk extension', `${CHUNKED}5;`, 'a'],
    ['trailers', `${CHUNKED}0\r\n`, 'X-A: b\r\n'],
    ['a chunk size', `${CHUNKED}`, '0'],
  ])('%s without end has the body up to there, which broke off', async (_what, first, piece) => {
    const server = await endless(first, piece, isSlow);
    const pass = stopTimeouts();
    const { onHead, size } = watchBody();
    const fetcher = openFetcher({ headersTimeoutMs: 1000, idleTimeoutMs: 1000, totalTimeoutMs: 900 });
    const outcome = fetcher.fetch({ url: server.origin, onHead });
    await pass(900, () => size() === 'hello'.length);
    const response = asResponse(await outcome);
    expect(Buffer.from(await response.body.bytes()).toString()).toBe('hello');
    expect(['time', 'disconnect']).toContain(response.truncated);
  });

  test.each([
    ['chunks', CHUNKED, '5\r\nhello\r\n'],
    ['a body', `${OK}\r\n`, 'hello'],
    ['a body of 10 GB', `${OK}Content-Length: 10000000000\r\n\r\n`, 'hello'],
  ])('%s without end has a body that is cut', async (_what, first, piece) => {
    const server = await endless(first, piece, isSlow);
    const fetcher = openFetcher({ maxBodyBytes: 100 });
    const response = asResponse(await fetcher.fetch({ url: server.origin }));
    expect([response.truncated, response.body.size]).toEqual(['length', 100]);
  });
});

test('connections that are held open are bounded, and those that wait have their turn', async () => {
  const server = await serveRaw(() => {});
  const fetcher = openFetcher({ maxSockets: 4, headersTimeoutMs: 200 });
  const urls = Array.from({ length: 12 }, (_, i) => `http://host${i}.test:${server.port}/`);
  const outcomes = await Promise.all(urls.map((url) => fetcher.fetch({ url })));
  expect(outcomes.map((outcome) => asFailure(outcome).code)).toEqual(urls.map(() => 'noResponse'));
});
