import type { AccountReport } from '../../shared/core/access/account-report.ts';

/** Says which accounts cannot sign in, each failure once. */
export function createAccountWarnings(
  warn: (line: string) => void,
): (accounts: readonly AccountReport[]) => void {
  const said = new Map<string, string>();
  return (accounts) => {
    for (const { name, domain, state, failures, failure, restUntil } of accounts) {
      if (failure === undefined || (state !== 'resting' && state !== 'locked')) continue;
      const account = `${name} (${domain})`;
      const happened = `${failures} ${state}`;
      if (said.get(account) === happened) continue;
      said.set(account, happened);
      const next = state === 'locked' ? 'it is locked' : `it rests until ${restUntil}`;
      warn(`The account ${account} cannot sign in: ${failure}; ${next}`);
    }
  };
}
