/** The sessions of a site for members, and the logins that it accepts. */
import { hash } from 'node:crypto';
import type { MembersPlan } from './member-plan.ts';

interface Session {
  readonly account: string;
  readonly contact: string | undefined;
  readonly until: number;
  left: number;
}

/** Times are of the web's age, ms. */
export interface MemberSessions {
  newId(): string;
  holds(id: string | undefined, age: number): boolean;
  /** Whether the site accepts a further login by the account, of the crawl with that contact. */
  accepts(account: string, contact: string | undefined): boolean;
  /** Returns the id of a new session. */
  begin(account: string, contact: string | undefined, age: number): string;
  /** A page of the session is shown. Returns its new id, if it gets one. */
  countPage(id: string, age: number): string | undefined;
  end(id: string | undefined): void;
}

/** A session has its earlier id for so long. */
const OLD_ID_MS = 30_000;

type Plan = Pick<MembersPlan, 'accounts' | 'pagesPerSession' | 'sessionMs' | 'hasOneSession' | 'rotates'>;

export function createMemberSessions(plan: Plan): MemberSessions {
  const { accounts, pagesPerSession, sessionMs, hasOneSession, rotates } = plan;
  /** By their ids, and until when these hold. */
  const sessions = new Map<string, { readonly session: Session; readonly until: number }>();
  const accepted = new Map<string, number>();
  let ids = 0;

  const newId = (): string => hash('sha256', `session ${ids++}`).slice(0, 20);
  const acceptedOf = (account: string, contact: string | undefined) =>
    accepted.get(`${contact} ${account}`) ?? 0;

  return {
    newId,
    holds(id = '', age) {
      const { session, until = 0 } = sessions.get(id) ?? {};
      return session !== undefined && until > age && session.left > 0 && session.until > age;
    },
    accepts: (account, contact) =>
      accounts.some((one) => one.name === account && acceptedOf(account, contact) < one.accepted),
    begin(account, contact, age) {
      accepted.set(`${contact} ${account}`, acceptedOf(account, contact) + 1);
      for (const [id, { session }] of hasOneSession ? sessions : [])
        if (session.account === account && session.contact === contact) sessions.delete(id);
      const id = newId();
      const session = { account, contact, until: age + sessionMs, left: pagesPerSession };
      sessions.set(id, { session, until: Number.POSITIVE_INFINITY });
      return id;
    },
    countPage(id, age) {
      const { session } = sessions.get(id) ?? {};
      if (session === undefined) return undefined;
      session.left--;
      if (!rotates || session.left % 3 !== 0) return undefined;
      const next = newId();
      sessions.set(id, { session, until: age + OLD_ID_MS });
      sessions.set(next, { session, until: Number.POSITIVE_INFINITY });
      return next;
    },
    end: (id = '') => void sessions.delete(id),
  };
}
