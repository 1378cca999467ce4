/** No name that is stored in a folder or on a stack leads out of the folder that the operator has named. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCrawl, resumeCrawl } from '../../api/index.ts';
import { pullCrawl } from '../../api/stack/copy/pull-crawl.ts';
import { pushCrawl } from '../../api/stack/copy/push-crawl.ts';
import { beginStackCrawl } from '../../api/stack/start-stack-crawl.ts';
import { waczArchive } from '../../shared/core/archive/wacz.ts';
import { type Head, NEW_HEAD } from '../../shared/core/frontier/head.ts';
import { isOwnWarcName, isPartName, isWarcName } from '../../shared/core/text/stored-names.ts';
import { drive } from '../../simulation/models/virtual-time.ts';
import { all } from '../all.ts';
import { type DeployedWorld, deployedWorld } from '../api/stack/deployed-world.ts';
import { changeDatabase, type SmallCrawls, smallCrawls } from './small-crawl.ts';

let crawls: SmallCrawls;
beforeAll(async () => {
  crawls = await smallCrawls('127.79.40.1');
});
afterAll(() => crawls.end());

/** Names of files that somebody else may have stored. */
const HOSTILE = [
  '../../.ssh/authorized_keys',
  '/etc/cron.d/x',
  '..',
  '.',
  '',
  '..\\..\\evil',
  'C:\\evil',
  'C:evil',
  's1-a/../../x',
  's1-a\0.keys',
  's1-a\n',
  ' s1-a',
  's1-a ',
  's1-a.',
  's1-A',
  'con',
  'nul.keys',
  'com1',
  'COM\u00b9',
  '__proto__',
  'constructor',
  'file:///etc/passwd',
  '%2e%2e%2fx',
  '\u2025/x',
  's1-\uff0e\uff0e\uff0fx',
  's1-e\u0301',
  's1-a:stream',
  's1-a~1',
  `s1-${'a'.repeat(300)}`,
  '-rf',
  '$HOME',
  '`id`',
  '*',
];

describe('the grammar of stored names', () => {
  test.each(HOSTILE)('refuses %j as a part and as a WARC file', (name) => {
    expect(isPartName(name)).toBe(false);
    expect(isWarcName(`${name}.warc.gz`) && /[^A-Za-z0-9._-]/.test(name)).toBe(false);
    expect(isOwnWarcName(`${name}.warc.gz`)).toBe(false);
  });

  test.each([
    '..\\..\\evil',
    '../x',
    'C:x',
    'a\0',
    'con',
    'NUL',
    'lpt1.x',
    '.hidden',
    'a b',
    '\u00e9',
    'a'.repeat(300),
  ])('refuses the WARC file %j', (stem) => {
    expect(isWarcName(`${stem}.warc.gz`)).toBe(false);
  });

  test.each(['s1-a', 'r12-k3j9x.keys', 'r12-k3j9x.again', 'robots7-0', 's9007199254740991-3w5e11264s'])(
    'takes the part %s',
    (name) => {
      expect(isPartName(name)).toBe(true);
    },
  );

  test.each([
    'strand-20261128231359-00000.warc.gz',
    'strand-1-20261128231359-00000.warc.gz',
    'Strand-20261128231359-k3j9x0-00012.warc.gz',
    'joined-20261128231359-0123456789abcdef0123.warc.gz',
  ])('takes the WARC file %s as one of its own', (name) => {
    expect(isOwnWarcName(name)).toBe(true);
  });
});

test('a WACZ has no WARC file of a name that leads out of the folder where it is unpacked', () => {
  const read = async function* () {};
  const warc = { name: '..\\..\\evil.warc.gz', bytes: 0, read };
  expect(() => waczArchive(warc)).toThrow('the name of a WARC file');
});

const PAGES = { 'http://a.test/': [] };
const BYTES = new Uint8Array(70_000).fill(65);

async function inWorld<T>(script: (world: DeployedWorld) => Promise<T>): Promise<T> {
  const world = deployedWorld(PAGES, { allowPrivateAddresses: ['127.0.0.0/8'] });
  const outcome = await drive(world.time, script(world));
  world.deployment.stop();
  return outcome;
}

/** A crawl on the stack that is finished. */
async function finished(world: DeployedWorld): Promise<void> {
  const options = { contact: 'https://sim.test/', delayMs: 0, adaptive: false };
  await beginStackCrawl(world.connection, { crawl: 'c', seeds: ['http://a.test/'], options });
  for (;;) {
    const record = await world.connection.registry.load('c');
    if (record?.status === 'finished') return;
    await world.connection.clock.sleep(10_000);
  }
}

const headWith = (ledger: Partial<Head['ledger']>, more: Partial<Head> = {}): Head => ({
  ...NEW_HEAD,
  version: 7,
  ledger: { ...NEW_HEAD.ledger, ...ledger },
  ...more,
});

const cursor = { bytes: 0, offset: 0, skip: 0, rank: 0, dueAt: 0 };

/** Everything below the folder that holds the one which is pulled. */
const below = (folder: string): string[] =>
  readdirSync(dirname(folder), { recursive: true }).map(String).sort();

