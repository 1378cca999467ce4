/** The messages about a configuration that cannot be used. */
import { expect, test } from 'vitest';
import { InvalidConfig, parseConfig } from '../../../shared/core/crawl/config.ts';
import { SETTING_LIST } from '../../../shared/core/crawl/settings/settings.ts';

function faultOf(given: unknown): string {
  try {
    parseConfig(given);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidConfig);
    return (error as InvalidConfig).message;
  }
  return 'none';
}

test.each<[given: unknown, message: string]>([
  [{ maxPagess: 5 }, 'Unknown key maxPagess in the configuration; did you mean maxPages?'],
  [{ delayMs: '5s' }, 'Expected delayMs to be of type number (milliseconds), got "5s"'],
  [{ maxBytes: '10MB' }, 'Expected maxBytes to be of type number (bytes), got "10MB"'],
  [{ maxPages: null }, 'Expected maxPages to be of type number, got null'],
  [{ delayMs: -1 }, 'Expected delayMs >= 0, got -1'],
  [
    { allowInvalidCertificates: true },
    "Unknown key allowInvalidCertificates in the configuration; use tls: 'any'",
  ],
  [JSON.parse('{"__proto__":{"maxPages":5}}'), 'Unknown key __proto__ in the configuration'],
  [null, 'Expected the configuration to be of type object, got null'],
  [
    { overrides: [{ hosts: ['example.org'], delayMS: 5, retryMs: 1 }] },
    'Unknown key delayMS in overrides.0; did you mean delayMs?; Unknown key retryMs in overrides.0',
  ],
  [
    { overrides: [{ hosts: ['example.org'], delayMs: '1' }] },
    'Expected overrides.0.delayMs to be of type number (milliseconds), got "1"',
  ],
  [
    { auth: { 'example.org': 'secret' } },
    'Expected auth.example.org to be user:password, got a value that is not shown',
  ],
  [
    { domainBudget: 'links:0' },
    'Expected domainBudget to be a whole number from 1, links, links:N or off, got "links:0"',
  ],
])('%j is refused by the name of the key, with the value that is expected', (given, message) => {
  expect(faultOf(given)).toBe(message);
});

test('a list of 100,000 wrong entries has a short message', () => {
  expect(faultOf({ languages: Array(100_000).fill([[5]]) }).length).toBeLessThan(10_000);
  const keys = Array.from({ length: 100_000 }, (_, i) => [`key${i}`, 1]);
  expect(faultOf(Object.fromEntries(keys)).length).toBeLessThan(10_000);
});

const WRONG = [
  null,
  true,
  '',
  'x',
  '5s',
  'links:0',
  -1,
  1.5,
  1e20,
  {},
  { x: 1 },
  { x: 'y' },
  [null],
  ['x'],
  [{}],
];

test.each(SETTING_LIST)('each fault of %s is named by what is expected instead', (key) => {
  const faults = WRONG.map((value) => faultOf({ [key]: value })).filter((fault) => fault !== 'none');
  expect(faults).not.toEqual([]);
  for (const fault of faults) {
    expect(fault).toContain(key);
    expect(fault).not.toMatch(/Invalid input|Invalid string|Unrecognized/);
  }
});
