/** The project's own signs of a challenge, and its answer to a host that refuses the crawler. */
import { z } from 'zod';
import { MAX_COOKIES } from '../../core/access/stored-jar.ts';
import { messageOf } from '../../core/base/error-message.ts';
import { lazy } from '../../core/base/lazy.ts';
import { cookieSchema } from '../../core/crawl/network-schema.ts';
import type { HookedPage, PageHooks, RefusalAnswer } from '../../crawler/turn/page-hooks.ts';
import { inHook } from '../project/hook-context.ts';
import type { ChallengeSign, StrandConfig } from '../project/project.ts';
import type { PageContent } from './page-content.ts';
import { type HookLimits, runHook } from './run-hook.ts';

export interface ChallengeHooksOptions {
  readonly limits: HookLimits;
  /** Calls `use` with the page's content. */
  readonly withContent: <T>(
    page: HookedPage,
    use: (content: PageContent, left: () => HookLimits) => Promise<T>,
  ) => Promise<T>;
  readonly onFailure: (url: string, error: unknown) => void;
}

const ANSWERS: ReadonlySet<unknown> = new Set(['rest', 'giveUp', 'ask']);
/** A jar keeps no more. */
const cookieAnswer = lazy(() => z.strictObject({ cookies: z.array(cookieSchema()).min(1).max(MAX_COOKIES) }));

/** Only those that the project has, so that a page costs nothing without. */
export function createChallengeHooks(
  { challenge, onChallenge }: Pick<StrandConfig, 'challenge' | 'onChallenge'>,
  { limits, withContent, onFailure }: ChallengeHooksOptions,
): Pick<PageHooks, 'isChallenge' | 'onChallenge'> {
  const signs = challenge === undefined ? [] : [challenge].flat();
  const isChallenge = async (page: HookedPage): Promise<boolean> => {
    const likely = signs.filter((sign) => fitsHead(sign, page));
    if (likely.length === 0) return false;
    if (likely.some(({ selector, text }) => selector === undefined && text === undefined)) return true;
    try {
      return await withContent(page, (content, left) =>
        runHook(() => likely.some((sign) => fitsContent(sign, content)), left()),
      );
    } catch (error) {
      onFailure(page.url, error);
      return false;
    }
  };
  const answer: NonNullable<PageHooks['onChallenge']> = async (seen) => {
    try {
      const call = { source: 'onChallenge', url: seen.url } as const;
      const given: unknown = await runHook(() => inHook(call, () => onChallenge?.(seen)), limits);
      return checked(given);
    } catch (error) {
      onFailure(seen.url, error);
      return 'rest';
    }
  };
  return {
    ...(signs.length > 0 && { isChallenge }),
    ...(onChallenge !== undefined && { onChallenge: answer }),
  };
}

/** Shows no value of a cookie. */
function checked(given: unknown): RefusalAnswer {
  if (given === undefined) return 'rest';
  if (ANSWERS.has(given)) return given as RefusalAnswer;
  if (typeof given !== 'object' || given === null)
    throw new Error(`Expected 'rest', 'giveUp', 'ask' or { cookies }, got ${messageOf(given)}`);
  const { data } = cookieAnswer().safeParse(given);
  if (data === undefined)
    throw new Error(`Expected { cookies } to be 1 to ${MAX_COOKIES} cookies as in the setting \`cookies\``);
  return data;
}

function fitsHead({ url, status }: ChallengeSign, page: HookedPage): boolean {
  const isStatus = status === undefined || [status].flat().includes(page.response.httpStatus);
  return isStatus && (url === undefined || page.url.includes(url));
}

function fitsContent({ selector, text }: ChallengeSign, content: PageContent): boolean {
  const hasText = text === undefined || content.html.includes(text);
  return hasText && (selector === undefined || content.$(selector).length > 0);
}
