import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { compileHosts, createHostConfigs } from '../../../shared/core/crawl/host-config.ts';

describe('the configuration of a host', () => {
  const config = parseConfig({
    delayMs: 1000,
    exclude: ['/x'],
    overrides: [
      { hosts: ['*.example.org', 'example.org'], delayMs: 5000, robots: 'ignore', exclude: ['/y'] },
      { hosts: ['www.example.org'], delayMs: 2000, maxDepth: 0, adaptive: false },
      { hosts: ['unset.example'], delayMs: undefined },
    ],
  });
  const configOf = createHostConfigs(config);

  test('is the configuration itself where no override means the host', () => {
    expect(configOf('other.example')).toBe(config);
    const plain = parseConfig({});
    expect(createHostConfigs(plain)('www.example.org')).toBe(plain);
  });

  test('has the settings of the overrides that mean the host, the last one first of all', () => {
    expect(configOf('a.example.org')).toEqual({ ...config, delayMs: 5000, robots: 'ignore' });
    expect(configOf('www.example.org')).toEqual({
      ...config,
      delayMs: 2000,
      robots: 'ignore',
      maxDepth: 0,
      adaptive: false,
    });
  });

  test('takes over no setting that is there without a value', () => {
    expect(configOf('unset.example').delayMs).toBe(1000);
  });

  test('leaves the patterns to the scope', () => {
    expect(configOf('a.example.org').exclude).toEqual(['/x']);
  });

  test('is the same object each time, for all hosts that the same overrides mean', () => {
    expect(configOf('a.example.org')).toBe(configOf('b.example.org'));
    expect(configOf('a.example.org')).not.toBe(configOf('www.example.org'));
  });

  test('stays right when more hosts were requested than are remembered', () => {
    for (let i = 0; i < 25_000; i++) {
      const isMeant = i % 2 === 0;
      const found = configOf(isMeant ? `h${i}.example.org` : `h${i}.example.com`);
      if (found.delayMs !== (isMeant ? 5000 : 1000)) expect(i).toBeUndefined();
    }
  });

  test('keeps to the order of the overrides, whatever they are', () => {
    const host = fc.constantFrom('a.b', 'c.b', 'c');
    const pattern = fc.constantFrom('*', '*.b', 'a.b', 'c', 'a.*');
    const override = fc.record(
      {
        hosts: fc.array(pattern, { minLength: 1, maxLength: 2 }),
        delayMs: fc.nat(9),
        perHost: fc.integer({ min: 1, max: 9 }),
      },
      { requiredKeys: ['hosts'] },
    );
    fc.assert(
      fc.property(fc.array(override, { maxLength: 5 }), host, (overrides, asked) => {
        const given = parseConfig({ overrides });
        let expected = given;
        for (const { hosts, ...settings } of overrides)
          if (compileHosts(hosts)(asked)) expected = { ...expected, ...settings };
        expect(createHostConfigs(given)(asked)).toEqual(expected);
      }),
    );
  });
});

test('a host whose pages come from a folder has no pauses, unless an override gives it some', () => {
  const fromFolder: [string, string][] = [
    ['docs.test', './public'],
    ['slow.test:81', './public'],
  ];
  const configOf = createHostConfigs(
    parseConfig({ fromFolder, overrides: [{ hosts: ['slow.test:81'], delayMs: 7 }] }),
  );
  expect(configOf('docs.test')).toMatchObject({ delayMs: 0, adaptive: false, maxCrawlDelayMs: 0 });
  expect(configOf('slow.test:81')).toMatchObject({ delayMs: 7 });
  expect(configOf('www.docs.test')).toMatchObject({ delayMs: 1000, adaptive: true });
});

test('a host at a port of its own is meant by its whole name', () => {
  expect(compileHosts(['localhost'])('localhost:3000')).toBe(false);
  expect(compileHosts(['localhost:3000'])('localhost:3000')).toBe(true);
  expect(compileHosts(['localhost*'])('localhost:3000')).toBe(true);
});
