import { describe, expect, test } from 'vitest';
import { canonicalize, createResolver } from '../../shared/core/url/canonical.ts';
import { hostKey, hostName } from '../../shared/core/url/host-key.ts';
import { arePresent, type Case, readCases } from './cases.ts';
import { optionalTextOf, textOf } from './question.ts';

/** The cases of a file that are no mere records. */
const casesIn = (file: string): Case[] => readCases(file).filter(({ tier }) => tier !== 'info');
const inputOf = ({ question }: Case) => textOf(question, 'input');
const baseOf = ({ question }: Case) => optionalTextOf(question, 'base');
const refusedBy = (cases: readonly Case[], holds: (one: Case) => boolean) =>
  cases.filter((one) => !holds(one)).map(({ id }) => id);

describe.skipIf(!arePresent)('the canonical form, by the published URL cases', () => {
  const parses = () => [...casesIn('url/whatwg-urltestdata.jsonl'), ...casesIn('url/resolve.jsonl')];

  test('what the WHATWG parser reads as http or https, and nothing else, has the form of its result', () => {
    const follows = (one: Case) => {
      const href = optionalTextOf(one.wanted[0]!, 'href');
      const isHttp = href !== undefined && /^https?:/.test(href);
      return canonicalize(inputOf(one), baseOf(one)) === (isHttp ? canonicalOf(href) : undefined);
    };
    expect(refusedBy(parses(), follows)).toEqual([]);
  });

  test('the resolver agrees with it', () => {
    const agrees = (one: Case) => {
      const base = baseOf(one);
      return base === undefined || createResolver(base)(inputOf(one)) === canonicalize(inputOf(one), base);
    };
    expect(refusedBy(parses(), agrees)).toEqual([]);
  });

  test('IPv4 addresses in any notation are one host', () => {
    const isOneHost = (one: Case) => {
      const url = canonicalize(inputOf(one));
      const { failure, hostname } = one.wanted[0]!;
      return url === undefined ? failure === true : hostName(hostKey(url)) === hostname;
    };
    expect(refusedBy(casesIn('url/ipv4.jsonl'), isOneHost)).toEqual([]);
  });
});

/**
 * Returns the canonical form of a WHATWG serialization by the rules, written without a look at the
 * implementation.
 */
function canonicalOf(href: string): string {
  return href
    .replace(/#.*$/s, '')
    .replace(/^(https?:\/\/)[^/]*@/, '$1')
    .replace(/%[0-9a-f]{2}/gi, (octet) => {
      const character = String.fromCharCode(parseInt(octet.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : octet.toUpperCase();
    });
}
