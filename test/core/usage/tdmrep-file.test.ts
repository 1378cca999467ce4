import { expect, test } from 'vitest';
import { usageAt } from '../../../shared/core/robots/rules.ts';
import { decodeRules, encodeRules } from '../../../shared/core/robots/rules-text.ts';
import { usageRules } from '../../../shared/core/robots/usage-files.ts';
import { readTdmrep } from '../../../shared/core/usage/tdmrep-file.ts';

const POLICY = 'https://policies.test/a.json';
const FILE = JSON.stringify([
  { location: '/*', 'tdm-reservation': 1, 'tdm-policy': POLICY },
  { location: '/open/*.html$', 'tdm-reservation': 0 },
  { location: '/Grüße', 'tdm-reservation': 0 },
]);
const at = (file: string, path: string) =>
  usageAt(usageRules(readTdmrep(file)), path).map(
    ({ source, signal, value }) => `${source} ${signal} ${value}`,
  );

test('the longest location that matches counts, with its policy', () => {
  expect(at(FILE, '/page?x')).toEqual(['tdmrep.json tdm-reservation 1', `tdmrep.json tdm-policy ${POLICY}`]);
  expect(at(FILE, '/open/a.html')).toEqual(['tdmrep.json tdm-reservation 0']);
  expect(at(FILE, '/open/a.html?x')[0]).toBe('tdmrep.json tdm-reservation 1');
  expect(at(FILE, '/Gr%C3%BC%C3%9Fe')).toEqual(['tdmrep.json tdm-reservation 0']);
});

test('of two entries for one location the one that reserves counts', () => {
  const both = [0, 1].map((value) => ({ location: '/', 'tdm-reservation': value }));
  expect(at(JSON.stringify(both), '/a')).toContain('tdmrep.json tdm-reservation 1');
});

test('an entry with a fault states nothing, and so does what is no such file', () => {
  const faulty = [
    { location: '/', 'tdm-reservation': 2 },
    { location: 'https://other.test/', 'tdm-reservation': 1 },
    { location: 5, 'tdm-reservation': 1 },
    { 'tdm-reservation': 1 },
    { location: `/${'a'.repeat(3000)}`, 'tdm-reservation': 1 },
    null,
    7,
    [],
  ];
  expect(readTdmrep(JSON.stringify(faulty))).toEqual([]);
  for (const text of ['', '{', '{}', 'null', '<html>', '"x"', '['.repeat(500_000)])
    expect(readTdmrep(text)).toEqual([]);
  // A policy that is no URL is left out, and its entry counts.
  expect(readTdmrep('[{"location":"/","tdm-reservation":1,"tdm-policy":"a\\nb"}]')).toEqual([
    { signal: 'tdm-reservation', path: '/', value: '1' },
  ]);
});

test('of a file with very many entries the first count', () => {
  const many = Array.from({ length: 5000 }, (_, i) => ({ location: `/${i}`, 'tdm-reservation': 1 }));
  expect(readTdmrep(JSON.stringify(many))).toHaveLength(1000);
});

test('what it states can be stored', () => {
  const rules = usageRules(readTdmrep(FILE));
  expect(decodeRules(encodeRules(rules))).toEqual(rules);
});
