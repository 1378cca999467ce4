/** Routes behind `#` of an archive that is served: a browser sends no fragment. */
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createResponder } from '../../../../api/local/serve/respond.ts';
import type { CaptureIndex } from '../../../../shared/engines/local/archive/capture-index.ts';

const A = 'http://a.test/';
const HTML = '<a href="#/a">a</a><a href="#/a?id=part">part</a><a href="#/b">b</a><a href="#top">top</a>';
const known = new Set([A, `${A}#/a`]);

const respond = createResponder({
  crawl: 'c',
  index: {
    find: (url: string) =>
      known.has(url)
        ? { url, timestamp: '20260102030405', mime: 'text/html', file: url, offset: 0, length: 1 }
        : undefined,
    countOf: (url: string) => (known.has(url) ? 1 : 0),
    ofUrl: (url: string) => [{ url, timestamp: '20260102030405', file: url, offset: 0, length: 1 }],
  } as unknown as CaptureIndex,
  payloadOf: async ({ file }) => ({
    status: 200,
    headers: [['content-type', 'text/html']],
    body: Buffer.from(`<p>plain ${file}</p>`),
  }),
  renderedOf: async ({ url }) => Buffer.from(`<p>${url} rendered</p>${HTML}`),
  nameOf: (url) => url,
});

const show = async (url: string) => {
  const request = { method: 'GET', url, headers: { host: 'localhost:80' }, socket: { localPort: 80 } };
  const { status, headers, body } = await respond(request as unknown as IncomingMessage);
  return { status, headers, text: Buffer.from(body).toString() };
};

test('are shown as they were rendered, and linked where the archive has them', async () => {
  const { status, text } = await show(`/2026/${A}%23/a`);
  expect(status).toBe(200);
  expect(text).toContain(`${A}#/a rendered`);
  const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
  expect(links).toEqual([`/2026/${A}%23/a`, `/2026/${A}%23/a`, '#/b', '#top']);
  expect((await show(`/2026/${A}`)).text).toContain(`${A} rendered`);
  expect((await show(`/2026/${A}%23/b`)).status).toBe(404);
});

test('have addresses that a browser keeps', async () => {
  const { status, headers } = await show(`/timegate/${A}%23/a`);
  expect([status, headers.location]).toEqual([302, `/20260102030405/${A}%23/a`]);
  const { text } = await show(`/timemap/link/${A}%23/a`);
  expect(text).toContain(`/20260102030405/${A}%23/a>`);
});
