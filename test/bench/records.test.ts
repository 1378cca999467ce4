import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { CLAIMS, type Claim, type ClaimModule } from '../../bench/claims.ts';
import { argsFor, parseBenchArgs } from '../../bench/harness/args.ts';
import { type BenchRecord, lineOf, type Measured, median, recordOf } from '../../bench/harness/record.ts';
import { BEGIN, END, tableOf, withTable } from '../../bench/harness/table.ts';

const AROUND = {
  machine: '2 x CPU, linux x64',
  node: '24.0.0',
  commit: 'abc',
  load: 0.5,
  at: '2026-11-21T10:00:00.000Z',
};
const MEASURED: Measured = {
  figures: {
    cpuMsPerPage: { value: 1.23456789, unit: 'ms a page' },
    pagesPerSecond: { value: 1234.5, unit: 'pages/s' },
  },
  parts: { fetch: 0.7, scan: 0.53456789 },
  detail: 'more',
};

test('a record has figures and units by name, four digits that count, and no text for people', () => {
  expect(recordOf('page-path', MEASURED, AROUND)).toEqual({
    claim: 'page-path',
    figures: { cpuMsPerPage: 1.235, pagesPerSecond: 1235 },
    unit: { cpuMsPerPage: 'ms a page', pagesPerSecond: 'pages/s' },
    parts: { fetch: 0.7, scan: 0.5346 },
    ...AROUND,
  });
  expect(lineOf('page-path', MEASURED)).toBe('page-path: 1.23 ms a page; 1,235 pages/s');
});

test('the table has the last record of each claim in the order of the claims, and names each machine once', () => {
  const record = (claim: string, value: number, at: string, machine = AROUND.machine): BenchRecord => ({
    ...recordOf(claim, { figures: { a: { value, unit: 'us' } } }, AROUND),
    machine,
    at: `2026-11-${at}T00:00:00.000Z`,
  });
  const claims = [
    { name: 'b', says: 'what b | says' },
    { name: 'a', says: 'what a says' },
    { name: 'c', says: 'never measured' },
  ];
  const records = [record('a', 2, '03'), record('a', 1, '01'), record('b', 3, '03'), record('gone', 3, '03')];
  expect(tableOf(claims, records).split('\n')).toEqual([
    '| claim | is | last measured | on |',
    '|---|---|---|---|',
    '| `b` | what b \\| says | 3 us | 1; abc, 2026-11-03, load 0.5 |',
    '| `a` | what a says | 2 us | 1; abc, 2026-11-03, load 0.5 |',
    '',
    '1. 2 x CPU, linux x64; Node 24.0.0',
  ]);
  expect(tableOf(claims, [])).toBe('Nothing has been measured.');
});

test('the table goes between the markers and touches nothing else', () => {
  const text = `before\n${BEGIN}\nold\n${END}\nafter\n`;
  const changed = withTable(text, '| new |');
  expect(changed).toBe(`before\n${BEGIN}\n| new |\n${END}\nafter\n`);
  expect(withTable(changed, '| new |')).toBe(changed);
  for (const broken of ['none', `${END}${BEGIN}`, `${BEGIN}${BEGIN}${END}`])
    expect(() => withTable(broken, '')).toThrow('once each');
});

test('the median is the middle one, or the mean of both', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(() => median([])).toThrow('at least one');
});

test('the command line names one claim, or none, and refuses what it does not know', () => {
  expect(parseBenchArgs([]).name).toBeUndefined();
  const { name, json, options } = parseBenchArgs(['peers', 'scrapy', '--json', '--rounds', '5']);
  expect({ name, json }).toEqual({ name: 'peers', json: true });
  expect(options).toMatchObject({ words: ['scrapy'], rounds: 5, hosts: 50, pages: 100 });
  expect(() => parseBenchArgs(['page-path', '--rounds', '0'])).toThrow('--rounds');
  expect(() => parseBenchArgs(['cost', '--delay', '-1'])).toThrow('--delay');
  expect(() => parseBenchArgs(['--unknown'])).toThrow('--unknown');
});

test('a claim refuses the options and arguments that it does not take', () => {
  expect(() => parseBenchArgs(['links', '--hosts', '9'])).toThrow(
    'links takes no --hosts: it takes no options',
  );
  expect(() => parseBenchArgs(['cost', '--pages', '9'])).toThrow(
    'cost takes no --pages: it takes --hosts, --delay',
  );
  expect(() => parseBenchArgs(['cost', '1000'])).toThrow(
    'cost takes at most 0 arguments after its name, got 1000',
  );
  expect(() => parseBenchArgs(['cost', '--write', 'x'])).toThrow('--write');
  expect(parseBenchArgs(['cost', '--hosts', '200', '--delay', '5']).options).toMatchObject({
    hosts: 200,
    delay: 5,
  });
});

test('all claims together get the options that each takes', () => {
  const command = parseBenchArgs(['--hosts', '9', '--rounds', '2', '--json']);
  const argsOf = (name: string) => argsFor(CLAIMS.find((claim) => claim.name === name) as Claim, command);
  expect(argsOf('links')).toEqual(['--json']);
  expect(argsOf('cost')).toEqual(['--json', '--hosts', '9']);
  expect(argsOf('page-path')).toEqual(['--json', '--rounds', '2', '--hosts', '9']);
});

test('each claim has a module that measures it', async () => {
  expect(new Set(CLAIMS.map(({ name }) => name)).size).toBe(CLAIMS.length);
  for (const { file } of CLAIMS) {
    const path = join(import.meta.dirname, '../../bench', file);
    const module: ClaimModule = await import(/* @vite-ignore */ pathToFileURL(path).href);
    expect(module.measure).toBeTypeOf('function');
  }
});
