/**
 * Odd and broken heads of HTTP/1.1 messages. What browsers accept is kept; what could smuggle a response is
 * refused.
 */
import { asked, atMost, kept, leftOut, settled } from '../checks.ts';
import type { HostileCase } from '../hostile-case.ts';
import { KB, listed, MB, repeated, replyCase, response, stream } from '../replies.ts';
import { CHUNK, endless, LENGTH, lines, octets, PAGE, READ, REFUSED, status, TYPE } from './octets.ts';

const HEADS: readonly HostileCase[] = [
  lines('0x7f in a value', 'X-Odd: a\x7fb'),
  lines('every octet from 0x80 in a value', `X-Odd: ${listed(128, (i) => String.fromCharCode(0x80 + i))}`),
  lines('a null byte in a value', 'X-Odd: a\0b', [settled()]),
  lines('control characters in a value', 'X-Odd: a\x01\x02\x1bb', [settled()]),
  lines('a name with a slash', 'a/b: c'),
  lines('a name with a space', 'a b: c', [settled()]),
  lines('a space before the colon', 'X-Odd : c', [settled()]),
  lines('an empty name', ': c', [settled()]),
  lines('a line without a colon', 'nonsense', [settled()]),
  lines('a folded line', 'X-Odd: a\r\n b\r\n\tc'),
  lines('a folded first line', 'X-Odd:\r\n b'),
  octets('line feeds alone', READ, `HTTP/1.1 200 OK\n${TYPE}\n${LENGTH}\n\n${PAGE}`),
  octets('carriage returns alone', [settled()], `HTTP/1.1 200 OK\r${TYPE}\r${LENGTH}\r\r${PAGE}`, true),
  octets(
    'empty lines before the status line',
    [settled()],
    `\r\n\r\nHTTP/1.1 200 OK\r\n${TYPE}\r\n${LENGTH}\r\n\r\n${PAGE}`,
  ),
  lines('a value of 60 KB', `X-Odd: ${repeated('v', 60 * KB)}`),
  lines('a head of 1 MB', `X-Odd: ${repeated('v', MB)}`, REFUSED),
  lines('2,000 short fields', listed(2000, (i) => `X-${i}: v\r\n`).trimEnd(), [settled()]),
  lines('1,000 cookies', listed(1000, (i) => `Set-Cookie: c${i}=${repeated('v', 40)}\r\n`).trimEnd()),
  lines('1,000 Link fields', listed(1000, (i) => `Link: </x${i}>; rel="next"\r\n`).trimEnd()),
  lines('an X-Robots-Tag of 50 KB', `X-Robots-Tag: ${repeated('all, ', 50 * KB)}all`),
  lines('a Content-Type of 50 KB', `Content-Type: text/html; a="${repeated('\\"', 50 * KB)}"`, [kept()]),
  lines('a Refresh field to javascript:', 'Refresh: 0; url=javascript:alert(1)', [kept()]),
  lines('Location with status 200', 'Location: /x', READ),
  octets(
    'fields without an end',
    REFUSED,
    () => stream(endless('HTTP/1.1 200 OK\r\n', 'X-Odd: value\r\n')),
    true,
  ),
  octets(
    'a status line without an end',
    REFUSED,
    () => stream(endless('HTTP/1.1 200 ', 'OK'.repeat(1000))),
    true,
  ),
];

