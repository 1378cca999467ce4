import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunkMarkdown, estimateTokens } from '../../../shared/services/outputs/chunk-markdown.ts';
import { withoutHang } from '../../hang-guard.ts';

const words = (count: number, word = 'word') => Array.from({ length: count }, () => word).join(' ');
const cut = (markdown: string, maxTokens: number, overlapTokens = 0) =>
  chunkMarkdown(markdown, { maxTokens, overlapTokens });

test.each([
  ['The harbour opens in the morning and closes in the evening, when all the ships are home again. ', 21],
  ['for (let i = 0; i < n; i++) total += prices[i] * (1 - discounts[i]);', 26],
  ['| 3.14159 | 2.71828 | 1.41421 |', 19],
  ['[`asyncio.run()`](https://docs.python.org/3/library/asyncio-runner.html#asyncio.run)', 24],
  ['Über die Brücke führt ein Weg zum Gästehaus.', 16],
  ['今天天气很好，我们去公园散步。', 18],
])('the tokens of %j are estimated', (text, counted) => {
  // Counted by cl100k_base.
  const estimated = estimateTokens(text);
  expect(Math.max(estimated / counted, counted / estimated)).toBeLessThanOrEqual(1.25);
});

describe('Markdown in pieces', () => {
  test('a short text is one piece, an empty one none', () => {
    expect(cut('# Title\n\nText.', 100)).toEqual([{ headings: [], markdown: '# Title\n\nText.', tokens: 4 }]);
    expect(cut('', 100)).toEqual([]);
    expect(cut('\n\n \n', 100)).toEqual([]);
  });

  test('each chapter begins a piece, which knows the headings above it', () => {
    const text = `# Book\n\nIntro.\n\n## One\n\n${words(8)}\n\n### Detail\n\n${words(30)}\n\n### More\n\n${words(30)}\n\n## Two\n\nEnd.`;
    expect(cut(text, 60).map(({ headings, markdown }) => [headings, markdown.split('\n')[0]])).toEqual([
      [[], '# Book'],
      [['Book'], '## One'],
      [['Book', 'One'], '### More'],
      [['Book'], '## Two'],
    ]);
  });

  test('a long section continues under its own headings, with the end of the piece before it', () => {
    const paragraphs = Array.from({ length: 6 }, (_, i) => `${i}: ${words(12)}.`);
    const pieces = cut(`# A\n\n${paragraphs.join('\n\n')}`, 40, 20);
    expect(pieces.map(({ headings }) => headings)).toEqual(
      [[], ['A'], ['A'], ['A'], ['A'], ['A']].slice(0, pieces.length),
    );
    for (const [i, { markdown }] of pieces.slice(1).entries())
      expect(markdown.split('\n\n')[0]).toBe(pieces[i]!.markdown.split('\n\n').at(-1));
  });

  test('code is never cut, nor taken for headings', () => {
    const code = `\`\`\`sh\n# no heading\n\n${words(300)}\n\`\`\``;
    const pieces = cut(`# A\n\n${words(20)}\n\n${code}\n\nAfter.`, 50);
    expect(pieces.filter(({ markdown }) => markdown.includes('# no heading'))).toHaveLength(1);
    expect(pieces.find(({ markdown }) => markdown.includes(code))).toBeDefined();
    expect(pieces.at(-1)).toMatchObject({ headings: ['A'], markdown: 'After.' });
  });

  const lines = (indent: string) => `${indent}one();\n\n${indent}# no heading\n${indent}two();`;
  test.each([
    ['in a list', '- A', '  ', '```'],
    ['in a list of two digits', '10. A', '    ', '```'],
    ['in a list of lists', '- A\n  - B\n    1. C', '       ', '```'],
    ['between tildes', '10) A', '    ', '~~~'],
    ['indented further than its list', '- A', '     ', '````'],
    ['behind tabs', '1. A', '\t', '```'],
  ])('code %s is never cut', (_, items, indent, fence) => {
    const code = `${indent}${fence}js\n${lines(indent)}\n${indent}${fence}`;
    const after = `${indent}${words(40)}.`;
    for (const gap of ['\n', '\n\n']) {
      const pieces = cut(`# Title\n\n${items}${gap}${code}\n\n${after}\n\nEnd.`, 8);
      const [found, ...others] = pieces.filter(({ markdown }) => markdown.includes('one();'));
      expect(others).toEqual([]);
      expect(found!.markdown.replace(/^[ \t]+/gm, '')).toContain(`${fence}js\n${lines('')}\n${fence}`);
      expect(pieces.at(-1)!.markdown).toMatch(/End\.$/);
      expect(new Set(pieces.flatMap(({ headings }) => headings))).toEqual(new Set(['Title']));
    }
  });

  test('a fence in the line of its item, two fences in a row, a table in a list', () => {
    const whole = [
      '- ```\n  a\n\n  b\n  ```\n- ```\n  c\n\n  d\n  ```',
      '  | a | b |\n  | --- | --- |\n  | c d e f | g h i j |',
    ];
    for (const block of whole) {
      const pieces = cut(`${words(3)}\n\n- x\n\n${block}\n\n${words(20)}`, 6);
      expect(
        pieces.some(({ markdown }) => markdown.replace(/^ +/gm, '').includes(block.replace(/^ +/gm, ''))),
      ).toBe(true);
    }
  });

  test.each([
    ['indented code', 'A\n\n    ```\n\n# B\n\nText.'],
    ['the end of the list', '- a\n\n  ```\n  b\n\n# B\n\nText.'],
    ['backticks behind the mark', '``` a ` b\n\n# B\n\nText.'],
  ])('%s opens no fence, or ends it', (_, text) => {
    expect(cut(text, 4).at(-1)).toMatchObject({ headings: [], markdown: '# B\n\nText.' });
  });

  test('plain text is cut between its lines, each piece between fences', () => {
    const pieces = cut(`\`\`\`text\n${words(8)}\n\n  # no heading\n${words(9)}\n\`\`\``, 14);
    expect(pieces.length).toBeGreaterThan(1);
    for (const { markdown, headings, tokens } of pieces) {
      expect(markdown).toMatch(/^```text\n[^`]+\n```$/);
      expect(headings).toEqual([]);
      expect(tokens).toBeLessThanOrEqual(20);
    }
    expect(
      pieces
        .map(({ markdown }) => markdown.slice(8, -4))
        .join('\n')
        .replace(/\s+/g, ' '),
    ).toBe(`${words(8)} # no heading ${words(9)}`);
  });

  test('a long paragraph is cut between sentences, a long word anywhere but inside a character', () => {
    expect(
      cut('One two three four. Five six seven eight. Nine ten.', 6).map(({ markdown }) => markdown),
    ).toEqual(['One two three four.', 'Five six seven eight.', 'Nine ten.']);
    for (const { markdown } of cut('\u{1f600}'.repeat(50), 7)) expect(markdown.isWellFormed()).toBe(true);
  });

  test.each([
    ['blanks', `${' '.repeat(1_000_000)}- a`],
    ['items in a line', '- '.repeat(500_000)],
    ['a word', 'a'.repeat(2_000_000)],
    ['fences', '- ```\n'.repeat(200_000)],
  ])('a million of %s takes linear time', (_, text) => {
    expect(withoutHang(() => cut(text, 50)).length).toBeGreaterThan(0);
  });

  const blocks = fc.oneof(
    fc.string({ maxLength: 200 }),
    fc.integer({ min: 1, max: 6 }).map((level) => `${'#'.repeat(level)} Heading`),
    fc
      .array(fc.constantFrom('one', 'two.', '日本語。', '\u{1f600}', '\n'), { maxLength: 60 })
      .map((all) => all.join(' ')),
    fc
      .array(fc.constantFrom('a', '', '# b'), { maxLength: 30 })
      .map((all) => `\`\`\`\n${all.join('\n')}\n\`\`\``),
  );

  test('nothing is lost, no piece is too long, and fences stay closed', () => {
    fc.assert(
      fc.property(
        fc.array(blocks, { maxLength: 20 }),
        fc.integer({ min: 5, max: 60 }),
        (given, maxTokens) => {
          const text = given.join('\n\n');
          const pieces = cut(text, maxTokens);
          const letters = (some: string) => some.replace(/\s+/g, '');
          expect(letters(pieces.map(({ markdown }) => markdown).join(''))).toBe(letters(text));
          for (const { markdown, tokens } of pieces) {
            expect(tokens).toBe(estimateTokens(markdown));
            const hasWhole = /^ {0,3}(`{3}|~{3}|\|)/m.test(markdown);
            // Blanks between blocks count.
            if (!hasWhole) expect(tokens).toBeLessThanOrEqual(maxTokens * 1.5 + 2);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
