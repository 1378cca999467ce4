import { PAGE_LIMITS } from '../../core/render/page-limits.ts';
import type { RenderCookie } from '../ports/renderer.ts';
import type { Connection } from './connection.ts';

interface StoredCookie extends Omit<RenderCookie, 'url'> {
  readonly domain: string;
  readonly path: string;
  readonly secure: boolean;
}

/** Separates the cookies that scripts of a page have set from those that the page had, and those that answers set. */
export class ScriptCookies {
  readonly #others = new Set<string>();

  constructor(given: readonly RenderCookie[]) {
    for (const { name, value } of given) this.#others.add(`${name}=${value}`);
  }

  /** Takes the value of a `Set-Cookie`. */
  noteAnswer(text: string): void {
    this.#others.add((text.split(';', 1)[0] as string).trim());
  }

  async read(connection: Connection, browserContextId: string | undefined): Promise<RenderCookie[]> {
    const { cookies } = await connection.send<{ cookies: StoredCookie[] }>('Storage.getCookies', {
      browserContextId,
    });
    return cookies
      .filter(({ httpOnly, name, value }) => !httpOnly && !this.#others.has(`${name}=${value}`))
      .slice(0, PAGE_LIMITS.cookies)
      .map(({ name, value, domain, path, secure }) => ({
        name,
        value,
        url: `${secure ? 'https' : 'http'}://${domain.replace(/^\./, '')}${path}`,
      }));
  }
}
