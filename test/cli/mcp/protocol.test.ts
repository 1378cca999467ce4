/** The server as clients of both eras of the protocol see it, by standard input and output and by HTTP. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCrawl } from '../../../api/index.ts';
import { QUICK } from '../../local-crawl/local-crawl.ts';
import { type SmallSite, startSite } from '../../local-crawl/small-site.ts';
import { type Agent, ERAS, httpAgent, newHome, PROGRAM, startAgent } from './agent.ts';

const TEXT = 'The harbour has a quay, and ships come to it in the morning. ';
const LINES = Array.from({ length: 16_000 }, (_, n) => `<p>Line ${n}: ${TEXT}</p>`);
const pages: Record<string, string> = {
  '/': `<title>Harbour</title><main><h1>Harbour</h1><p>${TEXT.repeat(4)}</p><a href="/long">long</a> <a href="/two">two</a></main>`,
  '/long': `<title>Long</title><main>${LINES.join('')}</main>`,
  '/two': `<html lang="en-GB"><title>Two</title><main><h1>Two</h1><p>A lighthouse shows the way. ${TEXT.repeat(3)}</p></main>`,
  '/new': `<title>New</title><main><h1>New</h1><p>Not crawled. ${TEXT.repeat(4)}</p></main>`,
};

let site: SmallSite;
const { home, remove } = newHome();
const REQUESTS = ['--allow-private-addresses', '--delay', '0', '--contact', 'me@example.org'];

beforeAll(async () => {
  site = await startSite(pages, { address: '127.78.0.91' });
  const crawl = await startCrawl({ ...QUICK, seeds: [`${site.url}/`], out: join(home, 'crawls', 'harbour') });
  await crawl.done;
});
afterAll(async () => {
  await site.stop();
  remove();
});

/** Reads a page to its end. */
async function wholeText(agent: Agent, name: string, url: string, maxChars: number) {
  const pieces: string[] = [];
  let start: number | undefined = 0;
  do {
    const answer: Record<string, unknown> = await agent.call(name, { url, start, max_chars: maxChars });
    const [, id, text] =
      /^<untrusted-([0-9a-f]{16})>([\s\S]*)<\/untrusted-\1>$/.exec(String(answer.text)) ?? [];
    expect(id).toBeDefined();
    expect(answer.untrusted).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(64 * 1024);
    pieces.push(text!);
    start = answer.next as number | undefined;
  } while (start !== undefined);
  return { text: pieces.join(''), calls: pieces.length };
}

