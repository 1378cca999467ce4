import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { robotsUrl } from '../../shared/robots/policy.ts';
import { isAllowed, parseRobots, pathAndQuery, productToken } from '../../shared/robots/rules.ts';

interface Case {
  readonly id: string;
  readonly tier: 'must' | 'should' | 'info';
  readonly in: {
    readonly op: string;
    readonly robots?: string;
    readonly robots_b64?: string;
    readonly robots_parts?: readonly (readonly [text: string, times: number])[];
    readonly agent: string;
    readonly url: string;
    readonly robots_url: string;
  };
  readonly want: Readonly<Record<string, unknown>>;
}

/** One reference's leniency that we do not share: it would fetch what the text of RFC 9309 forbids. */
const STRICTER_THAN_ONE_REFERENCE = [
  // Google alone reads `Allow: /x/index.html` as allowing `/x/` too.
  'google-robotstxt/GoogleOnly_IndexHTMLisDirectory:505/72',
  'protego/test_index_html_is_directory/310',
  // crawler-commons alone takes `/*` to be as long as `/`; a case of tier must says otherwise of `/*$`.
  'crawler-commons-prefixmode/SimpleRobotRulesParserTest.testPrecedenceOfRules:1128/747',
];

const folder = fileURLToPath(new URL('../../../shared/conformance/robots/', import.meta.url));
const isPresent = existsSync(folder);
if (!isPresent) console.warn(`SKIPPED: the robots conformance cases are not at ${folder}`);

function answer({ in: input }: Case): Record<string, unknown> {
  const text = input.robots ?? input.robots_parts?.map(([part, times]) => part.repeat(times)).join('') ?? '';
  const body = input.robots_b64 === undefined ? Buffer.from(text) : Buffer.from(input.robots_b64, 'base64');
  switch (input.op) {
    case 'robots_url':
      return { robots_url: robotsUrl(input.url) };
    case 'robots': {
      const path = pathAndQuery(URL.parse(input.url)?.href ?? 'http://none/');
      return { allowed: isAllowed(parseRobots(body, productToken(input.agent)), path).allowed };
    }
    case 'robots_meta': {
      const { crawlDelayMs, sitemaps } = parseRobots(body, productToken(input.agent));
      return {
        crawlDelay: crawlDelayMs === undefined ? null : crawlDelayMs / 1000,
        sitemaps_set: sitemaps.map((url) => URL.parse(url, input.robots_url)?.href ?? url).sort(),
      };
    }
    default:
      throw new Error(`Expected a known op, got ${input.op}`);
  }
}

function isRight(one: Case): boolean {
  const got = answer(one);
  return Object.entries(one.want).every(([key, want]) => {
    const wanted = Array.isArray(want) ? [...want].sort() : want;
    return JSON.stringify(got[key]) === JSON.stringify(wanted);
  });
}

describe.skipIf(!isPresent)('published robots.txt cases', () => {
  test.each(['rules', 'rfc9309', 'crawl-delay-sitemaps', 'robots-url'])(
    '%s: all that must pass do',
    (name) => {
      const lines = readFileSync(`${folder}${name}.jsonl`, 'utf8').trim().split('\n');
      const cases = lines.map((line): Case => JSON.parse(line));
      const wrong = cases.filter((one) => !isRight(one));
      const totals = (['must', 'should', 'info'] as const).map((tier) => {
        const [all, failed] = [cases, wrong].map((list) => list.filter((one) => one.tier === tier).length);
        return `${tier} ${all! - failed!}/${all}`;
      });
      console.log(`${name}: ${totals.join(', ')}`);
      expect(cases.length).toBeGreaterThan(0);
      const ids = wrong.filter(({ tier }) => tier !== 'info').map(({ id }) => id);
      expect(ids.filter((id) => !STRICTER_THAN_ONE_REFERENCE.includes(id))).toEqual([]);
    },
  );
});
