import { describe, expect, test } from 'vitest';
import { checkSource } from './check-regexps.ts';

const check = (source: string, linear = new Set<string>()) => checkSource('a.ts', source, linear);

describe('the check of regular expressions', () => {
  test('finds an expression of quadratic time, by file, line and a text that shows it', () => {
    const source =
      'const a: number = 1;\nexport const isTag = (text: string) => /=[^">]+\\/>$/.test(text);\n';
    expect(check(source)).toEqual([
      expect.stringMatching(
        /^a\.ts:2: \/=\[\^">\]\+\\\/>\$\/ takes 2nd degree polynomial time on '.*'\.repeat\(/,
      ),
    ]);
  });

  test.each([
    ['a search that is not anchored', "x.replace(/ +$/, '')"],
    ['neighbours that overlap', String.raw`/^\d*\.?\d+$/.test(x)`],
    ['exponential time', '/^(?:a|a)*$/.test(x)'],
    ['one inside a template', '`$' + '{/a*$/.exec(x)}`'],
  ])('finds %s', (_, source) => {
    expect(check(source)).toHaveLength(1);
  });

  test.each([
    ['linear ones', '/^[a-z]+(?:-[a-z]+)*$/.test(x)'],
    ['divisions', 'const a = b / c / d'],
    ['comments and texts', '// / +$/\nconst a = "/ +$/";'],
    ['one with a reason on its line', 'x.replace(/ +$/, "") // linear: x is one character'],
    ['one with a reason above it', '// linear: x is one character\nx.replace(/ +$/, "")'],
  ])('passes %s', (_, source) => {
    expect(check(source)).toEqual([]);
  });

  test('wants a reason for an expression that is made at run time', () => {
    expect(check('new RegExp(text)')[0]).toMatch(/^a\.ts:1: new RegExp\(text\) is made at run time/);
    expect(check('// linear: the operator writes it\nnew RegExp(text)')).toEqual([]);
    expect(check('// linear of course\nnew RegExp(text)')).toHaveLength(1);
  });

  test('does not try again what has passed before', () => {
    const linear = new Set<string>();
    check('/^a+$/.test(x)', linear);
    expect([...linear]).toEqual(['/^a+$/']);
    // Would be found otherwise.
    expect(check('/ +$/.test(x)', new Set(['/ +$/']))).toEqual([]);
  });
});
