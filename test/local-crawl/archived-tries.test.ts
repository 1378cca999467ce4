/** Which tries of a URL are in the archive: docs/local.md, "The archive". */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { foldersOf } from '../../shared/engines/local/folders.ts';
import { crawlWeb, recordsOf, temporaryFolder } from './local-crawl.ts';

const ADDRESS = '127.78.0.144';
/** Statuses of the answers to each path, the last one for all later requests. `cut`: a 200 whose body breaks off. */
const ANSWERS: Readonly<Record<string, readonly (number | 'cut')[]>> = {
  '/robots.txt': [503, 404],
  '/': [200],
  '/busy': [503, 503, 200],
  '/limited': [429, 200],
  '/wrong': [500, 200],
  '/broken': ['cut', 200],
  '/always': [503],
  '/gone': [404],
};
const PAGES = Object.keys(ANSWERS).slice(2);

let server: Server;
let place: ReturnType<typeof temporaryFolder>;
const asked = new Map<string, number>();

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url as string;
    const answers = ANSWERS[path] as readonly (number | 'cut')[];
    const times = asked.get(path) ?? 0;
    asked.set(path, times + 1);
    const status = answers[Math.min(times, answers.length - 1)] as number | 'cut';
    const body = PAGES.map((to) => `<a href="${to}">${path}</a>`).join('');
    response.writeHead(status === 'cut' ? 200 : status, {
      'Content-Type': 'text/html',
      'Content-Length': body.length,
    });
    if (status !== 'cut') return response.end(body);
    return response.write(body.slice(0, 40), () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
  place = temporaryFolder();
});

afterAll(() => {
  place.remove();
  server.close();
});

test('the last try of a URL is archived, those before it are not; of robots.txt all are', async () => {
  const origin = `http://a.test:${(server.address() as AddressInfo).port}`;
  await crawlWeb(place.folder, { address: ADDRESS } as never, { maxAttempts: 3 }, [`${origin}/`]);
  const { archive } = foldersOf(place.folder);
  const records = readdirSync(archive)
    .filter((name) => name.endsWith('.warc.gz'))
    .flatMap((name) =>
      gunzipSync(readFileSync(join(archive, name)))
        .toString('latin1')
        .split('WARC/1.1\r\n'),
    );
  const archived = records
    .filter((record) => record.includes('WARC-Type: response\r\n'))
    .map((record) => {
      const url = /WARC-Target-URI: (.*?)\r\n/.exec(record)?.[1];
      return `${url?.slice(origin.length)} ${/\r\n\r\nHTTP\/1.1 (\d+)/.exec(record)?.[1]}`;
    });
  expect(archived.toSorted()).toEqual([
    '/ 200',
    '/always 503',
    '/broken 200',
    '/busy 200',
    '/gone 404',
    '/limited 200',
    '/robots.txt 404',
    '/robots.txt 503',
    '/wrong 200',
  ]);
  expect(asked.get('/busy')).toBe(3);
  expect((await recordsOf(place.folder)).records.get(`${origin}/busy`)).toMatchObject({
    attempts: 3,
    state: 'fetched',
  });
});
