import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseElements } from '../../../shared/core/content/element-tree.ts';
import { tableGrid } from '../../../shared/core/content/table-grid.ts';
import { markdown } from './to-markdown.ts';

/** Rows of cells, `.` for an empty slot. */
const rows = (html: string) =>
  markdown(`<table>${html}</table>`)
    .split('\n')
    .filter((line) => !line.startsWith('| ---'))
    .map((line) =>
      line
        .slice(2, -2)
        .split(' | ')
        .map((cell) => cell.trim() || '.')
        .join(' '),
    );
const HEAD = '<tr><th>A<th>B<th>C</tr>';

test.each([
  ['a cell over two columns', `${HEAD}<tr><td colspan=2>a<td>b`, ['A B C', 'a . b']],
  ['a cell over two rows', `${HEAD}<tr><td rowspan=2>a<td>b<td>c<tr><td>d<td>e`, ['A B C', 'a b c', '. d e']],
  [
    'both',
    `${HEAD}<tr><td colspan=2 rowspan=2>a<td>b<tr><td>c<tr><td>d<td>e<td>f`,
    ['A B C', 'a . b', '. . c', 'd e f'],
  ],
  [
    'cells in the middle and at the end',
    `${HEAD}<tr><td>a<td rowspan=2>b<td rowspan=3>c<tr><td>d<tr><td>e<td>f`,
    ['A B C', 'a b c', 'd . .', 'e f .'],
  ],
  [
    'rowspan 0: to the end of its group',
    `<thead>${HEAD}</thead><tbody><tr><td rowspan=0>a<td>b<td>c<tr><td>d<td>e</tbody><tbody><tr><td>f<td>g<td>h`,
    ['A B C', 'a b c', '. d e', 'f g h'],
  ],
  [
    'a rowspan ends with its group',
    `<tbody>${HEAD}<tr><td rowspan=9>a<td>b<td>c</tbody><tbody><tr><td>d<td>e<td>f`,
    ['A B C', 'a b c', 'd e f'],
  ],
  ['colspan 0 is 1', `${HEAD}<tr><td colspan=0>a<td>b<td>c`, ['A B C', 'a b c']],
  [
    'more columns than there are',
    `${HEAD}<tr><td>a<td>b<td>c<tr><td colspan=100>none`,
    ['A B C', 'a b c', 'none . .'],
  ],
  ['spans that all rows have', '<tr><th colspan=2>A<th>B<tr><td colspan=2>a<td>b', ['A B', 'a b']],
  [
    'values with other characters',
    `${HEAD}<tr><td colspan=" 2x">a<td>b<tr><td colspan=-2>a<td>b<td>c`,
    ['A B C', 'a . b', 'a b c'],
  ],
  [
    'a foot before the body',
    '<thead><tr><th>A<th>B</thead><tfoot><tr><td>y<td>z</tfoot><tr><td>a<td>b',
    ['A B', 'a b', 'y z'],
  ],
  [
    'headings over groups of columns',
    '<tr><th rowspan=2>A<th colspan=2>B<tr><th>C<th>D<tr><td>a<td>b<td>c',
    ['A B .', '. C D', 'a b c'],
  ],
  ['short rows', `${HEAD}<tr><td>a`, ['A B C', 'a . .']],
])('%s', (_, html, expected) => {
  expect(rows(html)).toEqual(expected);
});

test.each([
  [
    'with a heading among its rows',
    '<tr><td colspan=2><h2>Classes</h2><tr><td>class<td><a href=/q>Queue</a><tr><td>&nbsp;<td>Keeps <b>values</b>.',
    '## Classes\n\nclass [Queue](https://example.org/q)\n\nKeeps **values**.',
  ],
  ['of one row', '<tr><td>exit_code<td>-<td>1. of the program', 'exit\\_code - 1. of the program'],
  ['whose line would begin a list', '<tr><td>-<td>none', '\\- none'],
  ['with lines in a cell', '<tr><td>a<br>b<td>c', 'a b c'],
  ['with paragraphs', '<tr><td><p>a</p><td>b', 'a\n\nb'],
  ['with a page in it', `<tr><td>menu<td>${'word '.repeat(300)}`, `menu\n\n${'word '.repeat(300).trim()}`],
])('a row of a table without columns is one line if it is short: %s', (_, html, expected) => {
  expect(markdown(`<table>${html}</table>`)).toBe(expected);
});

test('spans without end are bounded', () => {
  const row = `<tr>${'<td colspan=1000 rowspan=65534>a'.repeat(30)}`;
  const table = parseElements(`<table>${row.repeat(3000)}</table>`).find(({ name }) => name === 'table')!;
  expect(tableGrid(table)).toBeUndefined();
});

