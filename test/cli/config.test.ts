import { describe, expect, test } from 'vitest';
import { fetchOptions } from '../../cli/crawl/fetch-options.ts';
import { parseCrawlConfig } from '../../cli/crawl-config.ts';
import { crawlConfigSchema, InvalidConfig } from '../../shared/core/crawl/config.ts';

describe('a configuration that the schema refuses', () => {
  test.each<[unknown, string]>([
    [{ maxPages: 0 }, 'Expected --max-pages >= 1, got 0'],
    [{ maxBytes: 0 }, 'Expected --max-bytes >= 1 B, got 0 B'],
    [{ maxTimeMs: 0 }, 'Expected --max-time >= 1ms, got 0s'],
    [{ perHost: 65 }, 'Expected --per-host <= 64, got 65'],
    [{ scope: 'web' }, 'Expected --scope to be one of page, prefix, host, domain, any, got "web"'],
    [{ contact: 'a b' }, 'Expected --contact to be a URL or a mail address, got "a b"'],
    [{ userAgent: 'Böt' }, 'Expected --user-agent to be printable ASCII, got "Böt"'],
    [{ maxPagesPerHost: 'many' }, 'Expected --max-pages-per-host to be of type number, got "many"'],
    [{ include: [3] }, 'Expected --include to be of type string, got 3'],
    [{ maxPage: 3 }, 'Unknown key maxPage in the configuration; did you mean maxPages?'],
    [{ maxPages: 0, hosts: 0 }, 'Expected --max-pages >= 1, got 0; Expected --hosts >= 1, got 0'],
    [7, 'Expected a configuration to be of type object, got 7'],
    [undefined, 'Expected a configuration to be of type object, got nothing'],
  ])('%j is named by its option', (given, message) => {
    expect(() => parseCrawlConfig(given)).toThrow(new InvalidConfig(message));
  });

  test('the options of one page are named as they were given', async () => {
    const asked = { url: 'http://a.test/', options: { maxBytesPerSecondPerHost: 5 } };
    await expect(fetchOptions(asked)).rejects.toThrow('Expected --limit-rate-per-host >= 100 B, got 5 B');
  });

  test('nothing given is all defaults', () => {
    expect(parseCrawlConfig({})).toEqual(crawlConfigSchema().parse({}));
  });
});
