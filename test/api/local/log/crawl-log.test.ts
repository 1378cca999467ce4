import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCrawlLog } from '../../../../api/local/log/crawl-log.ts';
import { openLogFile } from '../../../../api/local/log/log-file.ts';
import type { CrawlMessage } from '../../../../api/local/messages.ts';
import { parseConfig } from '../../../../shared/core/crawl/config.ts';
import { type LogEntry, logLine } from '../../../../shared/core/text/log-entry.ts';
import { foldersOf } from '../../../../shared/engines/local/folders.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'strand-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const begun = (folder: string): CrawlMessage => ({
  kind: 'begun',
  folder,
  crawl: 'a.example',
  config: parseConfig({}),
  inFlight: new Uint8Array(),
});

const progress = (now: number): CrawlMessage => ({
  kind: 'progress',
  progress: {
    pages: 3,
    urls: 5,
    waiting: 2,
    hosts: 1,
    hostsActive: 1,
    hostsWaiting: 0,
    bytes: 100,
    errors: 0,
    cached: 0,
    requests: 4,
    startedAt: 0,
    now,
    limits: {},
  },
});

const page: CrawlMessage = {
  kind: 'event',
  event: { type: 'page', url: 'http://a.example/', host: 'a.example', status: 'fetched', depth: 0 },
};

const linesOf = (path: string): Record<string, unknown>[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('each entry is a line of JSON in the folder, those from before the folder was known included', () => {
  const folder = newFolder();
  const log = createCrawlLog({ now: () => 1000 });
  log.onMessage({ kind: 'warning', line: 'Left out the seed x' });
  log.onMessage(begun(folder));
  log.end(new Error('the disk is full'));
  const time = '1970-01-01T00:00:01.000Z';
  expect(linesOf(foldersOf(folder).log)).toEqual([
    { time, level: 'warn', message: 'Left out the seed x' },
    { time, level: 'info', message: 'Crawl started', crawl: 'a.example', folder },
    { time, level: 'error', message: 'the disk is full' },
  ]);
});

test('progress is logged once a minute, also after the clock was set back', () => {
  const seen: LogEntry[] = [];
  const log = createCrawlLog({ onLog: (entry) => seen.push(entry) });
  for (const now of [0, 30_000, 59_999, 60_000, 119_999, 120_000, 5000, 30_000, 65_000])
    log.onMessage(progress(now));
  expect(seen.map(({ fields }) => fields?.seconds)).toEqual([60, 120, 5, 65]);
  expect(seen[0]).toMatchObject({ level: 'info', message: 'Progress', fields: { pages: 3, waiting: 2 } });
});

test.each([
  ['debug', ['Crawl started', 'Page', 'careful']],
  ['info', ['Crawl started', 'careful']],
  ['warn', ['careful']],
  ['error', []],
] as const)('level %s decides what is logged', (level, expected) => {
  const seen: LogEntry[] = [];
  const log = createCrawlLog({ level, onLog: (entry) => seen.push(entry) });
  log.onMessage(begun(newFolder()));
  log.onMessage(page);
  log.onMessage({ kind: 'warning', line: 'careful' });
  expect(seen.map(({ message }) => message)).toEqual(expected);
});

test('a crawl that begins again in the same process continues its log', () => {
  const folder = newFolder();
  const log = createCrawlLog({});
  log.onMessage(begun(folder));
  log.onMessage(begun(folder));
  expect(linesOf(foldersOf(folder).log).map(({ message }) => message)).toEqual([
    'Crawl started',
    'Crawl continues',
  ]);
});

test('the file is of bounded size: the lines before are in one other file', () => {
  const folder = newFolder();
  const warnings: string[] = [];
  const file = openLogFile(folder, (line) => warnings.push(line), 1000);
  const line = 'x'.repeat(99);
  for (let i = 0; i < 35; i++) file.write(line);
  file.close();
  const { log, olderLog } = foldersOf(folder);
  expect([statSync(log).size, statSync(olderLog).size]).toEqual([500, 1000]);
  const next = openLogFile(folder, (warning) => warnings.push(warning), 1000);
  for (let i = 0; i < 6; i++) next.write(line);
  expect([statSync(log).size, statSync(olderLog).size]).toEqual([100, 1000]);
  expect(warnings).toEqual([]);
});

test('a file that cannot be written is said once, and the crawl continues', () => {
  const folder = newFolder();
  mkdirSync(foldersOf(folder).log);
  const seen: LogEntry[] = [];
  const log = createCrawlLog({ onLog: (entry) => seen.push(entry) });
  log.onMessage(begun(folder));
  log.onMessage({ kind: 'warning', line: 'careful' });
  log.end();
  expect(seen.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^The log .*log\.jsonl cannot be written/),
    'Crawl started',
    'careful',
  ]);
});

test('what a website sends is one line, of bounded length, that no terminal obeys', () => {
  const url = `http://a.example/\u001b[2J\n\u202e\u009b${'y'.repeat(5000)}`;
  const entry = {
    time: 0,
    level: 'debug',
    message: 'Page',
    fields: { url, depth: 0, none: undefined },
  } as const;
  for (const format of ['json', 'text'] as const) {
    const line = logLine(entry, format);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(line.length).toBeLessThan(1200);
  }
  expect(
    JSON.parse(logLine(entry, 'json')).url.startsWith('http://a.example/\u001b[2J\n\u202e\u009byy'),
  ).toBe(true);
  expect(logLine({ ...entry, fields: { a: 'b c', d: 1, e: { f: 2 } } }, 'text')).toBe(
    '1970-01-01T00:00:00.000Z DEBUG Page a="b c" d=1 e={"f":2}',
  );
});
