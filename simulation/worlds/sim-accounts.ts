/** The accounts of a world's project, with the deployed code: a login by a form with a token, and a sign on each page. */
import type { Accounts } from '../../shared/crawler/turn/access/accounts.ts';
import { createAccounts } from '../../shared/services/accounts/create-accounts.ts';
import { CHECK_PATH, LOGIN_PATH, type MembersPlan, SIGN, wordOf } from '../web/member-plan.ts';

export interface SimAccounts {
  /** For a process. */
  create(): Accounts | undefined;
}

/** Loads what accounts need before the world begins: within it, nothing may be waited for. */
export async function loadSimAccounts(
  { accounts, limits, hasCheck }: MembersPlan,
  hosts: readonly string[],
): Promise<SimAccounts> {
  const [{ loadCheerio }] = await Promise.all([
    import('../../shared/services/hooks/page-content.ts'),
    import('../../shared/services/accounts/login-tools.ts'),
    import('../../shared/crawler/access/host-cookies.ts'),
  ]);
  await loadCheerio();
  let logins = 0;
  const options = accounts.map(({ name }) => ({
    name,
    hosts,
    limits,
    secret: `env:${name}`,
    signedIn: { text: SIGN },
    ...(hasCheck && { check: CHECK_PATH }),
    async login({ get, post, form, secret }: Parameters<NonNullable<LoginOf>>[0]) {
      const { action, fields } = form(await get(`${LOGIN_PATH}?id=${name}.${++logins}`));
      await post(action, { ...fields, user: name, word: secret });
    },
  }));
  const read = async (reference: string) => wordOf(reference.slice('env:'.length));
  return { create: () => (hosts.length > 0 ? createAccounts(options, read) : undefined) };
}

type LoginOf = Parameters<typeof createAccounts>[0][number]['login'];
