import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { searchQuery } from '../../../shared/services/outputs/search-query.ts';

test.each([
  ['web archive', '"web" AND "archive"'],
  ['"web archive" crawl*', '"web archive" AND "crawl"*'],
  ['crawler -spam -"bad words"', '"crawler" NOT "spam" NOT "bad words"'],
  ['AND OR NOT NEAR(a b)', '"AND" AND "OR" AND "NOT" AND "NEAR a" AND "b"'],
  ['std::vec::Vec', '"std vec Vec"'],
  ['"open', '"open"'],
  ['Do\u00adnau\u200bdampf', '"Donaudampf"'],
])('%s is the query %s', (text, query) => {
  expect(searchQuery(text)).toBe(query);
});

test('the words of a column are looked for there, and those with a minus everywhere', () => {
  expect(searchQuery('web "b c" -spam', 'title')).toBe('{title} : ("web" AND "b c") NOT "spam"');
});

test.each(['', '  ', '-only', '***', '"', '- -'])('%j has no word to look for', (text) => {
  expect(() => searchQuery(text)).toThrow(/Expected words to look for/);
});

test('whatever is typed is a query that SQLite understands', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE VIRTUAL TABLE t USING fts5(a)');
  const find = database.prepare('SELECT count(*) FROM t WHERE t MATCH ?');
  const piece = fc.oneof(
    fc.constantFrom('"', '-', '*', ' ', 'AND', 'NOT', '(', ')', ':', '^', '{a}', 'a'),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      let query: string | undefined;
      try {
        query = searchQuery(pieces.join(''));
      } catch (error) {
        expect((error as Error).name).toBe('EmptySearch');
      }
      if (query !== undefined) find.get(query);
    }),
  );
});
