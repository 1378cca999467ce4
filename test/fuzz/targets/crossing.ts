/** State that somebody else may have made: crawls' folders, stacks, archives. Nothing of it may lead elsewhere. */
import assert from 'node:assert/strict';
import { posix, win32 } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { placeInJoined } from '../../../shared/core/archive/joined-source.ts';
import { parseCdxjLine } from '../../../shared/core/archive/parse-cdxj-line.ts';
import { InvalidConfig, parseConfig } from '../../../shared/core/crawl/config.ts';
import { CorruptBytes } from '../../../shared/core/frontier/bytes.ts';
import { checkHead } from '../../../shared/core/frontier/check-head.ts';
import { NEW_HEAD, parseHead } from '../../../shared/core/frontier/head.ts';
import { partsOf } from '../../../shared/core/frontier/head-parts.ts';
import { BadStoredName, partName, warcName } from '../../../shared/core/text/stored-names.ts';
import { allowLinearFlag } from '../../../shared/engines/linear-regexps.ts';
import {
  isArchiveEntry,
  isIndexEntry,
  isTemporaryEntry,
} from '../../../shared/engines/local/folder-names.ts';
import { openingsOf } from '../../../shared/engines/local/folder-trust.ts';
import { checkSchema } from '../../../shared/engines/local/open-sqlite.ts';
import { type FuzzTarget, MB } from '../target.ts';

allowLinearFlag();

const NAME_PARTS = [
  ...[
    's1-a',
    'r2-b',
    '.keys',
    'robots3-c',
    '..',
    '../',
    '..\\',
    '/',
    '\\',
    'C:',
    ':',
    '.warc.gz',
    '.open',
    '.cdxj',
  ],
  ...[
    '-20260101000000-00000',
    'strand',
    'con',
    'nul',
    'com1',
    '~1',
    '%2e',
    '\u202e',
    '\u2215',
    '\uff0e',
    ' ',
    '.',
  ],
  ...['body-', '0123456789abcdef', '__proto__', '\0', '.tmp-', '.run-', '.places'],
];

const cursor = { bytes: 9, offset: 0, skip: 0, rank: 1, dueAt: 0 };
const HEAD = JSON.stringify({
  ...NEW_HEAD,
  version: 3,
  robots: [{ origin: 'http://a.test', kind: 'rules', expiresAt: 1, part: 'robots1-a' }],
  ledger: {
    ...NEW_HEAD.ledger,
    segments: ['s1-a', 's2-b'],
    runs: [{ id: 'r1-a', urls: 1, ready: cursor, later: cursor, doneBytes: 3 }],
  },
});

const RECORD = JSON.stringify({
  fromFolder: [['a.test', '/etc']],
  proxies: [{ url: 'http://u:hunter2@p.test:1' }],
  identity: { key: '/k' },
  robots: 'ignore',
  overrides: [{ hosts: ['*'], robots: 'ignore' }],
});

const CDXJ =
  'test,a)/ 20260101000000 {"url": "http://a.test/", "mime": "text/html", "status": "200", "digest": "sha1:A", ' +
  '"length": "9", "offset": "5", "filename": "a.warc.gz"}';

const isForged = (error: unknown): boolean => error instanceof BadStoredName;

function valueIn<T>(read: () => T, isDocumented: (error: unknown) => boolean): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isDocumented(error)) return undefined;
    throw error;
  }
}

/** A name is one in its folder, on each system. */
function assertPlain(name: string): void {
  for (const { join: joined, basename: last, dirname } of [posix, win32]) {
    assert.equal(dirname(joined('folder', name)), 'folder');
    assert.equal(last(joined('folder', name)), name);
  }
  assert.match(name, /^[\w][\w.-]{0,200}$/);
}

/** As the readers of rows do: no JSON is damage, and reported before. */
const isSyntax = (error: unknown): boolean => error instanceof SyntaxError || error instanceof TypeError;

const isDamage = (error: unknown): boolean => error instanceof CorruptBytes || isSyntax(error);

const DATABASE = databaseBytes();

function databaseBytes(): Buffer {
  const database = new DatabaseSync(':memory:');
  database.exec(
    'CREATE TABLE crawls (crawl TEXT PRIMARY KEY, record TEXT); CREATE INDEX i ON crawls (record)',
  );
  const bytes = Buffer.from(database.serialize());
  database.close();
  return bytes;
}

const EVIL_SQL = [
  'CREATE VIEW crawls AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT n FROM r',
  'CREATE TRIGGER t AFTER INSERT ON crawls BEGIN DELETE FROM crawls; END',
  'CREATE VIRTUAL TABLE v USING fts5(a)',
  'CREATE TABLE g (a, b AS (a || a))',
];

