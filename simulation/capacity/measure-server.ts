/**
 * The server against which the unit figures are measured, in a process of its own, whose CPU does not count:
 * a page over HTTPS, with and without kept connections; and an endpoint that answers calls of AWS with a
 * result that the SDK takes for success.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { randomOf } from '../models/random.ts';

const LINKS = 60;
const OWN_LINKS = 40;
/** About 30 KB as sent, which the design reckons with. */
const WORDS = 13_000;

const html = page();
const body = gzipSync(html);
const certificates = join(import.meta.dirname, '../../test/crawler/fetcher/certificates');
const keys = {
  cert: readFileSync(join(certificates, 'site.test.cert.pem')),
  key: readFileSync(join(certificates, 'site.test.key.pem')),
};

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
const servePage = (isClosing: boolean) => (_request: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-encoding': 'gzip',
    'content-length': body.length,
    connection: isClosing ? 'close' : 'keep-alive',
  });
  response.end(body);
};

/** The SDK checks it: of the 1,000 letters that are sent. */
const MD5_OF_MESSAGE = hash('md5', 'x'.repeat(1000));
const answers: Readonly<Record<string, object>> = {
  GetItem: { Item: { pk: { S: 'crawl host.example' }, head: { S: 'x'.repeat(1000) } } },
  PutItem: {},
  SendMessageBatch: {
    Successful: [{ Id: '0', MessageId: '0', MD5OfMessageBody: MD5_OF_MESSAGE }],
    Failed: [],
  },
};
function serveAws(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  request.on('end', () => {
    const target =
      String(request.headers['x-amz-target'] ?? '')
        .split('.')
        .at(-1) ?? '';
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', etag: '"0"' });
    response.end(target in answers ? JSON.stringify(answers[target]) : '');
  });
}

const [http, https, closing] = await Promise.all([
  listen(createHttpServer(serveAws)),
  listen(createHttpsServer(keys, servePage(false))),
  listen(createHttpsServer(keys, servePage(true))),
]);
process.send?.({ http, https, closing, bodyBytes: body.length, htmlBytes: html.length, links: LINKS });
process.on('disconnect', () => process.exit(0));

/** Paragraphs of words, links among them: 40 to the same host. */
function page(): string {
  const random = randomOf('measured page');
  const word = () => Math.floor(random() ** 3 * 60_000).toString(36);
  const parts = ['<!doctype html><html><head><title>A page</title></head><body>'];
  for (let i = 0; i < WORDS; i++) {
    if (i % 60 === 0) parts.push('</p><p class="text body-copy">');
    const link = Math.floor((i * LINKS) / WORDS);
    const isLink = link !== Math.floor(((i - 1) * LINKS) / WORDS);
    const href =
      link < OWN_LINKS ? `/section/${word()}/${word()}.html` : `https://${word()}.example/${word()}`;
    parts.push(isLink ? `<a class="link" href="${href}">${word()}</a> ` : `${word()} `);
  }
  return `${parts.join('')}</body></html>`;
}
