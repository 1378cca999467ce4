/** Crawls of sites for members by a deployed stack, whose accounts have their secrets in AWS; and agents that work with it. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import { newHome, startAgent } from '../cli/mcp/agent.ts';
import { type MembersSite, secretOf, serveMembers } from '../web/members/site.ts';
import { type Deployed, deploy, ENVIRONMENT, printErrors, ROOT, until } from './deployed.ts';
import { CLIENT_OPTIONS, hasEmulator } from './resources.ts';
import { callSecretsManager } from './secrets-manager.ts';
import { configFor, statusOf } from './stack-crawl.ts';
import { storedTexts } from './stored-texts.ts';

const CRAWL = 'members';
const ADDRESS = '127.77.0.21';
const PAGES = 31;
const PER_SESSION = 20;
const READER = 'strand-tests/members/reader';

describe.skipIf(!hasEmulator())('a deployed stack whose project has accounts', () => {
  let deployed: Deployed;
  let site: MembersSite;
  const ssm = new SSMClient(CLIENT_OPTIONS);

  const putWriter = (Value: string) =>
    ssm.send(
      new PutParameterCommand({
        ...{ Name: '/strand-tests/members/writer', Value },
        ...{ Type: 'SecureString', Overwrite: true },
      }),
    );

  const strand = (...words: string[]) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      const options = { cwd: ROOT, env: ENVIRONMENT };
      const given = ['cli/bin.js', '--stack', deployed.name, ...words];
      execFile(process.execPath, given, options, (error, out, err) =>
        resolve({ code: Number(error?.code ?? 0), out, err }),
      );
    });

  const urlAt = (host: string): string => `http://${host}:${new URL(site.url).port}/`;

  beforeAll(async () => {
    site = await serveMembers({
      ...{ kind: 'csrf', address: ADDRESS, pages: PAGES, pagesPerSession: PER_SESSION, isShared: true },
    });
    await callSecretsManager('CreateSecret', {
      ...{ Name: READER, SecretString: secretOf('reader'), ClientRequestToken: randomUUID() },
    });
    await putWriter('{ "user": "writer", "password": "an old one" }');
    deployed = await deploy({
      ...{ config: 'test/localstack/members.config.ts', hostsPerWorker: '1', maxConcurrency: '2' },
    });
  });
  afterAll(async () => {
    await deployed?.destroy();
    await site?.close();
    await callSecretsManager('DeleteSecret', { SecretId: READER, ForceDeleteWithoutRecovery: true });
    ssm.destroy();
  });
  beforeEach(() => onTestFailed(() => printErrors(deployed)));

  test('two workers crawl hosts that share an account: all pages, one login at a time', async () => {
    const { status } = await deployed.call('POST', '/crawls', {
      crawl: CRAWL,
      seeds: ['a.readers.test', 'b.readers.test', 'a.writers.test'].map(urlAt),
      config: { ...configFor({ address: ADDRESS }), delayMs: 200, adaptive: false },
    });
    expect(status).toBe(201);
    let workers = 0;
    await until(async () => {
      workers = Math.max(workers, (await deployed.stack.engine.workers.members(0)).length);
      return (await statusOf(deployed, CRAWL)).pages === 2 * PAGES;
    }, 'the pages of the readers');
    expect(workers).toBe(2);
    expect(site.logins.reader).toBeGreaterThanOrEqual(3);
    expect(site.logins.reader).toBeLessThanOrEqual(4);
    expect(site.counts).toMatchObject({ loginsAtOnce: 0, signOuts: 0 });
  });

  test('an account that the site refuses rests, is shown, and is unlocked with its new secret', async () => {
    await until(async () => site.counts.refused > 0, 'a refused login');
    const { code, out } = await strand('accounts', CRAWL, '--json');
    expect(code).toBe(0);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { name: 'reader', domain: 'readers.test', state: 'signedIn' },
      { name: 'writer', domain: 'writers.test', failures: 1 },
    ]);
    for (const verb of ['status', 'report'])
      expect((await strand(verb, CRAWL)).out).toMatch(
        / {2}Accounts {4}reader \(readers\.test\): signed in, \d+ requests, \d logins\n +writer \(writers\.test\): rests until /,
      );
    await putWriter(secretOf('writer'));
    expect(await strand('accounts', CRAWL, '--unlock', 'writer')).toMatchObject({ code: 0 });
    expect(await strand('resume', CRAWL)).toMatchObject({ code: 0 });
    await until(
      async () => (await statusOf(deployed, CRAWL)).pages === 3 * PAGES,
      'the pages of the writers',
    );
    expect(site.logins.writer).toBe(2);
    expect(await deployed.deadLetters()).toEqual([]);
  });

  test('no secret is stored', async () => {
    const texts = await storedTexts(deployed, CRAWL);
    expect(texts.join('\n')).toContain('Signed in as writer');
    expect(texts.join('\n')).toMatch(/description: .*Set-Cookie are replaced by \[removed\]/);
    expect([...site.secrets].filter((secret) => texts.some((text) => text.includes(secret)))).toEqual([]);
  });

  test('an agent reads and searches the pages, and can begin nothing', async () => {
    const { home, remove } = newHome();
    const agent = await startAgent({
      args: ['--stack', deployed.name, '--contact', 'me@example.org'],
      ...{ home, cwd: ROOT },
    });
    try {
      const { tools } = await agent.client.listTools();
      const names = tools.map(({ name }) => name);
      expect(names).toContain('read_page');
      expect(names).not.toContain('start_crawl');
      expect(await agent.call('list_crawls')).toMatchObject({ crawls: [{ crawl: CRAWL }] });
      const url = `${urlAt('a.writers.test')}page/7`;
      expect(await agent.call('read_page', { url })).toMatchObject({ url, crawl: CRAWL, untrusted: true });
      expect(await agent.call('search_crawl', { words: 'signed writer', limit: 3 })).toMatchObject({
        hits: [{}, {}, {}],
      });
      expect(await agent.call('crawl_status', { crawl: CRAWL })).toMatchObject({ pages: 3 * PAGES });
    } finally {
      await agent.close();
      remove();
    }
  });

  test('an agent begins a crawl where the operator allows it, and stops that one alone', async () => {
    const { home, remove } = newHome();
    const host = new URL(site.url).host;
    const agent = await startAgent({
      args: [
        ...['--stack', deployed.name, '--contact', 'me@example.org', '--allow-crawls', '1'],
        ...['--allow-hosts', host, '--allow-private-addresses=127.0.0.0/8'],
      ],
      ...{ home, cwd: ROOT },
    });
    try {
      const { crawl } = await agent.call('start_crawl', { url: site.url, max_pages: 3 });
      const { state } = await agent.call('crawl_status', { crawl });
      expect(['running', 'finished']).toContain(state);
      await until(async () => (await statusOf(deployed, String(crawl))).urls > 0, 'a URL of the crawl');
      expect(await agent.call('stop_crawl', { crawl })).toMatchObject({ crawl });
      expect(await agent.refusal('stop_crawl', { crawl: CRAWL })).not.toBe('');
      expect(await agent.refusal('start_crawl', { url: site.url, max_pages: 1 })).toMatch(/^dayUsedUp: /);
    } finally {
      await agent.close();
      remove();
    }
  });
});