describe.each(ERAS)('a client of %s', (era) => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await startAgent({ args: ['crawls', ...REQUESTS], home, era });
  });
  afterAll(() => agent.close());

  test('has nine tools that only read, with schemas, in at most 8 KB', async () => {
    const list = await agent.client.listTools();
    expect(list.tools.map(({ name }) => name)).toEqual([
      ...['read_page', 'map_site', 'list_crawls', 'search_crawl', 'get_page', 'changes', 'diff_page'],
      ...['crawl_status', 'explain_url'],
    ]);
    for (const { name, annotations, inputSchema, outputSchema, description = '' } of list.tools) {
      expect(name).toMatch(/^[a-z_]{1,40}$/);
      expect(annotations?.readOnlyHint).toBe(true);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: 'object' });
      expect(description.split(/[.!?](?: |$)/).filter(Boolean).length).toBeLessThanOrEqual(2);
    }
    expect(Buffer.byteLength(JSON.stringify(list))).toBeLessThanOrEqual(8 * 1024);
    expect(agent.client.getServerVersion()?.name).toBe('strand');
    expect(agent.client.getInstructions()).toMatch(/data, never instructions/);
  });

  test('finds a page, and reads it from the crawl', async () => {
    const found = await agent.call('search_crawl', { words: 'lighthouse' });
    expect(found.hits).toMatchObject([{ url: `${site.url}/two` }]);
    const before = site.log.length;
    const page = await agent.call('read_page', { url: `${site.url}/two` });
    expect(page).toMatchObject({ crawl: 'harbour', status: 200, language: 'en' });
    expect(page.text).toContain('A lighthouse shows the way.');
    expect(site.log.length).toBe(before);
  });

  test('reads a page that no crawl has from its site, and one again that is to be fresh', async () => {
    const before = site.log.length;
    const asked = () => site.log.slice(before).filter((path) => !path.startsWith('/.well-known'));
    const page = await agent.call('read_page', { url: `${site.url}/new#part` });
    expect(page).toMatchObject({ url: `${site.url}/new` });
    expect(page.crawl).toBeUndefined();
    expect(page.text).toContain('Not crawled.');
    expect(asked()).toEqual(['/new']);
    await agent.call('read_page', { url: `${site.url}/new`, fresh: true });
    await agent.call('read_page', { url: `${site.url}/two`, fresh: true });
    expect(asked()).toEqual(['/new', '/new', '/two']);
    expect(agent.log()).toContain(`GET ${site.url}/two`);
  });

  test('pages to the end of a page of 1 MB', async () => {
    const { text, calls } = await wholeText(agent, 'get_page', `${site.url}/long`, 50_000);
    expect(text.length).toBeGreaterThan(1_000_000);
    expect(text.match(/Line \d+:/g)).toEqual(LINES.map((_, n) => `Line ${n}:`));
    expect(calls).toBeLessThanOrEqual(Math.ceil(text.length / 50_000) + 1);
    expect(await agent.refusal('get_page', { url: `${site.url}/long`, start: text.length })).toMatch(
      /^noMoreText: /,
    );
  });

  test('attaches a page of a crawl as a resource', async () => {
    const { contents } = await agent.client.readResource({ uri: `strand://harbour/page/${site.url}/two` });
    expect(contents).toMatchObject([
      { mimeType: 'text/markdown', text: expect.stringContaining('A lighthouse shows') },
    ]);
    expect((contents[0] as { text: string }).text).toMatch(/^<untrusted-[0-9a-f]{16}>/);
    const unknown = agent.client.readResource({ uri: `strand://etc/page/${site.url}/two` });
    await expect(unknown).rejects.toThrow(/unknownCrawl/);
  });

  test('lists, maps, explains and compares', async () => {
    expect(await agent.call('list_crawls')).toEqual({
      crawls: [{ crawl: 'harbour', state: 'finished', pages: 3 }],
    });
    expect(await agent.call('crawl_status')).toMatchObject({
      crawl: 'harbour',
      pages: 3,
      waiting: 0,
      pace: [],
    });
    expect(await agent.call('explain_url', { url: `${site.url}/other` })).toMatchObject({
      wouldBeFetched: true,
      robots: 'allowed',
    });
    expect(await agent.call('changes', { since: '2026-01-01', limit: 2 })).toMatchObject({
      total: 3,
      cursor: 2,
    });
    expect(await agent.call('changes', { since: '2026-01-01', limit: 2, cursor: 2 })).toMatchObject({
      total: 3,
    });
    expect(await agent.refusal('diff_page', { url: `${site.url}/` })).toMatch(
      /^noDifference: .*get_page shows/,
    );
    const map = await agent.call('map_site', { url: site.url, limit: 1 });
    expect(map).toMatchObject({ urls: [{ source: 'links' }], cursor: 1 });
    const before = site.log.length;
    await agent.call('map_site', { url: site.url, cursor: 1 });
    expect(site.log.length).toBe(before);
  });

  test.each<readonly [string, string, Record<string, unknown>, RegExp]>([
    [
      'a crawl that is a path',
      'get_page',
      { crawl: '../../etc', url: 'https://a.test/' },
      /^unknownCrawl: .* There are: harbour\.$/,
    ],
    ['a crawl that is its path', 'crawl_status', { crawl: './harbour' }, /^unknownCrawl/],
    ['a crawl of a key of objects', 'crawl_status', { crawl: '__proto__' }, /^unknownCrawl/],
    ['a file', 'read_page', { url: 'file:///etc/passwd' }, /^invalidUrl: Expected an http or https URL/],
    ['a broken URL', 'read_page', { url: 'http://[::1' }, /^invalidUrl/],
    [
      'a URL with a password',
      'read_page',
      { url: 'https://u:p@a.test/' },
      /^invalidUrl: .*without user and password/,
    ],
    [
      'another host',
      'read_page',
      { url: 'https://elsewhere.test/?data=1' },
      /^hostNotAllowed: elsewhere\.test .*--allow-hosts elsewhere\.test/,
    ],
    ['an unknown page', 'get_page', { url: 'https://elsewhere.test/' }, /^unknownUrl/],
    ['words without a word', 'search_crawl', { words: '-' }, /^noWords/],
    ['an unknown key', 'list_crawls', { path: '/' }, /Unrecognized key: "path"/],
    ['too many characters', 'read_page', { url: 'https://a.test/', max_chars: 60_000 }, /max_chars/],
    ['no time', 'changes', { since: 'yesterday' }, /a time such as/],
    [
      'times in the wrong order',
      'diff_page',
      { url: 'https://a.test/', from: '2026-02-01', to: '2026-01-01' },
      /^invalidTimes/,
    ],
    [
      'a tool that the operator has not allowed',
      'start_crawl',
      { url: 'https://a.test/', max_pages: 1 },
      /not found/,
    ],
  ])('is refused %s, with the reason', async (_, name, input, message) => {
    const refused = await agent.refusal(name, input).catch(({ message: text }: Error) => text);
    expect(refused).toMatch(message);
  });

  test('has all of 100 calls answered that it makes at once', async () => {
    const calls = Array.from({ length: 100 }, (_, n) =>
      n % 2
        ? agent.call('search_crawl', { words: 'lighthouse' })
        : agent.call('get_page', { url: `${site.url}/two` }),
    );
    const answers = await Promise.all(calls);
    expect(answers.filter(({ untrusted }) => untrusted)).toHaveLength(100);
    expect(new Set(answers.map((answer) => /untrusted-(\w+)/.exec(JSON.stringify(answer))?.[1])).size).toBe(
      100,
    );
  });
});

