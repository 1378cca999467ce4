import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { refuseForgottenDashes as refuse } from '../../cli/forgotten-dashes.ts';
import { commandHere, nameHere, otherWay } from '../../cli/other-names.ts';
import { VERBS } from '../../cli/verbs.ts';
import { OPTIONS, optionsOf, parsed } from './commands.ts';

describe('an option of another crawler', () => {
  test.each([
    ['--limit', '--max-pages N'],
    ['--concurrency', '--hosts N'],
    ['--output', '--out DIR'],
    ['-o', '--out DIR'],
    ['--page-requisites', '--requisites'],
    ['--no-parent', '--scope prefix'],
  ])('%s names ours', async (theirs, ours) => {
    await expect(parsed(['crawl', 'https://example.org/', theirs, '5'])).rejects.toThrow(
      `Unknown option ${theirs}; use ${ours}`,
    );
  });

  test('is none of ours, and what it points to is one', () => {
    for (const { name } of optionsOf('crawl')) expect(nameHere(name)).toBeUndefined();
    for (const theirs of [
      'o',
      'limit',
      'quota',
      'level',
      'threads',
      'wait',
      'H',
      'U',
      'q',
      'k',
      'p',
      'crawlId',
    ])
      expect(OPTIONS.map(({ name }) => name)).toContain(nameHere(theirs)?.name);
  });
});

describe('what other crawlers have', () => {
  test.each([
    [
      ['crawl', 'a.example', '--css', '.price'],
      /^Unknown option --css; onPage in strand.config.ts makes items/,
    ],
    [
      ['crawl', 'a.example', '--generateWACZ'],
      /^Unknown option --generateWACZ; WARC files are always written/,
    ],
    [['crawl', 'a.example', '--username', 'ann'], /^Unknown option --username; accounts in strand.config.ts/],
    [['crawl', 'a.example', '--no-delay'], /^Unknown option --no-delay; use --delay 0$/],
    [['crawl', 'a.example', '--allow-invalid-certificates'], /; use --tls any$/],
    [['crawl', 'a.example', '--max-path-depth', '9'], /^Unknown option --max-path-depth; it is a setting/],
    [['crawl', 'a.example', '--max-redirects', '9'], /strand.config.ts: crawl: \{ maxRedirects: ... \}$/],
    [['crawl', 'a.example', '--connect-timeout', '9'], /crawl: \{ connectTimeoutMs: ... \}$/],
    [['crawl', 'a.example', '--metadata-links', '9'], /crawl: \{ metadataLinks: ... \}$/],
    [['explain', 'https://a.example/', '--ascend-paths'], /crawl: \{ ascendPaths: true \}$/],
    [['resume', 'crawls/a', '--no-metadata'], /^resume takes no --no-metadata: a crawl keeps the settings/],
    [['crawl', 'a.example', '--ascend-paths'], /strand.config.ts: crawl: \{ ascendPaths: true \}$/],
    [['crawl', 'a.example', '--no-soft-redirects'], /crawl: \{ softRedirects: false \}$/],
    [['crawl', 'a.example', '--domain-budget-every', '1h'], /crawl: \{ domainBudgetEveryMs: ... \}$/],
    [['crawl', 'a.example', '--ip-delay-except', 'f'], /crawl: \{ ipDelayExcept: ... \}$/],
    [['crawl', 'a.example', '--log-format', 'text'], /--log-format json, got "text"; use --log-level info$/],
    [['crawl', 'a.example', '--log-format', 'constructor'], /--log-format json, got "constructor"$/],
    [['report', 'crawls/a', '--titles'], /"Audit a site"/],
    [['export', 'crawls/a', '--wacz'], /^Unknown option --wacz; use --format wacz$/],
    [['scrape', 'https://a.example/'], /^Unknown command "scrape"; use strand read URL$/],
    [['audit', 'https://a.example/'], /^Unknown command "audit"; use strand report DIR --broken$/],
    [['resume', 'crawls/a', '--exclude', 'x'], /^resume takes no --exclude: a crawl keeps the settings/],
    [['status', 'crawls/a', '--exclude', 'x'], /^status takes no --exclude; it belongs to crawl, /],
  ])('%j is answered by our way', async (words, message) => {
    await expect(parsed(words)).rejects.toThrow(message);
  });

  test('is none of ours, and our way begins with a command that there is', () => {
    for (const verb of VERBS) expect(commandHere(verb)).toBeUndefined();
    for (const verb of ['crawl', 'report'] as const)
      for (const { name } of optionsOf(verb)) expect(otherWay(verb, name)).toBeUndefined();
    for (const theirs of ['scrape', 'run', 'startproject', 'items', 'replay', 'audit', 'ls', 'rm', 'kill'])
      expect(VERBS).toContain(commandHere(theirs)?.split(' ')[0]);
    expect(commandHere('toString')).toBeUndefined();
    expect(otherWay('crawl', 'constructor')).toBeUndefined();
  });
});

describe('a forgotten -- after npm run', () => {
  const refuseForgottenDashes = (environment: Record<string, string | undefined>) =>
    refuse(environment, optionsOf('crawl'));

  test('is refused, with the command to type', () => {
    const environment = { npm_lifecycle_event: 'crawl', npm_config_max_pages: 'true', npm_config_delay: '0' };
    expect(() => refuseForgottenDashes(environment)).toThrow(
      /npm kept --max-pages, --delay .* npm run crawl -- https/,
    );
  });

  test('is noticed for a switch that was turned off', () => {
    expect(() => refuseForgottenDashes({ npm_lifecycle_event: 'strand', npm_config_adaptive: '' })).toThrow(
      '--adaptive',
    );
  });

  test('is noticed for a cache that is the folder of a crawl, which npm would take for its own', () => {
    const folder = mkdtempSync(join(tmpdir(), 'strand-dashes-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const environment = { npm_lifecycle_event: 'crawl', npm_config_cache: folder };
    refuseForgottenDashes(environment);
    writeFileSync(join(folder, 'crawl.sqlite'), '');
    expect(() => refuseForgottenDashes(environment)).toThrow('--cache');
  });

  test('is not seen in any setting of npm itself: an .npmrc may have all of them', async () => {
    const { stdout } = await promisify(execFile)('npm', ['config', 'ls', '--long', '--json']);
    const settings = Object.keys(JSON.parse(stdout));
    expect(settings).toContain('proxy');
    const environment = Object.fromEntries(
      settings.map((name) => [`npm_config_${name.replaceAll('-', '_')}`, 'x']),
    );
    refuseForgottenDashes({ ...environment, npm_lifecycle_event: 'crawl' });
  });

  test.each([
    {},
    {
      npm_lifecycle_event: 'crawl',
      npm_config_scope: '@a',
      npm_config_json: 'true',
      npm_config_nodedir: '/usr',
    },
    { npm_lifecycle_event: 'test', npm_config_max_pages: '5' },
    { npm_config_max_pages: '5' },
  ])('is not seen in %j', (environment) => {
    refuseForgottenDashes(environment);
  });
});
