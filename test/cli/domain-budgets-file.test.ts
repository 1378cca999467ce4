import { describe, expect, test } from 'vitest';
import { readDomainBudgets } from '../../cli/domain-budgets-file.ts';
import { UsageError } from '../../cli/usage-error.ts';

const read = (...lines: string[]) => readDomainBudgets(lines.join('\n'), 'ranks.tsv');

describe('a file of budgets', () => {
  test('has a domain, a tab and a number a line', () => {
    expect(read('# ranks', 'example.org\t5000', '', 'a.co.uk\t 7 ', 'user.github.io\t3\r')).toEqual({
      'example.org': 5000,
      'a.co.uk': 7,
      'user.github.io': 3,
    });
    expect(readDomainBudgets('\ufeffexample.org\t5', 'x')).toEqual({ 'example.org': 5 });
    expect(read()).toEqual({});
  });

  test('may name domains as people write them; of a domain that comes twice the last line counts', () => {
    expect(read('Example.ORG\t1', 'bücher.de\t2', 'example.org\t3')).toEqual({
      'example.org': 3,
      'xn--bcher-kva.de': 2,
    });
  });

  test.each([
    ['example.org 5', 'expected a domain, a tab and a number of pages from 1'],
    ['example.org\t0', 'expected a domain, a tab and a number of pages from 1'],
    ['example.org\t-5', 'expected a domain, a tab and a number of pages from 1'],
    ['example.org\t5\t6', 'expected a domain, a tab and a number of pages from 1'],
    ['www.example.org\t5', 'a host of example.org: write example.org'],
    ['http://example.org/\t5', 'expected a domain such as example.org'],
    ['exa mple.org\t5', 'expected a domain such as example.org'],
    ['user@example.org\t5', 'expected a domain such as example.org'],
  ])('with the line %j is refused, and the line named', (line, why) => {
    expect(() => read('a.org\t1', line)).toThrow(UsageError);
    expect(() => read('a.org\t1', line)).toThrow('--domain-budgets: line 2 of ranks.tsv');
    expect(() => read('a.org\t1', line)).toThrow(why);
  });

  test('with too many domains is refused', () => {
    const lines = Array.from({ length: 5001 }, (_, i) => `a${i}.org\t1`);
    expect(() => read(...lines)).toThrow('expected at most 5000 domains');
    expect(Object.keys(read(...lines.slice(1)))).toHaveLength(5000);
  });
});
