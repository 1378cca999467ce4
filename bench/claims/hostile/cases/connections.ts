/** Chunked bodies, and connections that do not speak HTTP, break off or stay silent. */
import { kept, settled } from '../checks.ts';
import type { HostileCase } from '../hostile-case.ts';
import { head, KB, listed, MB, raw, repeated, replyCase, response, stream } from '../replies.ts';
import { CHUNK, chunked, drip, endless, LENGTH, octets, PAGE, READ, REFUSED, TYPE } from './octets.ts';

const CHUNKS: readonly HostileCase[] = [
  chunked('in single octets', READ, `${[...PAGE].map((letter) => `1\r\n${letter}\r\n`).join('')}0\r\n\r\n`),
  chunked('extensions', READ, `${PAGE.length.toString(16)};name=value;q="a;b"\r\n${PAGE}\r\n0;last\r\n\r\n`),
  chunked(
    'an extension of 1 MB',
    [settled()],
    `${PAGE.length.toString(16)};${repeated('x', MB)}\r\n${PAGE}\r\n0\r\n\r\n`,
    true,
  ),
  chunked(
    'extensions of 100 KB for each of 200 octets',
    [settled()],
    `${listed(200, (i) => `1;${repeated('x', 100 * KB)}\r\n${PAGE[i]}\r\n`)}0\r\n\r\n`,
    true,
  ),
  chunked('a size beyond 64 bits', [settled()], `ffffffffffffffffff\r\n${PAGE}`, true),
  chunked('a size that is negative', [settled()], `-5\r\n${PAGE}`, true),
  chunked('a size that is no number', [settled()], `zz\r\n${PAGE}`, true),
  chunked('no line end behind a chunk', [settled()], `${PAGE.length.toString(16)}\r\n${PAGE}0\r\n\r\n`, true),
  chunked('no last chunk', [settled()], CHUNK, true),
  chunked('trailers', READ, `${CHUNK}0\r\nX-Trailer: a\r\nContent-Length: 5\r\n\r\n`),
  chunked('trailers of 1 MB', [settled()], `${CHUNK}0\r\nX-Trailer: ${repeated('x', MB)}\r\n\r\n`, true),
  chunked('line feeds alone', [settled()], `${PAGE.length.toString(16)}\n${PAGE}\n0\n\n`, true),
  octets(
    'chunked twice',
    [settled()],
    `HTTP/1.1 200 OK\r\n${TYPE}\r\nTransfer-Encoding: chunked, chunked\r\n\r\n${CHUNK}0\r\n\r\n`,
    true,
  ),
  octets(
    'an unknown transfer coding',
    [settled()],
    `HTTP/1.1 200 OK\r\n${TYPE}\r\nTransfer-Encoding: cow\r\n\r\n${PAGE}`,
    true,
  ),
  octets(
    'chunks without an end',
    [kept()],
    () =>
      stream(
        endless(
          `HTTP/1.1 200 OK\r\n${TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n`,
          '5\r\n<p>a \r\n'.repeat(1000),
        ),
      ),
    true,
  ),
];

const CONNECTIONS: readonly HostileCase[] = [
  octets('HTTP/0.9: a body alone', REFUSED, PAGE, true),
  octets('an SSH banner', REFUSED, 'SSH-2.0-OpenSSH_9.9\r\n', true),
  octets('a TLS alert', REFUSED, '\x15\x03\x01\x00\x02\x02\x46', true),
  octets('16 MB of noise', REFUSED, () => raw(Buffer.alloc(16 * MB, '\x00\xff\x13\x37', 'latin1')), true),
  octets('an end without a word', REFUSED, '', true),
  octets('a reset without a word', REFUSED, () => raw('', 'reset'), true),
  octets('a reset within the head', REFUSED, () => raw('HTTP/1.1 200 O', 'reset'), true),
  octets(
    'a reset within the body',
    [settled()],
    () => raw(`HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n${PAGE}`, 'reset'),
    true,
  ),
  octets('silence', REFUSED, () => raw('', 'hang'), true),
  octets('silence within the head', REFUSED, () => raw('HTTP/1.1 200 OK\r\n', 'hang'), true),
  octets(
    'silence within the body',
    [settled()],
    () => raw(`HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n${PAGE}`, 'hang'),
    true,
  ),
  octets(
    'a head in single octets, one a second',
    [settled()],
    () => stream(drip(`HTTP/1.1 200 OK\r\n${LENGTH}\r\n\r\n${PAGE}`)),
    true,
  ),
  octets(
    'a body in single octets, one a second',
    [settled()],
    () => stream(drip(PAGE, head('HTTP/1.1 200 OK', [['Content-Type', 'text/html']]))),
    true,
  ),
  replyCase('http: no Content-Type', READ, () => raw(`HTTP/1.1 200 OK\r\n${LENGTH}\r\n\r\n${PAGE}`), {
    isQuick: true,
  }),
  replyCase(
    'http: HTML that says it is an image',
    [kept()],
    () => response({ type: 'image/png', body: PAGE }),
    { isQuick: true },
  ),
  replyCase(
    'http: an image that says it is HTML',
    [kept()],
    () => response({ body: Buffer.from('89504e470d0a1a0a0000000d49484452ff', 'hex') }),
    { isQuick: true },
  ),
];

export const CONNECTION_CASES: readonly HostileCase[] = [...CHUNKS, ...CONNECTIONS];
