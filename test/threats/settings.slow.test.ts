/** Settings in a folder that somebody else has made open nothing of yours before you have said so. */
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCrawl, resumeCrawl, startCrawl } from '../../api/index.ts';
import { pushCrawl } from '../../api/stack/copy/push-crawl.ts';
import { crawlConfigSchema } from '../../shared/core/crawl/config.ts';
import { openingSettings } from '../../shared/core/crawl/opening-settings.ts';
import { SETTING_LIST } from '../../shared/core/crawl/settings/settings.ts';
import { drive } from '../../simulation/models/virtual-time.ts';
import { all } from '../all.ts';
import { deployedWorld } from '../api/stack/deployed-world.ts';
import { needs } from '../needs.ts';
import { changeDatabase, type SmallCrawls, smallCrawls } from './small-crawl.ts';

let crawls: SmallCrawls;
beforeAll(async () => {
  crawls = await smallCrawls('127.79.42.1');
});
afterAll(() => crawls.end());

const home = process.env.XDG_CONFIG_HOME as string;

/** From now on this process is one of another user. */
function asUser(config: string): void {
  process.env.XDG_CONFIG_HOME = config;
}

/** A crawl's folder as somebody else has made it. */
function foreign(config: object, sql = ''): string {
  const folder = crawls.copied();
  const set = Object.entries({ allowPrivateAddresses: undefined, ...config }).map(([key, value]) =>
    value === undefined
      ? `UPDATE crawls SET record = json_remove(record, '$.config.${key}')`
      : `UPDATE crawls SET record = json_set(record, '$.config.${key}', json('${JSON.stringify(value)}'))`,
  );
  changeDatabase(folder, `DELETE FROM sessions WHERE name = 'mark'; ${set.join(';')}; ${sql}`);
  return folder;
}

test('settings with their default values open nothing', () => {
  expect(openingSettings(crawlConfigSchema().parse({}))).toEqual([]);
});

const OPENING: readonly [string, object][] = [
  ['fromFolder', { fromFolder: [['docs.example.org', '/etc']] }],
  ['proxies', { proxies: [{ url: 'http://user:hunter2@proxy.evil:8080' }] }],
  ['identity', { identity: { key: '/home/you/.config/strand/identity.json', agent: 'https://you.example' } }],
  ['allowPrivateAddresses', { allowPrivateAddresses: ['169.254.169.254/32'] }],
  ['resolve', { resolve: [['*', '10.0.0.1']] }],
  ['allowPorts', { allowPorts: [25] }],
  ['tls', { tls: 'any' }],
  ['certificateAuthorities', { certificateAuthorities: ['-----BEGIN CERTIFICATE-----'] }],
  ['robots', { robots: 'ignore' }],
  ['overrides', { overrides: [{ hosts: ['*'], robots: 'ignore' }] }],
];

/** Settings of these groups that any crawl of public pages may have. Secrets are values here, not names of files. */
const HARMLESS = [
  ...['userAgent', 'contact', 'from', 'headers', 'cookies', 'auth', 'clientCertificates'],
  'hostCookies',
  ...['connectTimeoutMs', 'headersTimeoutMs', 'idleTimeoutMs', 'totalTimeoutMs'],
  ...['maxBodyBytes', 'maxHeaderBytes', 'maxDecodedBytes'],
];

test('each setting that opens something is tried here, and each of the network says whether it does', () => {
  const opening = SETTING_LIST.flatMap(([key, { opens }]) => (opens ? [key] : []));
  expect(OPENING.map(([key]) => key).sort()).toEqual(opening.sort());
  const others = SETTING_LIST.filter(([, { group, opens }]) => /Identity|Network/.test(group) && !opens);
  expect(others.map(([key]) => key).sort()).toEqual(HARMLESS.sort());
});

describe.each(OPENING)('%s of a folder that another user has made', (key, config) => {
  test('keeps the crawl from being resumed, and is named without secrets', async () => {
    const folder = foreign(config);
    const asked = crawls.asked.length;
    const error: unknown = await resumeCrawl(folder, { maxPages: 9 })
      .then(({ done }) => done)
      .catch((cause) => cause);
    expect(String(error)).toContain(`${key} `);
    expect(String(error)).toContain('--trust-settings');
    expect(String(error)).not.toContain('hunter2');
    expect(crawls.asked.length).toBe(asked);
  });

  // A stack decides about these itself.
  test.skipIf(['identity', 'fromFolder'].includes(key))('keeps it from being pushed to a stack', async () => {
    const world = deployedWorld({}, { allowPrivateAddresses: ['0.0.0.0/0'] });
    const folder = foreign(config);
    await drive(
      world.time,
      (async () => {
        await expect(pushCrawl(folder, world.connection, {})).rejects.toThrow('--trust-settings');
        expect(await world.connection.registry.load('127.79.42.1')).toBeUndefined();
      })(),
    );
    world.deployment.stop();
  });
});