test('each cell stands in one slot, in rows of the same length', () => {
  const cell = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 }));
  fc.assert(
    fc.property(fc.array(fc.array(cell, { maxLength: 4 }), { maxLength: 5 }), (all) => {
      const html = all
        .map((cells) => `<tr>${cells.map(([c, r]) => `<td colspan=${c} rowspan=${r}>x`).join('')}`)
        .join('');
      const table = parseElements(`<table>${html}</table>`).find(({ name }) => name === 'table')!;
      const grid = tableGrid(table)!;
      expect(new Set(grid.map(({ length }) => length)).size).toBeLessThanOrEqual(1);
      const cells = grid.flat().filter((found) => found !== undefined);
      expect(cells.length).toBe(all.flat().length);
      expect(new Set(cells).size).toBe(cells.length);
    }),
  );
});

test('a cell of several blocks keeps them apart', () => {
  const cell = '<td><details><summary>More</summary><p>a | b</p></details><div>c</div>';
  expect(markdown(`<table><tr><th>A<th>B<tr><td>x${cell}</table>`)).toBe(
    '| A | B |\n| --- | --- |\n| x | More<br>a \\| b<br>c |',
  );
});

test('a column without text is left out, and a table with one column of text is a layout', () => {
  const empty = '<td><img src=dot.gif>';
  expect(markdown(`<table><tr>${empty}<td>A<td>B<tr>${empty}<td>a<td></table>`)).toBe(
    '| A | B |\n| --- | --- |\n| a |  |',
  );
  expect(markdown(`<table><tr>${empty}<td>one<tr>${empty}<td>two</table>`)).toBe('one\n\ntwo');
});

test.each([
  ['a form around its rows', '<table><form><tr><td>a<td>b</tr><tr><td>c<td>d</tr></form></table>'],
  ['elements around cells', '<table><tr><div><td>a</td><td>b</td></div></tr><tr><td>c<td>d</table>'],
  ['cells without a row', '<table><td>a<td>b<tr><td>c<td>d</table>'],
  ['cells without a row in a body', '<table><tbody><td>a<td>b<tr><td>c<td>d</tbody></table>'],
])('a table with %s', (_, html) => {
  expect(markdown(html)).toBe('| a | b |\n| --- | --- |\n| c | d |');
});

test('text in a table outside of its cells stands above it', () => {
  const html =
    '<table><caption>T</caption>one<center>two</center><tr>three<td>a<td>b</tr><tr><td>c<td>d</tr><tr><p>four</p></tr></table>';
  const table = '| a | b |\n| --- | --- |\n| c | d |';
  expect(markdown(html)).toBe(`one\n\ntwo\n\nthree\n\nfour\n\nT\n\n${table}`);
  expect(markdown('<table><tr>one<td>a<td>b</table>')).toBe('one\n\na\n\nb');
});

test('below heads, cells may have lists and code of some lines', () => {
  const cells = '<td>a<ul><li>b<ul><li>c</ul><li>d|e</ul><td><pre>f\n  g</pre>';
  expect(markdown(`<table><tr><th>A<th>B<tr>${cells}</table>`)).toBe(
    '| A | B |\n| --- | --- |\n| a<br>- b<br>- c<br>- d\\|e | `f`<br>`g` |',
  );
  const long = `<td>a<td><pre>${'f\n'.repeat(12)}g</pre>`;
  for (const table of [`<tr><td>A<td>B<tr>${cells}`, `<tr><th>A<th>B<tr>${long}`])
    expect(markdown(`<table>${table}</table>`)).not.toContain('| ---');
});

const cell = (kind: string, text: string) => `<div class="${kind}">${text}</div>`;
const heads = cell('table-header first', 'Type') + cell('table-header last', 'Method');

test('a div whose first cells are marked as heads is a table', () => {
  const cells =
    cell('first even', '<code>void</code>') + cell('last even', '<div class=block>Closes it.</div>');
  expect(markdown(`<div class=summary-table>${heads}${cells}</div>`)).toBe(
    '| Type | Method |\n| --- | --- |\n| `void` | Closes it. |',
  );
});

test.each([
  ['a cell too few', heads + cell('first', 'void')],
  ['one head', cell('table-header', 'Type') + cell('first', 'void')],
  ['heads alone', heads],
  ['text between', `${heads}text${cell('first', 'void')}${cell('last', 'close')}`],
  ['a heading in a cell', heads + cell('first', '<h2>void</h2>') + cell('last', 'close')],
  ['heads further below', heads + cell('first', 'void') + cell('last header', 'close')],
])('a div is no table: %s', (_, cells) => {
  expect(markdown(`<div>${cells}</div>`)).not.toContain('|');
});

test('the details below a row of a table are no cell of it', () => {
  const details =
    '<details><summary>Instance details</summary><p>Defined in <a href=t>Time</a></p><p>Methods</p></details>';
  const text = markdown(`<table><tr><td>Data<td>since 1<tr><td colspan=2>${details}</table>`);
  expect(text).toBe(
    'Data since 1\n\nInstance details\n\nDefined in [Time](https://example.org/a/t)\n\nMethods',
  );
});
