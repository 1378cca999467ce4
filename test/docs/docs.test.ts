import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { exitCodes } from '../../cli/exit-codes.ts';
import { EXPORT_COLUMNS } from '../../cli/export-rows.ts';
import { optionsMarkdown } from '../../cli/help.ts';
import { URL_STATES } from '../../shared/frontier/url-record.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The project's Markdown files, relative to its root. */
function markdownFiles(): string[] {
  const inRoot = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  const inDocs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name));
  return [...inRoot, ...inDocs];
}

/** Folders below `folder`, at any depth, as `shared/engines/local/`. */
function foldersBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => [`${folder}${name}/`, ...foldersBelow(`${folder}${name}/`)]);
}

/** What stands under a heading, up to the next one of the same level. */
function section(text: string, heading: string): string {
  const after = text.split(`\n## ${heading}\n`)[1];
  if (after === undefined) throw new Error(`There is no section "${heading}"`);
  return after.split('\n## ')[0] as string;
}

/** The cells of a section's table, without heading and rule. */
function rows(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('the README', () => {
  const readme = read('README.md');

  test('has the table of options that the program has', () => {
    expect(section(readme, 'Options of `crawl`')).toContain(`\n${optionsMarkdown('crawl')}\n`);
  });

  test('names each exit code as the program does', () => {
    const named = rows(section(readme, 'Exit codes')).map(([code, name]) => [name, Number(code)]);
    expect(named).toEqual(Object.entries(exitCodes).map(([name, code]) => [`\`${name}\``, code]));
  });

  test('explains each status of a URL', () => {
    const explained = rows(section(readme, 'What became of a URL')).map(([status]) => status);
    expect(explained).toEqual(URL_STATES.map((status) => `\`${status}\``));
  });

  test('names the columns of an export in their order', () => {
    const list = readme.replaceAll('\n', ' ').match(/`export` writes a row .*?`warcLength`\./)?.[0] ?? '';
    const names = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name).slice(1);
    expect(names).toEqual(EXPORT_COLUMNS);
  });
});

describe('a Markdown file', () => {
  test.each(markdownFiles())('%s links only to what is there', (path) => {
    const text = read(path).replaceAll(/^```.*?^```/gms, '');
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target as string);
    const lost = targets.filter(
      (target) =>
        !/^[a-z]+:/i.test(target) && !existsSync(join(ROOT, dirname(path), target.replace(/#.*$/, ''))),
    );
    expect(lost).toEqual([]);
  });

  test.each(markdownFiles())('%s names only files of the project that are there', (path) => {
    const named = [...read(path).matchAll(/`((?:shared|cli|test|bench|docs)\/[\w./-]+)`/g)];
    expect(named.map(([, name]) => name as string).filter((name) => !existsSync(join(ROOT, name)))).toEqual(
      [],
    );
  });
});

describe('ARCHITECTURE.md', () => {
  test('names every folder of the core', () => {
    const text = read('ARCHITECTURE.md');
    expect(foldersBelow('shared/').filter((folder) => !text.includes(`\`${folder}\``))).toEqual([]);
  });
});

test('the decisions are numbered without a gap, each titled by its number', () => {
  const names = readdirSync(join(ROOT, 'docs/decisions')).sort();
  expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, i) => i + 1));
  for (const name of names) expect(read(join('docs/decisions', name))).toMatch(`# ${name.slice(0, 4)}: `);
});

test('the glossary is in alphabetical order, each word once', () => {
  const text = read('docs/glossary.md');
  const terms = [...text.matchAll(/^\*\*(.+?)\*\*:/gm)].map(([, term]) => term as string);
  expect(terms).toEqual([...new Set(terms)].sort((a, b) => a.localeCompare(b, 'en')));
});
