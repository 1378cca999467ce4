import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { agentCard } from '../../cli/identity/agent-card.ts';
import { crawlerPage } from '../../cli/identity/crawler-page.ts';
import { parseConfig } from '../../shared/core/crawl/config.ts';
import { needs } from '../needs.ts';
import { runHere } from './commands.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-identity-'));
  file = join(folder, 'keys', 'identity.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command, and returns its standard output. */
async function run(...words: string[]): Promise<string> {
  let printed = '';
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text;
    return true;
  });
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    await runHere('identity', ...words);
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
  return printed;
}

const AGENT = 'https://crawler.example.org';
const create = (...more: string[]) => run('create', file, '--agent', AGENT, ...more);
const keys = (): { x: string; d: string; nbf: number; exp: number }[] =>
  JSON.parse(readFileSync(file, 'utf8')).keys;

describe('create', () => {
  needs('modes')('makes a file that only its owner can read, and prints nothing secret', async () => {
    const printed = (await create('--days', '10')) + (await run('publish', file));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'keys')).mode & 0o777).toBe(0o700);
    const [key] = keys();
    expect(key!.exp - key!.nbf).toBe(10 * 86_400);
    expect(printed).not.toContain(key!.d);
    expect(printed).toContain(AGENT);
  });

  test('overwrites nothing', async () => {
    await create();
    const before = readFileSync(file, 'utf8');
    await expect(create()).rejects.toThrow('no key is overwritten');
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  test('uses the folder of the user if no file is named', async () => {
    vi.stubEnv('XDG_CONFIG_HOME', folder);
    const made = JSON.parse(await run('create', '--agent', AGENT, '--json'));
    vi.unstubAllEnvs();
    expect(made).toMatchObject({ file: join(folder, 'strand', 'identity.json'), agent: AGENT });
  });

  test.each([
    ['http://crawler.example.org', 'by https only'],
    ['https://crawler.example.org/bot', 'the path of the directory is fixed'],
    ['crawler', 'got "crawler"'],
  ])('refuses the agent %s', async (agent, message) => {
    await expect(run('create', file, '--agent', agent)).rejects.toThrow(message);
    expect(existsSync(file)).toBe(false);
  });
});

describe('publish', () => {
  test('writes the directory without private keys, the card, the page and the headers', async () => {
    await create();
    await run('rotate', file);
    const out = join(folder, 'public');
    await run('publish', file, '--contact', 'me@example.org', '--purpose', 'search', '--out', out);
    const read = (path: string) => readFileSync(join(out, path), 'utf8');
    const directory = JSON.parse(read('.well-known/http-message-signatures-directory'));
    expect(directory.keys.map(({ x }: { x: string }) => x)).toEqual(keys().map(({ x }) => x));
    expect(JSON.parse(read('signature-agent-card.json'))).toMatchObject({
      client_id: `${AGENT}/signature-agent-card.json`,
      contacts: ['mailto:me@example.org'],
      jwks_uri: `${AGENT}/.well-known/http-message-signatures-directory`,
      web_bot_auth: { 'rfc9309-product-token': 'Strand', 'rfc9309-compliance': true, purpose: 'search' },
    });
    expect(read('crawler.html')).toContain('mailto:me@example.org');
    expect(read('_headers')).toMatch(/^ {2}Signature: binding0=:\S+:, binding1=:\S+:$/m);
    const all = readdirSync(out, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
      .join('');
    for (const { d } of keys()) expect(all).not.toContain(d);
  });

  test('leaves the rules of a whole site as they are', async () => {
    await create();
    const rules = join(folder, '_headers');
    writeFileSync(rules, '/*\n  X-Frame-Options: DENY\n');
    await run('publish', file, '--out', folder);
    expect(readFileSync(rules, 'utf8')).toBe('/*\n  X-Frame-Options: DENY\n');
    rmSync(rules);
    await run('publish', file, '--out', folder);
    await run('rotate', file);
    await run('publish', file, '--out', folder);
    expect(readFileSync(rules, 'utf8')).toContain('binding1');
  });

  test('prints the same as JSON', async () => {
    await create();
    const { agent, body, headers, directory } = JSON.parse(await run('publish', file, '--json'));
    expect(agent).toBe(AGENT);
    expect(JSON.parse(body)).toEqual(directory);
    expect(headers['Content-Type']).toBe('application/http-message-signatures-directory+json');
  });

  needs('modes')('refuses a file that others can read, and one that is not there', async () => {
    await expect(run('publish', file)).rejects.toThrow('strand identity create makes one');
    await create();
    chmodSync(file, 0o604);
    await expect(run('publish', file)).rejects.toThrow('chmod 600');
    await expect(run('rotate', file)).rejects.toThrow('chmod 600');
  });
});

describe('rotate', () => {
  needs('modes')('adds a key that signs later, and keeps the file closed to others', async () => {
    await create();
    const [old] = keys();
    const { signsFrom } = JSON.parse(await run('rotate', file, '--json'));
    const [kept, added] = keys();
    expect(kept).toMatchObject({ x: old!.x, d: old!.d });
    expect(added!.nbf).toBe(Date.parse(signsFrom) / 1000);
    expect(added!.nbf).toBeLessThan(kept!.exp);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'keys'))).toEqual(['identity.json']);
  });

  needs('links')('replaces the file that a link names, not the link', async () => {
    await create();
    const link = join(folder, 'link.json');
    symlinkSync(file, link);
    const [old] = keys();
    await run('rotate', link, '--at-once');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(keys()[0]!.x).not.toBe(old!.x);
  });

  test('at once leaves the new key alone', async () => {
    await create();
    const [old] = keys();
    await run('rotate', file, '--at-once');
    expect(keys()).toHaveLength(1);
    expect(keys()[0]!.x).not.toBe(old!.x);
  });
});

