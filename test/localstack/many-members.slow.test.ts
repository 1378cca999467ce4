/** Crawls by a deployed stack of many pages behind logins, of which a worker dies in the middle; and of a site that asks for a person. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import { type MembersSite, secretOf, serveMembers } from '../web/members/site.ts';
import { type Deployed, deploy, ENVIRONMENT, printErrors, ROOT, until } from './deployed.ts';
import { functionLogs } from './emulator/announced.ts';
import { CLIENT_OPTIONS, hasEmulator } from './resources.ts';
import { callSecretsManager } from './secrets-manager.ts';
import { configFor, statusOf } from './stack-crawl.ts';
import { objectTexts, queuedTexts, storedTexts } from './stored-texts.ts';

const CRAWL = 'many-members';
const ADDRESS = '127.77.0.31';
/** Pages at each of the two hosts. */
const PAGES = 500;
const PER_SESSION = 50;
const MAX_LOGINS = 22;
/** Its host waits then for more than a minute, until its lease is over. */
const DIES_AFTER = 200;
const READERS = ['reader-0', 'reader-1', 'reader-2'];
const WRITERS = ['writer-0', 'writer-1'];
const LOCKED = 'reader-1';
/** A worker that gets a response with it dies. */
const EXIT_HEADER = 'x-strand-test-exit';
const FAULTY_APP = 'node test/localstack/faulty/app.ts';

const GUARDED = 'www.guarded.test';
const GUARDED_ADDRESS = '127.77.0.32';
const CLEARANCE = 'clearance-8f2e';
const PATHS = ['/', '/1', '/2'];

const nameOf = (user: string): string => `strand-tests/many-members/${user}`;

