import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exitCodes } from '../../cli/exit-codes.ts';
import { helpText } from '../../cli/help.ts';
import { optionRows } from '../../cli/verb-page.ts';
import { TABLE, VERBS } from '../../cli/verbs.ts';
import { FILES, OPTIONS, optionsOf, parsed } from './commands.ts';

const ROOT = join(import.meta.dirname, '../..');

const PAGES = [undefined, ...VERBS];

test.each(PAGES.flatMap((verb) => [20, 80, 93, 100, 300].map((columns) => [verb, columns] as const)))(
  'the page of %s fits a terminal of %d columns, within 80 to 100',
  async (verb, columns) => {
    const width = Math.min(100, Math.max(80, columns));
    for (const line of (await helpText(TABLE, verb, { columns })).split('\n'))
      expect(line.length).toBeLessThanOrEqual(width);
  },
);

test.each(VERBS)('the page of %s names each of its options and no other', async (verb) => {
  if (verb === 'help') return;
  const options = (await helpText(TABLE, verb, { all: true })).split('Usage:')[1]!;
  for (const { name } of OPTIONS) {
    const isNamed = new RegExp(`^  --(\\[no-\\])?${name}(?![\\w-])`, 'm').test(options);
    expect(isNamed).toBe(optionsOf(verb).some((option) => option.name === name));
  }
});

test('the page of all fits a screen of 44 lines, and has each command', async () => {
  const text = await helpText(TABLE, undefined, { columns: 80 });
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(44);
  for (const verb of VERBS) expect(text).toMatch(new RegExp(`^(.{12})${verb} +[A-Z]`, 'm'));
});

test('the page of crawl has the 15 options that most crawls need, and says how to see all', async () => {
  const text = await helpText(TABLE, 'crawl');
  expect(text.match(/^ {2}--/gm)).toHaveLength(15);
  expect(text).toContain(`${optionsOf('crawl').length - 15} more options: strand help crawl --all`);
});

test('the page of crawl has each exit code', async () => {
  const text = (await helpText(TABLE, 'crawl')).split('Exit codes:')[1]!;
  expect(text.match(/\d+/g)).toEqual(Object.values(exitCodes).map(String));
});

test('the examples can be followed', async () => {
  for (const verb of PAGES) {
    const examples = (await helpText(TABLE, verb)).match(/(?<=^ {2}strand ).*/gm) ?? [];
    for (const example of examples) {
      const words = example.replace(/ > .*/, '').replaceAll("'", '').split(' ');
      await expect(parsed(words)).resolves.toBeDefined();
    }
    expect(examples.length).toBeGreaterThan(0);
  }
});

test('the examples mean the same in zsh, which expands ? and * and [ of words that are not quoted', () => {
  const bare = (line: string) => line.replaceAll(/'[^']*'|"[^"]*"/g, '').replace(/ #.*/, '');
  const documents = globSync(['README.md', 'docs/*.md', 'templates/*/README.md'], { cwd: ROOT }).flatMap(
    (file) => readFileSync(join(ROOT, file), 'utf8').split('\n'),
  );
  const commands = documents.filter((line) => /^(?:npx )?strand /.test(line));
  const examples = VERBS.flatMap((verb) => FILES[verb].examples);
  expect(commands.length).toBeGreaterThan(20);
  expect([...examples, ...commands].map(bare).filter((line) => /[?*[\]{}()^~]/.test(line))).toEqual([]);
});

test.each([
  ['scope', 'host'],
  ['delay', '1s'],
  ['adaptive', 'on'],
  ['hosts', '250'],
  ['robots', 'obey'],
  ['user-agent', 'Strand/0.1'],
  ['url-rules', 'trackingParameters,sessionParameters'],
  ['sitemaps', 'robots'],
  ['requisites', 'off'],
  ['trap-after-pages', '100'],
  ['workers', '1'],
  ['max-pages', undefined],
  ['include', undefined],
  ['json', undefined],
])('the default of --%s is that of the setting: %s', (name, text) => {
  expect(OPTIONS.find((option) => option.name === name)!.preset).toBe(text);
});

test('each option of a verb has a name of its own, and a flag no argument', () => {
  for (const verb of VERBS) {
    const names = optionsOf(verb).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  }
  for (const option of OPTIONS) expect(option.argument === undefined).toBe(option.type === 'flag');
});

test('the table for docs/cli.md has a row of three cells for each option', () => {
  const rows = optionRows(TABLE.crawl, FILES.crawl);
  expect(rows).toHaveLength(optionsOf('crawl').length + 1);
  for (const cells of rows) expect(cells).toHaveLength(3);
  expect(rows).toContainEqual(['`--hosts N`', 'hosts served at once; not with --stack', '250']);
});