test.each([
  [[], 'create|publish|rotate|page'],
  [['make'], 'create|publish|rotate|page'],
  [['create'], '--agent URL'],
  [['create', 'a', 'b', '--agent', AGENT], 'create|publish|rotate|page'],
  [['page', '--agent', AGENT], 'takes no --agent'],
  [['create', '--agent', AGENT, '--out', 'x'], 'takes no --out'],
  [['rotate', '--days', '0'], '--days'],
])('identity %j is refused', async (words, message) => {
  await expect(run(...words)).rejects.toThrow(message);
});

describe('the page', () => {
  const page = (options: object, more: object = {}) => crawlerPage({ config: parseConfig(options), ...more });

  test('says who crawls, why, how fast, and how to stop it', () => {
    const text = page(
      { userAgent: 'NewsBot/1.0', contact: 'https://example.org/bot', purpose: 'train-ai', delayMs: 2000 },
      { agent: AGENT, about: 'We archive news.' },
    );
    for (const part of [
      'NewsBot/1.0 (+https://example.org/bot)',
      'User-agent: NewsBot\nDisallow: /',
      'train AI models',
      'We archive news.',
      '2s',
      `${AGENT}/.well-known/http-message-signatures-directory`,
      'href="https://example.org/bot"',
    ])
      expect(text).toContain(part);
    expect(text).not.toMatch(/<script|undefined|https?:\/\/[^"<\s]*\.(?:css|js|png)/);
  });

  test('says nothing of signatures without an identity, and nothing untrue of robots.txt', () => {
    const text = page({ contact: 'me@example.org', robots: 'ignore' });
    expect(text).not.toContain('Signature');
    expect(text).toContain('does not follow robots.txt');
    expect(text).not.toContain('Disallow');
  });

  test('escapes what the operator writes', () => {
    const text = page(
      { contact: 'javascript:alert(1)', userAgent: '<b>Bot' },
      { about: '</p><script>x</script>' },
    );
    expect(text).not.toContain('<script>');
    expect(text).not.toContain('<b>Bot');
    expect(text).not.toContain('href="javascript:');
  });
});

test('the card has no rate for a crawler without a delay, and says if robots.txt is ignored', () => {
  const config = parseConfig({ delayMs: 0, robots: 'ignore' });
  const { web_bot_auth: card } = agentCard({ agent: AGENT, config }) as {
    web_bot_auth: Record<string, unknown>;
  };
  expect(card).not.toHaveProperty('rate-expectation');
  expect(card['rfc9309-compliance']).toBe(false);
});
