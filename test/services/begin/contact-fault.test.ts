import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { contactFault } from '../../../shared/services/begin/contact-fault.ts';

const SEED = 'https://example.org/';

describe('a crawl shows the hosts how to reach its operator', () => {
  test.each<[string[], CrawlOptions]>([
    [[SEED], { contact: 'https://example.org/bot' }],
    [[SEED], { contact: 'me@example.org' }],
    [[SEED], { contact: 'mailto:me@example.org' }],
    [[SEED], { userAgent: 'Bot/1.0 (+https://example.org/bot)' }],
    [[SEED], { userAgent: 'Bot/1.0 (me@example.org)' }],
    [['http://localhost:8080/', 'http://127.3.2.1/', 'http://[::1]/'], {}],
  ])('%j with %j may start', (seeds, options) => {
    expect(contactFault(seeds, options)).toBeUndefined();
  });

  test.each<[string[], CrawlOptions]>([
    [[SEED], {}],
    [[SEED], { userAgent: 'Bot/1.0' }],
    [['http://localhost/', SEED], {}],
    [['http://127.0.0.1.example.org/'], {}],
    [['http://10.0.0.1/'], {}],
    [['http://localhost.example/'], {}],
  ])('%j with %j may not', (seeds, options) => {
    expect(contactFault(seeds, options)).toBe('missing');
  });

  test('a contact that reaches nobody is refused, for loopback too', () => {
    expect(contactFault(['http://localhost/'], { contact: 'none' })).toBe('unreadable');
  });
});