const TEXT = { maxUsPerByte: 2, maxHeldPerByte: 512 } as const;

export const TARGETS: readonly FuzzTarget[] = [
  {
    name: 'stored names',
    tokens: NAME_PARTS,
    maxBytes: 64 * 1024,
    ...TEXT,
    run: (input) => {
      const name = input.toString();
      return [isArchiveEntry(name), isIndexEntry(name), isTemporaryEntry(name)];
    },
    check(input) {
      const name = input.toString();
      for (const read of [partName, warcName]) {
        const good = valueIn(() => read(name), isForged);
        if (good !== undefined) assertPlain(good);
      }
      for (const isOwn of [isArchiveEntry, isIndexEntry, isTemporaryEntry])
        if (isOwn(name)) assertPlain(name);
    },
  },
  {
    name: 'heads of others',
    tokens: [
      HEAD,
      ...NAME_PARTS,
      '"part":"',
      '"segments":[',
      '"runs":[',
      '{"id":"',
      '-1',
      '1e999',
      'null',
      '"__proto__":',
    ],
    frames: [[HEAD.slice(0, HEAD.indexOf('s1-a')), HEAD.slice(HEAD.indexOf('s1-a') + 4)]],
    maxBytes: 256 * 1024,
    ...TEXT,
    run(input) {
      const head = parseHead(input.toString());
      checkHead('a.test', head);
      return head;
    },
    isDocumented: (error) => isForged(error) || isDamage(error),
    check(input) {
      const head = valueIn(() => parseHead(input.toString()), isDamage);
      if (!head) return;
      const isGood = valueIn(() => {
        checkHead('a.test', head);
        return true;
      }, isForged);
      if (isGood) for (const name of partsOf(head)) assertPlain(name);
    },
  },
  {
    name: 'settings of others',
    tokens: [
      RECORD,
      '"fromFolder":[["a.test","/{u}"]]',
      '"proxies":[{"url":"http://u:hunter2@p{#}:1"}]',
      '{',
      '}',
      ',',
      '"tls":"any"',
      '\u001b',
    ],
    frames: [['{', '}']],
    maxBytes: 64 * 1024,
    ...TEXT,
    run: (input) => openingsOf({ crawl: 'c', config: parseConfig(JSON.parse(input.toString())) }),
    isDocumented: (error) => error instanceof InvalidConfig || isSyntax(error),
    check(input) {
      const config = valueIn(
        () => parseConfig(JSON.parse(input.toString())),
        (error) => error instanceof InvalidConfig || isSyntax(error),
      );
      if (config)
        for (const text of openingsOf({ crawl: 'c', config })) {
          // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey them
          assert.doesNotMatch(text, /[\u0000-\u001f\u007f-\u009f]|hunter2/);
          assert.ok(text.length < 500);
        }
    },
  },
  {
    name: 'databases of others',
    tokens: [DATABASE.toString('latin1'), ...EVIL_SQL, 'CREATE TABLE ', 'crawls', '\x00', '\xff'],
    frames: [[DATABASE.toString('latin1', 0, 4096), '']],
    encoding: 'latin1',
    maxBytes: 128 * 1024,
    ...TEXT,
    run(input) {
      const database = new DatabaseSync(':memory:');
      try {
        database.deserialize(input);
        checkSchema(database, 'crawl.sqlite', false);
        return database.prepare('SELECT crawl FROM crawls LIMIT 1').get();
      } finally {
        database.close();
      }
    },
    isDocumented: (error) =>
      error instanceof InvalidConfig || String((error as { code?: string }).code).startsWith('ERR_'),
  },
  {
    name: 'index lines',
    tokens: [
      CDXJ,
      '"filename": "',
      '"offset": "',
      '"length": "',
      '-1',
      '99999999999999999999',
      ' {',
      '}',
      '../x.warc.gz',
    ],
    frames: [['test,a)/ 20260101000000 {', '}']],
    maxBytes: MB,
    ...TEXT,
    run: (input) => parseCdxjLine(input.toString(), 'a.cdxj'),
    isDocumented: (error) => error instanceof Error,
    check(input) {
      const capture = valueIn(
        () => parseCdxjLine(input.toString(), 'a.cdxj'),
        (error) => error instanceof Error,
      );
      if (capture === undefined) return;
      assert.ok(Number.isSafeInteger(capture.offset) && capture.offset >= 0);
      const source = { file: 'joined.warc.gz', offset: 100, bytes: 1000 };
      const place = valueIn(
        () => placeInJoined(capture, source),
        (error) => error instanceof Error,
      );
      if (place) assert.ok(place.offset >= 100 && place.offset + place.length <= 1100);
    },
  },
];