describe.skipIf(!hasEmulator())('a deployed stack with five accounts at two sites', () => {
  let deployed: Deployed;
  let site: MembersSite;
  let deaths = 0;
  const ssm = new SSMClient(CLIENT_OPTIONS);

  beforeAll(async () => {
    site = await serveMembers({
      ...{ kind: 'csrf', address: ADDRESS, pages: PAGES, pagesPerSession: PER_SESSION },
      lockedUsers: [LOCKED],
    });
    site.server.prependListener('request', (_, response) => {
      if (deaths > 0 || site.counts.pages < DIES_AFTER) return;
      deaths++;
      response.setHeader(EXIT_HEADER, '1');
    });
    for (const user of READERS)
      await callSecretsManager('CreateSecret', {
        ...{ Name: nameOf(user), SecretString: secretOf(user), ClientRequestToken: randomUUID() },
      });
    for (const user of WRITERS)
      await ssm.send(
        new PutParameterCommand({
          ...{ Name: `/${nameOf(user)}`, Value: secretOf(user) },
          ...{ Type: 'SecureString', Overwrite: true },
        }),
      );
    deployed = await deploy(
      {
        ...{ config: 'test/localstack/many-members.config.ts', hostsPerWorker: '1', maxConcurrency: '2' },
        workerEnvironment: JSON.stringify({ STRAND_TEST_EXIT_HEADER: EXIT_HEADER }),
      },
      FAULTY_APP,
    );
  });
  afterAll(async () => {
    await deployed?.destroy();
    await site?.close();
    for (const user of READERS)
      await callSecretsManager('DeleteSecret', { SecretId: nameOf(user), ForceDeleteWithoutRecovery: true });
    for (const user of WRITERS) await ssm.send(new DeleteParameterCommand({ Name: `/${nameOf(user)}` }));
    ssm.destroy();
  });
  beforeEach(() => onTestFailed(() => printErrors(deployed)));

  test('1,000 pages, though an account is locked and a worker dies: no more logins than sessions need', async () => {
    const { port } = new URL(site.url);
    const { status } = await deployed.call('POST', '/crawls', {
      crawl: CRAWL,
      seeds: ['readers', 'writers'].map((name) => `http://www.${name}.test:${port}/`),
      config: { ...configFor({ address: ADDRESS }), adaptive: false },
    });
    expect(status).toBe(201);
    const messages = new Set<string>();
    let workers = 0;
    await until(async () => {
      workers = Math.max(workers, (await deployed.stack.engine.workers.members(0)).length);
      for (const text of await queuedTexts(deployed)) messages.add(text);
      return (await statusOf(deployed, CRAWL)).pages >= 2 * PAGES;
    }, 'all pages');
    // Two at once; the dead one is listed until its lease is over.
    expect(workers).toBeGreaterThanOrEqual(2);
    expect(deaths).toBe(1);
    const logins = Object.values(site.logins).reduce((sum, one) => sum + one, 0);
    expect(logins + site.counts.refused).toBeLessThanOrEqual(MAX_LOGINS);
    expect(site.logins[LOCKED]).toBeUndefined();
    expect(site.counts).toMatchObject({ overlaps: 0, loginsAtOnce: 0, signOuts: 0 });
    expect((await statusOf(deployed, CRAWL)).pages).toBe(2 * PAGES);
    expect(await deployed.deadLetters()).toEqual([]);
    const texts = [...(await storedTexts(deployed, CRAWL)), ...messages, ...logTexts()];
    expect(texts.join('\n')).toContain('Signed in as writer');
    expect([...site.secrets].filter((secret) => texts.some((text) => text.includes(secret)))).toEqual([]);
  });

  test('a host that asks for a person is brought back by the cookies of a browser', async () => {
    const server = await serveGuarded();
    const folder = mkdtempSync(join(tmpdir(), 'strand-cookies-'));
    try {
      const seed = `http://${GUARDED}:${(server.address() as AddressInfo).port}/`;
      const config = configFor({ address: GUARDED_ADDRESS });
      const asked = await deployed.call('POST', '/crawls', { crawl: 'guarded', seeds: [seed], config });
      expect(asked.status).toBe(201);
      const setAside = async () => (await statusOf(deployed, 'guarded')).setAside;
      await until(async () => (await setAside()).length > 0, 'a host that waits for a person');
      expect(await setAside()).toMatchObject([{ causeCode: 'challenged', refused: { asks: true } }]);
      expect((await strand('hosts', 'guarded')).out).toContain('waits for your cookies (resume --cookies): ');

      const fileOf = (name: string, ...domains: string[]) => {
        const lines = domains.map((domain) => `${domain}\tFALSE\t/\tFALSE\t0\tpass\t${CLEARANCE}\n`);
        writeFileSync(join(folder, name), lines.join(''));
        return join(folder, name);
      };
      const none = await strand('resume', 'guarded', '--cookies', fileOf('others.txt', 'example.org'));
      expect(none).toMatchObject({
        code: 2,
        err: expect.stringContaining('for a host that refuses the crawler'),
      });
      const own = fileOf('own.txt', GUARDED, 'example.org');
      expect(await strand('resume', 'guarded', '--cookies', own)).toMatchObject({ code: 0 });
      const isDone = async () => (await statusOf(deployed, 'guarded')).pages === PATHS.length;
      await until(isDone, 'the pages behind the challenge');
      expect(await setAside()).toEqual([]);
      const texts = [...(await objectTexts(deployed)), ...(await queuedTexts(deployed)), ...logTexts()];
      expect(texts.join('\n')).toContain('The inner page');
      expect(texts.filter((text) => text.includes(CLEARANCE))).toEqual([]);
    } finally {
      server.close();
      server.closeAllConnections();
      rmSync(folder, { recursive: true });
    }
  });

  const strand = (...words: string[]) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      const options = { cwd: ROOT, env: ENVIRONMENT };
      const given = ['cli/bin.js', '--stack', deployed.name, ...words];
      execFile(process.execPath, given, options, (error, out, err) =>
        resolve({ code: Number(error?.code ?? 0), out, err }),
      );
    });

  /** The lines that the stack's functions have logged. */
  function logTexts(): string[] {
    const folder = functionLogs();
    if (folder === undefined || !existsSync(folder)) return [];
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const own = files.filter((name) => name.includes(deployed.name) && name.endsWith('.log'));
    return own.map((file) => readFileSync(join(folder, file), 'utf8'));
  }
});

/** A site that answers nobody but a browser with its cookie. */
async function serveGuarded(): Promise<Server> {
  const server = createServer((request, response) => {
    const isIn = request.headers.cookie?.includes(`pass=${CLEARANCE}`);
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else if (!isIn) response.writeHead(403, { 'cf-mitigated': 'challenge' }).end('Are you a person?');
    else {
      const links = PATHS.map((path) => `<a href="${path}">x</a>`).join('');
      response.setHeader('Content-Type', 'text/html').end(`<p>The inner page ${request.url}</p>${links}`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, GUARDED_ADDRESS, resolve));
  return server;
}
