import { setTimeout as pause } from 'node:timers/promises';
import type { FetchMiddleware, FetchOutcome } from 'strand-crawler';

export interface SignInOptions {
  /** Only requests to this origin get the cookie. */
  readonly origin: string;
  /** Where the form is sent to. */
  readonly loginPath: string;
  readonly form: Readonly<Record<string, string>>;
  /** Before and after each login, which is a request to the host like any. */
  readonly pauseMs: number;
}

/** After a login that failed, none is tried for so long: a wrong password must not be sent with each page. */
const REST_MS = 60_000;

/**
 * A middleware that sends the form before the first page, gives every request the cookies of the response,
 * and does so again when the site has forgotten them: it answers 401 or 403, or leads to the form. However
 * many pages find that out at once, one login is in progress at a time, and all of them wait for it.
 */
export function signIn({ origin, loginPath, form, pauseMs }: SignInOptions): FetchMiddleware {
  const loginUrl = new URL(loginPath, origin).href;
  /** The cookies of the login that was made last, or is in progress, as the `Cookie` field has them. */
  let session: Promise<string> | undefined;

  /**
   * `stale`: what the site no longer takes. A second caller with it gets what the first one has begun.
   */
  function signedIn(stale?: Promise<string>): Promise<string> {
    if (session !== undefined && session !== stale) return session;
    const begun = logIn();
    session = begun;
    begun.catch(async () => {
      await pause(REST_MS, undefined, { ref: false });
      if (session === begun) session = undefined;
    });
    return begun;
  }

  async function logIn(): Promise<string> {
    await pause(pauseMs);
    const response = await fetch(loginUrl, {
      method: 'POST',
      body: new URLSearchParams(form),
      redirect: 'manual',
      signal: AbortSignal.timeout(30_000),
    });
    await response.body?.cancel();
    const given = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
    if (given.length === 0)
      throw new Error(`The login at ${loginUrl} gave no cookie (HTTP ${response.status})`);
    await pause(pauseMs);
    return given.join('; ');
  }

  const isSignedOut = (outcome: FetchOutcome): boolean => {
    if (outcome.status !== 'response') return false;
    if (outcome.httpStatus === 401 || outcome.httpStatus === 403) return true;
    const location = outcome.headers.find(([name]) => name.toLowerCase() === 'location')?.[1];
    return location !== undefined && URL.parse(location, outcome.url)?.href === loginUrl;
  };

  return async (request, next) => {
    const { origin: asked, pathname } = new URL(request.url);
    if (asked !== origin || pathname === '/robots.txt') return next(request);
    const by = async (cookies: Promise<string>) =>
      next({ ...request, headers: { ...request.headers, Cookie: await cookies } });
    const used = signedIn();
    const outcome = await by(used);
    if (!isSignedOut(outcome)) return outcome;
    if (outcome.status === 'response') await outcome.body.dispose();
    // Once: a page that even a new session may not see is what it is.
    return by(signedIn(used));
  };
}