describe('a hostile stack, on pull', () => {
  test.each([
    ...HOSTILE.filter((name) => name !== '').map((name): [string, Head] => [
      `segment ${JSON.stringify(name)}`,
      headWith({ segments: [name] }),
    ]),
    ['run', headWith({ runs: [{ id: '../../r1-a', urls: 1, ready: cursor, later: cursor, doneBytes: 0 }] })],
    [
      'part of robots.txt',
      headWith({}, { robots: [{ origin: 'http://a.test', kind: 'rules', expiresAt: 0, part: '../x' }] }),
    ],
    ['version', { ...headWith({}), version: -1 }],
    [
      'cursor',
      headWith({
        runs: [{ id: 'r1-a', urls: 1, ready: { ...cursor, offset: -5 }, later: cursor, doneBytes: 0 }],
      }),
    ],
    ['counts', headWith({ counts: { waiting: '1e9' } as never })],
    ['list of segments', headWith({ segments: 'abc' as never })],
    ['clock', { ...headWith({}), clock: { nextFetchAt: 'soon' } as never }],
  ])('writes nothing outside of the folder by the name of a %s, and says so', async (_, head) => {
    await inWorld(async (world) => {
      await finished(world);
      const { ledgers } = world.connection.copies.engine;
      for (const name of head.ledger.segments)
        await ledgers.putPart('c', 'b.test', name, BYTES).catch(() => {});
      await ledgers.importHead('c', 'b.test', head);
      const folder = crawls.empty();
      await expect(pullCrawl(world.connection, 'c', folder)).rejects.toThrow(
        /was not written by Strand, or is damaged/,
      );
      expect(existsSync(folder)).toBe(false);
      expect(below(folder).every((path) => path.startsWith('c.pull'))).toBe(true);
    });
  });

  test.each(['../b.test', 'B.TEST', 'b.test/x', 'b test'])('takes no host named %j', async (host) => {
    await inWorld(async (world) => {
      await finished(world);
      await world.connection.copies.engine.ledgers.importHead('c', host, headWith({}));
      await expect(pullCrawl(world.connection, 'c', crawls.empty())).rejects.toThrow('Expected a host');
    });
  });

  test.each(['..\\..\\evil.warc.gz', 'con.warc.gz', 'C:evil.warc.gz', '.warc.gz', 'a\u202eb.warc.gz'])(
    'takes no WARC file named %j',
    async (name) => {
      await inWorld(async (world) => {
        await finished(world);
        const { s3 } = world.cloud.clientsOf(world.cloud.begin('compactor'));
        const { bucket: Bucket } = world.cloud.settings;
        await s3.send(new PutObjectCommand({ Bucket, Key: `warc/c/${name}`, Body: 'x' }));
        const folder = crawls.empty();
        await expect(pullCrawl(world.connection, 'c', folder)).rejects.toThrow('the name of a WARC file');
        expect(readdirSync(join(`${folder}.pull`, 'archive'))).toEqual([]);
      });
    },
  );
});

describe('a folder that somebody else has made', () => {
  /** Puts a part and a head that names it into the folder. */
  function planted(name: string, file: string | null): string {
    const folder = crawls.copied();
    const head = JSON.stringify(headWith({ segments: [name] })).replaceAll("'", "''");
    changeDatabase(
      folder,
      `UPDATE heads SET head = '${head}', version = 7;
       INSERT INTO parts SELECT crawl, host, '${name}', ${file === null ? 'zeroblob(9)' : 'NULL'}, ${file === null ? 'NULL' : `'${file}'`} FROM heads`,
    );
    return folder;
  }

  test('is not pushed to a stack if a head names what is no part', async () => {
    await inWorld(async (world) => {
      const folder = planted('../../.bashrc', null);
      await expect(pushCrawl(folder, world.connection, { crawl: 'd' })).rejects.toThrow(
        'was not written by Strand',
      );
    });
  });

  test('cannot name a file of yours as the part of a ledger: it is neither read nor deleted', async () => {
    const folder = planted('s1-a', '../../precious.txt');
    const precious = resolve(folder, '..', 'precious.txt');
    writeFileSync(precious, 'mine');
    mkdirSync(join(folder, 'ledgers'), { recursive: true });
    const opened = await openCrawl(folder);
    await expect(all(opened.urls())).rejects.toThrow(/s1-a/);
    await opened.close();
    await resumeCrawl(folder, { maxPages: 9 }).then(
      ({ done }) => done.catch(() => {}),
      () => {},
    );
    expect(readFileSync(precious, 'utf8')).toBe('mine');
  });

  test('cannot have a row that no head names delete a file of yours', async () => {
    const folder = crawls.copied();
    const precious = resolve(folder, '..', 'precious.txt');
    writeFileSync(precious, 'mine');
    changeDatabase(
      folder,
      `INSERT INTO parts SELECT crawl, host, 's1-old', NULL, '../../precious.txt' FROM heads;
       INSERT INTO parts SELECT crawl, host, '../../../precious.txt', NULL, '../../precious.txt' FROM heads`,
    );
    const resumed = await resumeCrawl(folder, { maxPages: 9 });
    await resumed.done;
    expect(readFileSync(precious, 'utf8')).toBe('mine');
  });
});
