import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { canonicalize, createResolver } from '../../shared/url/canonical.ts';
import { hostKey, hostName } from '../../shared/url/host-key.ts';
import { registrableDomain } from '../../shared/url/registrable-domain.ts';

interface Case {
  readonly id: string;
  readonly tier: 'must' | 'should' | 'info';
  readonly in: {
    readonly input: string;
    readonly base: string | null;
    readonly a: string;
    readonly b: string;
    readonly host: string;
  };
  readonly want: {
    readonly failure?: boolean;
    readonly href?: string;
    readonly hostname?: string;
    readonly same?: boolean;
    readonly domain?: string | null;
  };
}

const folder = fileURLToPath(new URL('../../../shared/conformance/url/', import.meta.url));
const isPresent = existsSync(folder);
if (!isPresent) console.warn(`SKIPPED: the URL conformance cases are not at ${folder}`);

/** The file's cases of the tiers `must` and `should`; their number is checked, so that none is lost unseen. */
function cases(file: string, expected: number): Case[] {
  const lines = readFileSync(`${folder}${file}`, 'utf8').split('\n').filter(Boolean);
  const chosen = lines.map((line) => JSON.parse(line) as Case).filter(({ tier }) => tier !== 'info');
  expect(chosen).toHaveLength(expected);
  return chosen;
}

/** The ids of the cases that `holds` refuses. */
const refused = (all: readonly Case[], holds: (c: Case) => boolean): string[] =>
  all.filter((c) => !holds(c)).map((c) => `${c.id} ${JSON.stringify(c.in)}`);

describe.skipIf(!isPresent)('the published URL cases', () => {
  test('two URLs have one canonical form exactly if they are one identity', () => {
    const pairs = cases('identity-pairs.jsonl', 129);
    expect(
      refused(pairs, ({ in: { a, b }, want }) => {
        const first = canonicalize(a);
        return first !== undefined && (first === canonicalize(b)) === want.same;
      }),
    ).toEqual([]);
  });

  test('what the WHATWG parser reads as http or https, and nothing else, has the canonical form of its result', () => {
    const parses = [...cases('whatwg-urltestdata.jsonl', 888), ...cases('resolve.jsonl', 41)];
    expect(
      refused(parses, ({ in: { input, base }, want }) => {
        const canonical = canonicalize(input, base ?? undefined);
        const isHttp = want.href !== undefined && /^https?:/.test(want.href);
        return isHttp ? canonical === canonicalOf(want.href) : canonical === undefined;
      }),
    ).toEqual([]);
  });

  test('the resolver agrees with them', () => {
    const parses = [...cases('whatwg-urltestdata.jsonl', 888), ...cases('resolve.jsonl', 41)];
    expect(
      refused(parses, ({ in: { input, base } }) => {
        return base === null || createResolver(base)(input) === canonicalize(input, base);
      }),
    ).toEqual([]);
  });

  test('IPv4 addresses in any notation become one host', () => {
    const addresses = cases('ipv4.jsonl', 31);
    expect(
      refused(addresses, ({ in: { input }, want }) => {
        const canonical = canonicalize(input);
        return canonical === undefined
          ? want.failure === true
          : hostName(hostKey(canonical)) === want.hostname;
      }),
    ).toEqual([]);
  });

  test('registrable domains are those of the Public Suffix List', () => {
    const hosts = cases('psl.jsonl', 73);
    // A host key is lower case; the list's vectors are hosts as people write them.
    expect(
      refused(
        hosts,
        ({ in: { host }, want }) => (registrableDomain(host.toLowerCase()) ?? null) === want.domain,
      ),
    ).toEqual([]);
  });
});

/** What the rules make of a WHATWG serialization, written without a look at the implementation. */
function canonicalOf(href: string): string {
  return href
    .replace(/#.*$/s, '')
    .replace(/^(https?:\/\/)[^/]*@/, '$1')
    .replace(/%[0-9a-f]{2}/gi, (octet) => {
      const character = String.fromCharCode(parseInt(octet.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : octet.toUpperCase();
    });
}