const LENGTHS: readonly HostileCase[] = [
  lines('two equal Content-Lengths', LENGTH),
  lines('Content-Length as a list of equal ones', `Content-Length: ${PAGE.length}, ${PAGE.length}`, [
    settled(),
  ]),
  lines('two different Content-Lengths', 'Content-Length: 5', REFUSED),
  ...['-1', '+5', '0x10', '1e3', '5 5', '99999999999999999999', ''].map((value) =>
    octets(
      `Content-Length ${JSON.stringify(value)}`,
      [settled()],
      `HTTP/1.1 200 OK\r\n${TYPE}\r\nContent-Length: ${value}\r\n\r\n${PAGE}`,
      true,
    ),
  ),
  octets(
    'Content-Length beside chunked',
    [settled()],
    `HTTP/1.1 200 OK\r\n${TYPE}\r\n${LENGTH}\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNK}0\r\n\r\n`,
  ),
  octets(
    'a body shorter than said',
    [settled()],
    `HTTP/1.1 200 OK\r\n${TYPE}\r\nContent-Length: 100000\r\n\r\n${PAGE}`,
    true,
  ),
  octets(
    'a body longer than said',
    [kept(), asked('/first')],
    `HTTP/1.1 200 OK\r\n${TYPE}\r\n${LENGTH}\r\n\r\n${PAGE}${PAGE}`,
  ),
  octets(
    'a second response behind the first',
    [kept(), asked('/first'), atMost(8)],
    `HTTP/1.1 200 OK\r\n${TYPE}\r\n${LENGTH}\r\n\r\n${PAGE}HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison`,
  ),
  octets(
    'no length: the end of the connection is the end',
    READ,
    `HTTP/1.1 200 OK\r\n${TYPE}\r\n\r\n${PAGE}`,
  ),
  octets(
    'a body without an end',
    [kept(), asked('/first')],
    () => stream(endless(`HTTP/1.1 200 OK\r\n${TYPE}\r\n\r\n${PAGE}`, '<p>and on '.repeat(1000))),
    true,
  ),
];

const STATUS: readonly HostileCase[] = [
  status('HTTP/1.1 200', READ),
  status('HTTP/1.0 200 OK', READ),
  status('HTTP/1.1 200 \x80\xff', READ),
  ...['HTTP/1.1 200OK', 'HTTP/1.1 20', 'HTTP/1.1 2000 OK', 'HTTP/1.1 -1 No', 'HTTP/1.1 000 No'].map((line) =>
    status(line, [settled()]),
  ),
  ...['HTTP/2 200 OK', 'HTTP/9.9 200 OK', 'ICY 200 OK', 'http/1.1 200 ok', 'HTTP/1.1  200  OK'].map((line) =>
    status(line, [settled()]),
  ),
  ...[202, 203, 206, 226, 299].map((code) => status(`HTTP/1.1 ${code} Odd`, [kept('/', code)])),
  ...[400, 401, 405, 407, 410, 418, 451, 499, 501].map((code) =>
    status(`HTTP/1.1 ${code} Odd`, [kept('/', code), atMost(4)]),
  ),
  status('HTTP/1.1 402 Odd', [leftOut('/', /^priced/), atMost(4)]),
  ...[600, 799, 999].map((code) => status(`HTTP/1.1 ${code} Odd`, [settled()])),
  octets('204 with a body', [settled()], `HTTP/1.1 204 No Content\r\n${LENGTH}\r\n\r\n${PAGE}`),
  octets('304 that nobody requested', [settled()], `HTTP/1.1 304 Not Modified\r\n\r\n`),
  octets(
    '101 that nobody requested',
    [settled()],
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    true,
  ),
  octets(
    '100 and 103 before the response',
    READ,
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\n${TYPE}\r\n${LENGTH}\r\n\r\n${PAGE}`,
  ),
  octets(
    '10,000 times 102, then the response',
    [settled()],
    `${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(10_000)}HTTP/1.1 200 OK\r\n${LENGTH}\r\n\r\n${PAGE}`,
    true,
  ),
  octets(
    '1xx without an end',
    REFUSED,
    () => stream(endless('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100))),
    true,
  ),
  replyCase('http: 429 with a Retry-After of 10^12', [leftOut('/', /429/), atMost(5)], () =>
    response({ status: '429 Too Many', headers: [['Retry-After', '1000000000000']] }),
  ),
  replyCase('http: 503 with a Retry-After that is no date', [leftOut('/', /503/), atMost(8)], () =>
    response({ status: '503 No', headers: [['Retry-After', 'Yesterday, 99 Foo 99999']] }),
  ),
];

export const HEAD_CASES: readonly HostileCase[] = [...HEADS, ...LENGTHS, ...STATUS];
