/** A person brings the cookies with which a site lets the crawler in again. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { openCrawl } from '../../api/index.ts';
import { textsIn } from '../web/members/count-secrets.ts';
import { temporaryFolder } from './local-crawl.ts';

const PROGRAM = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));
const PATHS = ['/', '/1', '/2'];
const CLEARANCE = 'clearance-8f2e';
const PROJECT = `export default {
  onChallenge: ({ rests, ...seen }) => (seen.refusal === 'challenged' ? 'ask' : 'rest'),
};
`;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function begin() {
  const { folder, remove } = temporaryFolder();
  closing.push(remove);
  const server = createServer((request, response) => {
    const isIn = request.headers.cookie?.includes(`pass=${CLEARANCE}`);
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else if (!isIn) response.writeHead(403, { 'cf-mitigated': 'challenge' }).end('Are you a person?');
    else
      response
        .setHeader('Content-Type', 'text/html')
        .end(PATHS.map((path) => `<a href="${path}">x</a>`).join(''));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  closing.push(() => server.close());
  mkdirSync(folder);
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  return { site, out: join(folder, 'crawl'), file };
}

/** The exit code and what was printed. */
const strand = (...args: string[]) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, ...args], (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });

test('a host that asks for a person is brought back by the cookies of a browser', async () => {
  const { site, out, file } = await begin();
  const config = file('strand.config.ts', PROJECT);
  const shared = ['--config', config, '--json'];
  const first = await strand(
    'crawl',
    site,
    '--out',
    out,
    '--delay',
    '0',
    '--contact',
    'me@example.org',
    '--allow-private-addresses',
    ...shared,
  );
  expect(first.code).toBe(4);
  const summary = JSON.parse(first.out);
  expect(summary.setAside).toMatchObject([{ causeCode: 'challenged', refused: { asks: true, urls: 1 } }]);
  expect((await strand('hosts', out)).out).toContain('waits for your cookies (resume --cookies): ');
  expect((await strand('report', out)).out).toContain('waits for your cookies');

  const line = (domain: string, value: string) => `${domain}\tFALSE\t/\tFALSE\t0\tpass\t${value}\n`;
  const others = file('others.txt', line('example.org', 'other-site'));
  const none = await strand('resume', out, '--cookies', others, ...shared);
  expect(none.code).toBe(2);
  expect(none.err).toContain(`for a host that refuses the crawler: ${new URL(site).host}`);

  const cookies = file('cookies.txt', line('127.0.0.1', CLEARANCE) + line('example.org', 'other-site'));
  const second = await strand('resume', out, '--cookies', cookies, ...shared);
  expect(second).toMatchObject({ code: 0 });
  expect(JSON.parse(second.out)).toMatchObject({ state: 'finished', pages: PATHS.length });
  await using opened = await openCrawl(out);
  expect((await opened.summary()).setAside).toEqual([]);
  expect(textsIn(join(out, 'archive')).join('')).not.toContain(CLEARANCE);
  expect(textsIn(out).join('')).not.toContain('other-site');
});
