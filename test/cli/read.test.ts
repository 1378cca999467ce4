import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readText } from '../../cli/verbs/read.ts';
import type { DocumentRow } from '../../shared/services/outputs/document-row.ts';

const PROGRAM = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));
const DOCUMENT = {
  url: 'http://a.test/',
  fetchedAt: '2026-01-02T03:04:05.000Z',
  title: 'a\x1b[31m',
  text: '',
  markdown: '    code\x1b]0;title\x07\tof \u009b31m\n\n\u202etext\n\n',
} as DocumentRow;

test('a terminal gets no control characters of a page, a file gets its text as it is', () => {
  const markdown = (isTerminal: boolean) => readText(DOCUMENT, { json: false, isTerminal }).split('---\n')[2];
  expect(markdown(false)).toBe(`\n${DOCUMENT.markdown.trimEnd()}\n`);
  expect(markdown(true)).toBe('\n    code\ufffd]0;title\ufffd\tof \ufffd31m\n\n\ufffdtext\n');
  expect(JSON.parse(readText(DOCUMENT, { json: true, isTerminal: false }))).toEqual(DOCUMENT);
  expect(readText(DOCUMENT, { json: true, isTerminal: true })).not.toMatch(/[\u009b\u202e]/);
});

test('why a page was not read has no control characters of its server', async () => {
  const server = createServer((socket) => {
    const head =
      'HTTP/1.1 302 Found\r\nLocation: mailto:\x9b31m\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
    socket.on('error', () => {}).once('data', () => socket.end(Buffer.from(head, 'latin1')));
  }).listen(0, '127.61.4.1');
  await once(server, 'listening');
  const url = `http://127.61.4.1:${(server.address() as AddressInfo).port}/`;
  const child = spawn(process.execPath, [
    PROGRAM,
    'read',
    url,
    '--allow-private-addresses',
    '--robots',
    'ignore',
  ]);
  let err = '';
  child.stderr.on('data', (text) => {
    err += text;
  });
  const [code] = await once(child, 'close');
  server.close();
  expect(err).toBe(
    `strand: ${url} was not read: redirects to mailto:\ufffd31m, which is not an http(s) URL\n`,
  );
  expect(code).toBe(4);
});
