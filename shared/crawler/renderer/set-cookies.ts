import type { RenderCookie } from '../ports/renderer.ts';
import { type Connection, RefusedCommand } from './connection.ts';

/** Gives a page its cookies, without those that the browser does not take, such as too long ones. */
export async function setCookies(
  connection: Connection,
  browserContextId: string | undefined,
  cookies: readonly RenderCookie[],
): Promise<void> {
  const set = (some: readonly RenderCookie[]) =>
    connection.send('Storage.setCookies', { browserContextId, cookies: some.map(ofBrowser) });
  const isRefused = (error: unknown) => {
    if (!(error instanceof RefusedCommand)) throw error;
    return true;
  };
  if (cookies.length === 0 || !(await set(cookies).then(() => false, isRefused))) return;
  await Promise.all(cookies.map((one) => set([one]).catch(isRefused)));
}

/** Without the dot, the browser sends it to the host of that name alone. */
const ofBrowser = ({ domain, ...cookie }: RenderCookie): object =>
  domain === undefined ? cookie : { ...cookie, domain: `.${domain}` };