test('what a project prints is on standard error, and its allowances do not hold', async () => {
  writeFileSync(
    join(home, 'loud.config.ts'),
    `console.log('loud'); process.stdout.write('and loud');
     export default { crawl: { contact: 'https://sim.test/', allowPrivateAddresses: ['127.0.0.0/8'], robots: 'ignore' } };`,
  );
  const agent = await startAgent({ args: ['crawls', '--config', 'loud.config.ts'], home });
  expect(await agent.refusal('read_page', { url: `${site.url}/new` })).toMatch(
    /^addressRefused: .*127\.78\.0\.91/,
  );
  expect(agent.log()).toContain('loud');
  await agent.close();
});

test('a server without a contact reads crawls, and asks no site', async () => {
  const agent = await startAgent({ args: ['crawls', '--allow-hosts', 'example.org'], home });
  expect(await agent.call('read_page', { url: `${site.url}/two` })).toMatchObject({ crawl: 'harbour' });
  for (const name of ['read_page', 'map_site'])
    expect(await agent.refusal(name, { url: 'https://example.org/' })).toMatch(/^noContact: .*--contact/);
  await agent.close();
});

test('a server ends when its client closes its end', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'mcp', 'crawls'], {
    cwd: home,
    env: { ...process.env, HOME: home },
  });
  child.stdin.end();
  expect((await once(child, 'close'))[0]).toBe(0);
});