test.each(['dedupeFrom', 'cache'])('the folder of %s is not read either', async (use) => {
  const folder = foreign({}, `INSERT OR REPLACE INTO sessions VALUES ('${use}', '/home/you/crawls/private')`);
  await expect(resumeCrawl(folder, { maxPages: 9 }).then(({ done }) => done)).rejects.toThrow(
    `${use} "/home/you/crawls/private" reads another folder`,
  );
});

test.each([
  ['a mark of somebody else', `INSERT OR REPLACE INTO sessions VALUES ('mark', '${'ab'.repeat(32)}')`],
  ['a mark that is none', "INSERT OR REPLACE INTO sessions VALUES ('mark', 'yes')"],
])('%s is not believed', async (_, sql) => {
  const folder = foreign({ robots: 'ignore' }, sql);
  await expect(resumeCrawl(folder, { maxPages: 9 }).then(({ done }) => done)).rejects.toThrow(
    '--trust-settings',
  );
});

test('a mark for other settings is not believed', async () => {
  const folder = crawls.copied();
  changeDatabase(
    folder,
    `UPDATE crawls SET record = json_set(record, '$.config.fromFolder', json('[["h.test","/etc"]]'))`,
  );
  await expect(resumeCrawl(folder, { maxPages: 9 }).then(({ done }) => done)).rejects.toThrow('fromFolder');
});

test('nothing of a folder without such settings is asked for', async () => {
  const folder = foreign({ delayMs: 1 });
  const { state } = await (await resumeCrawl(folder, { maxPages: 3 })).done;
  expect(state).toBe('limited');
});

test('your own crawl continues without a word, also in a copy of its folder', async () => {
  const { pages } = await (await resumeCrawl(crawls.copied(), { maxPages: 5 })).done;
  expect(pages).toBe(5);
});

test('another user confirms the settings once', async () => {
  const folder = crawls.copied();
  asUser(join(folder, '..', 'other-home'));
  try {
    await expect(resumeCrawl(folder, { maxPages: 5 }).then(({ done }) => done)).rejects.toThrow(
      /allowPrivateAddresses \["127.0.0.0\/8"\] connects to.*once with --trust-settings/,
    );
    await (await resumeCrawl(folder, { maxPages: 5, trustSettings: true })).done;
    const { pages } = await (await resumeCrawl(folder, { maxPages: 7 })).done;
    expect(pages).toBe(7);
  } finally {
    asUser(home);
  }
});

needs('modes')('the key is for its owner alone, and one that others can read is not used', async () => {
  const folder = crawls.copied();
  const config = join(folder, '..', 'config');
  asUser(config);
  try {
    await (await resumeCrawl(folder, { maxPages: 4, trustSettings: true })).done;
    const key = join(config, 'strand', 'folders.key');
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(statSync(join(config, 'strand')).mode & 0o777).toBe(0o700);
    expect(readFileSync(key, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
    chmodSync(key, 0o644);
    await expect(resumeCrawl(folder, { maxPages: 5 }).then(({ done }) => done)).rejects.toThrow(
      'Others may read',
    );
  } finally {
    asUser(home);
  }
});

test('a crawl runs where no key can be kept, and its settings are confirmed each time', async () => {
  const out = crawls.empty();
  const noFolder = resolve(out, '..', 'file');
  mkdirSync(resolve(out, '..'), { recursive: true });
  writeFileSync(noFolder, '');
  asUser(noFolder);
  try {
    await (await startCrawl({ ...crawls.options, out })).done;
    await expect(resumeCrawl(out, { maxPages: 4 }).then(({ done }) => done)).rejects.toThrow(
      '--trust-settings',
    );
    await (await resumeCrawl(out, { maxPages: 4, trustSettings: true })).done;
    await expect(resumeCrawl(out, { maxPages: 5 }).then(({ done }) => done)).rejects.toThrow(
      '--trust-settings',
    );
  } finally {
    asUser(home);
    rmSync(noFolder);
  }
});

test('a folder with such settings can be looked at', async () => {
  const folder = foreign({ fromFolder: [['h.test', '/etc']] });
  const opened = await openCrawl(folder);
  expect((await all(opened.urls())).length).toBeGreaterThan(2);
  await opened.close();
});
