import { describe, expect, test } from 'vitest';
import type { HookError } from '../../../shared/crawler/ports/hook-error-log.ts';
import type { PageHooks, RefusalAnswer, SeenRefusal } from '../../../shared/crawler/turn/page-hooks.ts';
import { createHooks, type ProjectHooks } from '../../../shared/services/hooks/create-hooks.ts';
import type { ChallengeSign } from '../../../shared/services/project/project.ts';
import { handClock, madePage } from './made-page.ts';

const config = {
  ...{ blockTimeoutMs: 60_000, hookTimeoutMs: 60_000, maxDecodedBytes: 100_000, maxLinksPerPage: 5 },
};
const COOKIE = { domain: 'a.test', name: 'pass', value: 'pass-word' };
const SEEN: SeenRefusal = {
  ...{ url: 'https://a.test/', refusal: 'challenged', vendor: 'Cloudflare', httpStatus: 403 },
  ...{ cause: 'challenged by Cloudflare (HTTP 403)', rests: 0 },
};

function hooksOf(project: ProjectHooks, failures: HookError[] = []): PageHooks | undefined {
  const onFailure = (error: HookError) => void failures.push(error);
  return createHooks(project, { config, clock: handClock().clock, onFailure });
}

describe("the project's own signs of a challenge", () => {
  const BODY = '<html><form id="prove">Are you a person?</form></html>';
  const isChallenge = async (challenge: ChallengeSign | ChallengeSign[]) =>
    hooksOf({ challenge })?.isChallenge?.(await madePage({ body: BODY }));

  test.each<[what: string, sign: ChallengeSign | ChallengeSign[], expected: boolean]>([
    ['an element', { selector: '#prove' }, true],
    ['no such element', { selector: '#other' }, false],
    ['a text', { text: 'Are you a person?' }, true],
    ['a status', { status: [200, 403] }, true],
    ['another status', { status: 403 }, false],
    ['all of a sign', { status: 200, selector: '#prove', text: 'person' }, true],
    ['not all of a sign', { status: 200, selector: '#prove', text: 'robot' }, false],
    ['a part of the URL that is another one', { url: '/prove?', text: 'person' }, false],
    ['one of several signs', [{ status: 403 }, { text: 'person' }], true],
  ])('%s', async (_what, sign, expected) => {
    expect(await isChallenge(sign)).toBe(expected);
  });

  test('that cannot be looked for are an error of the project, and the page is one', async () => {
    const failures: HookError[] = [];
    const hooks = hooksOf({ challenge: { selector: 'a[' } }, failures);
    expect(await hooks?.isChallenge?.(await madePage({ body: BODY }))).toBe(false);
    expect(failures).toMatchObject([{ source: 'onChallenge' }]);
  });

  test('are not asked for where the project has none', () => {
    expect(hooksOf({ onPage: () => undefined })?.isChallenge).toBeUndefined();
    expect(hooksOf({ onPage: () => undefined })?.onChallenge).toBeUndefined();
    expect(hooksOf({})).toBeUndefined();
  });
});

describe('onChallenge', () => {
  test.each<[answer: unknown, becomes: RefusalAnswer]>([
    ['rest', 'rest'],
    ['giveUp', 'giveUp'],
    [undefined, 'rest'],
    [Promise.resolve('giveUp'), 'giveUp'],
    ['ask', 'ask'],
    [{ cookies: [COOKIE] }, { cookies: [COOKIE] }],
  ])('%o', async (answer, becomes) => {
    const seen: SeenRefusal[] = [];
    const hooks = hooksOf({
      onChallenge: (given) => {
        seen.push(given);
        return answer as 'rest';
      },
    });
    expect(await hooks?.onChallenge?.(SEEN)).toEqual(becomes);
    expect(seen).toEqual([SEEN]);
  });

  test('that fails, or answers something else, is an error, and the host rests', async () => {
    const failures: HookError[] = [];
    const failing = hooksOf(
      {
        onChallenge: () => {
          throw new Error('no');
        },
      },
      failures,
    );
    const strange = hooksOf({ onChallenge: () => 'solve' as 'rest' }, failures);
    expect(await failing?.onChallenge?.(SEEN)).toBe('rest');
    expect(await strange?.onChallenge?.(SEEN)).toBe('rest');
    expect(failures.map(({ message }) => message)).toEqual([
      'no',
      "Expected 'rest', 'giveUp', 'ask' or { cookies }, got solve",
    ]);
  });

  test.each<[what: string, answer: unknown]>([
    ['none', { cookies: [] }],
    ['one without a domain', { cookies: [{ ...COOKIE, domain: undefined }] }],
    ['one with a line end', { cookies: [{ ...COOKIE, value: 'pass-word\r\nX: 1' }] }],
    ['more than a jar keeps', { cookies: Array(51).fill(COOKIE) }],
    ['a further key', { cookies: [COOKIE], jar: 'pass-word' }],
  ])('cookies are checked, and not shown: %s', async (_what, answer) => {
    const failures: HookError[] = [];
    const hooks = hooksOf({ onChallenge: () => answer as 'rest' }, failures);
    expect(await hooks?.onChallenge?.(SEEN)).toBe('rest');
    const message = 'Expected { cookies } to be 1 to 50 cookies as in the setting `cookies`';
    expect(failures).toMatchObject([{ source: 'onChallenge', message }]);
  });
});