test('a message that is too long ends the server, which says why', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'mcp', 'crawls'], {
    cwd: home,
    env: { ...process.env, HOME: home },
  });
  // The rest of the message finds nobody who reads it.
  child.stdin.on('error', () => {});
  child.stdin.write(Buffer.alloc(3_000_000, 'x'));
  let err = '';
  for await (const text of child.stderr) err += text;
  expect(err).toContain('A message of the client has more than 1048576 bytes');
  expect(err).not.toContain('Warning');
  expect(child.exitCode ?? (await once(child, 'close'))[0]).toBe(2);
});

describe('by HTTP', () => {
  let child: ChildProcess;
  let url: string;
  let token: string;
  const file = join(home, '.config', 'strand', 'mcp-token');

  beforeAll(async () => {
    const env = { ...process.env, HOME: home };
    child = spawn(process.execPath, [PROGRAM, 'mcp', 'crawls', '--http', '0', ...REQUESTS], {
      cwd: home,
      env,
    });
    let err = '';
    url = await new Promise((resolve) =>
      child.stderr!.on('data', (text) => {
        err += text;
        const [, found] = /serving at (\S+?),/.exec(err) ?? [];
        if (found) resolve(found);
      }),
    );
    token = readFileSync(file, 'utf8');
  });
  afterAll(async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
  });

  test('the token is in a file that only its user reads', () => {
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(token.length).toBeGreaterThan(40);
  });

  test.each(ERAS)('a client of %s calls the tools', async (era) => {
    const agent = await httpAgent(url, token, era);
    expect((await agent.client.listTools()).tools).toHaveLength(9);
    expect(await agent.call('search_crawl', { words: 'lighthouse' })).toMatchObject({ untrusted: true });
    expect(await agent.refusal('get_page', { crawl: '../../etc', url })).toMatch(/^unknownCrawl/);
    await agent.close();
  });

  /** The status of a request with these headers, and its answer. */
  const posted = (headers: Record<string, string>, body: string | Buffer, path = '/mcp') =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const asked = request(new URL(path, url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
      });
      asked.on('response', async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode ?? 0, text });
      });
      asked.on('error', reject);
      asked.end(body);
    });
  const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const bearer = () => ({ authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' });

  const REFUSED: readonly (readonly [string, number, () => Record<string, string>, string?])[] = [
    ['no token', 401, () => ({})],
    ['another token', 401, () => ({ authorization: `Bearer ${'x'.repeat(43)}` })],
    ['a part of the token', 401, () => ({ authorization: `Bearer ${token.slice(0, -1)}` })],
    ['a foreign Host', 403, () => ({ ...bearer(), host: 'evil.example' })],
    ['a Host that begins like this machine', 403, () => ({ ...bearer(), host: 'localhost.evil.example' })],
    ['a foreign Origin', 403, () => ({ ...bearer(), origin: 'https://evil.example' })],
    ['an opaque Origin', 403, () => ({ ...bearer(), origin: 'null' })],
    ['another path', 404, bearer, '/'],
  ];
  const refusals = REFUSED.map(([name, status, headers, path]) => ({ name, status, headers, path }));
  test.each(refusals)('$name is refused', async ({ status, headers, path }) => {
    const { status: answered, text } = await posted(headers(), LIST, path);
    expect(answered).toBe(status);
    expect(text).not.toContain('read_page');
  });

  test('a body of 100 MB is refused before it is read', async () => {
    const sent = posted(bearer(), Buffer.alloc(100 * 1024 * 1024, ' '));
    // Whether the answer comes before the connection is closed, is up to the system.
    const outcome = await sent.then(
      ({ status }) => status,
      ({ code }: NodeJS.ErrnoException) => code,
    );
    expect([413, 'EPIPE', 'ECONNRESET']).toContain(outcome);
    const { status } = await posted(
      { ...bearer(), 'transfer-encoding': 'chunked' },
      Buffer.alloc(70_000, ' '),
    ).catch(() => ({ status: 413 }));
    expect(status).toBe(413);
    expect((await posted(bearer(), LIST)).status).toBe(200);
  });
});
