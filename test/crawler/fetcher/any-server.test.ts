import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openFetcher, serveRaw } from './servers.ts';

const fragment = fc.oneof(
  fc.constantFrom(
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.0 200\r\n',
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    'HTTP/1.1 103 Hints\r\n\r\n',
    'HTTP/1.1 099 Low\r\n',
    'HTTP/1.1 999 High\r\n',
    'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n',
    'HTTP/2.0 200 OK\r\n',
    'Content-Length: 3\r\n',
    'Content-Length: 1000000000000000000000\r\n',
    'Content-Length: -1\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: gzip, chunked\r\n',
    'Connection: close\r\n',
    'Connection: keep-alive\r\nKeep-Alive: timeout=1\r\n',
    'Keep-Alive: timeout=99999999999\r\n',
    ' folded\r\n',
    ': no name\r\n',
    '\r\n',
    '\n',
    '3\r\nabc\r\n',
    'fffffffffffffffff\r\n',
    '0\r\n\r\n',
    '0\r\nTrailer: x\r\n\r\n',
    'abc',
    '\0',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const script = fc.array(fc.oneof({ weight: 4, arbitrary: fragment }, fc.constantFrom('(reset)', '(pause)')), {
  maxLength: 12,
});

test('whatever a server sends, every fetch comes to an outcome, and the next server is served', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(script, { minLength: 1, maxLength: 3 }), async (scripts) => {
      const server = await serveRaw(async (socket, requestNumber) => {
        for (const piece of scripts[(requestNumber - 1) % scripts.length]!) {
          if (piece === '(reset)') socket.resetAndDestroy();
          else if (piece === '(pause)') await new Promise(setImmediate);
          else if (socket.writable) socket.write(piece, 'latin1');
        }
        // Not all servers close; but a body or head that never ends would only wait for a time-out here.
        if (socket.writable && requestNumber > 1) socket.end();
        else setImmediate(() => socket.end());
      });
      const fetcher = openFetcher();
      for (let i = 0; i < 3; i++) {
        const outcome = await fetcher.fetch({ url: server.origin });
        if (outcome.status === 'response')
          expect((await outcome.body.bytes()).length).toBe(outcome.body.size);
        else expect(outcome.message).not.toContain('\n');
      }
    }),
    { numRuns: 300 },
  );
});
