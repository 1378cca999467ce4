import { describe, expect, test } from 'vitest';
import { readIpBlocks } from '../../cli/ip-blocks-file.ts';
import { UsageError } from '../../cli/usage-error.ts';
import { parseConfig } from '../../shared/core/crawl/config.ts';

const read = (...lines: string[]) => readIpBlocks(lines.join('\n'), 'cdn.txt');

describe('a file of IP blocks', () => {
  test('has a CIDR block a line', () => {
    const blocks = read('# a CDN', '104.16.0.0/13', '', ' 2606:4700::/32\r', '104.16.0.0/13');
    expect(blocks).toEqual(['104.16.0.0/13', '2606:4700::/32']);
    expect(parseConfig({ ipDelayExcept: blocks }).ipDelayExcept).toEqual(blocks);
    expect(readIpBlocks('\ufeff10.0.0.0/8', 'x')).toEqual(['10.0.0.0/8']);
    expect(read()).toEqual([]);
  });

  test.each(['1.2.3.4', '1.2.3.4/33', 'example.org/8', '1.2.3/24', '1.2.3.0/24 x', '::/129', '/8'])(
    'is refused for the line %j, which is named',
    (line) => {
      expect(() => read('10.0.0.0/8', line)).toThrow(UsageError);
      expect(() => read('10.0.0.0/8', line)).toThrow('--ip-delay-except: line 2 of cdn.txt');
    },
  );

  test('has at most 2,000 blocks', () => {
    const lines = Array.from({ length: 2001 }, (_, i) => `10.${i >> 8}.${i & 255}.0/24`);
    expect(read(...lines.slice(1))).toHaveLength(2000);
    expect(() => read(...lines)).toThrow('line 2001 of cdn.txt: expected at most 2000 blocks');
  });
});

test.each([
  { ipDelayMs: -1 },
  { ipDelayMs: 60_001 },
  { ipDelayExcept: ['1.2.3.4'] },
  { ipDelayExcept: ['a/8'] },
])('the configuration %j is refused', (options) => {
  expect(() => parseConfig(options)).toThrow();
});
