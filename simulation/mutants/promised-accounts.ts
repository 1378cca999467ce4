/** Mutants of what is promised of accounts at sites (docs/accounts.md): the tests that they name must notice them. */
import type { PromiseMutant } from './promise-mutant.ts';

const ONE = 'one worker at a time signs in by an account';
const RESTS = 'an account whose login has failed rests, and is locked after the third failure';
const NO_PAGE = 'what a site shows to those who are signed out is no page, and its URL waits';
const NEWEST = 'what a visit has changed of a session that another login has replaced is dropped';

const TURNS = 'the requests of a login and of a check are those of one turn of their host';

const STATE = 'shared/core/access/account-state.ts';
const SESSION = 'shared/crawler/turn/access/account-session.ts';
const JARS = 'shared/engines/aws/state/jar-store.ts';
const SIGN_IN = 'shared/crawler/turn/access/sign-in.ts';
const ACCOUNTS = 'shared/crawler/turn/access/turn-accounts.ts';

const IN_WORLDS = ['test/crawler/turn/access/random-accounts.test.ts'];
const OF_TURNS = ['test/crawler/turn/access/accounts-of-turns.test.ts'];

/** Over the models of SQS, DynamoDB and Lambda. */
const IN_STACKS = { breaks: ['accountsKept'], worlds: 'members' } as const;

export const ACCOUNT_MUTANTS: readonly PromiseMutant[] = [
  {
    promise: ONE,
    what: 'nobody asks whether another worker signs in',
    file: STATE,
    edits: [
      [
        "if (lease && lease.until > now) return { kind: 'wait', until: Math.min(lease.until, now + LOOK_AGAIN_MS) };",
        '',
      ],
    ],
    tests: IN_WORLDS,
  },
  {
    promise: ONE,
    what: 'no login stores that it has begun',
    file: SIGN_IN,
    edits: [
      ['if (!(await session.store(withLease(session.state, clock.uuid(), begunAt, until)))) return;', ''],
    ],
    tests: IN_WORLDS,
  },
  {
    promise: ONE,
    what: 'a login begins though another worker has stored that it has begun one',
    file: SIGN_IN,
    edits: [
      [
        'if (!(await session.store(withLease(session.state, clock.uuid(), begunAt, until)))) return;',
        'await session.store(withLease(session.state, clock.uuid(), begunAt, until));',
      ],
    ],
    tests: IN_WORLDS,
  },
  {
    promise: RESTS,
    what: 'the account does not rest',
    file: STATE,
    edits: [['restUntil: now + restMs * 2 ** (failed - 1),', 'restUntil: now,']],
    tests: IN_WORLDS,
  },
  {
    promise: RESTS,
    what: 'an account that rests is used',
    file: STATE,
    edits: [["if (restUntil > now) return { kind: 'wait', until: restUntil };", '']],
    tests: IN_WORLDS,
  },
  {
    promise: RESTS,
    what: 'the account is never locked',
    file: STATE,
    edits: [['...(failed >= MAX_FAILED && { isLocked: true }),', '']],
    tests: OF_TURNS,
  },
  {
    promise: NO_PAGE,
    what: 'what is shown to those who are signed out is taken for the page',
    file: ACCOUNTS,
    edits: [["if (sign === 'in') return false;", 'if (sign !== undefined) return false;']],
    tests: IN_WORLDS,
  },
  {
    promise: NO_PAGE,
    what: 'a page without the sign of being signed in is a page',
    file: ACCOUNTS,
    edits: [
      [
        'if (sign === undefined && !isOfPage(response)) return false;',
        'if (sign === undefined) return false;',
      ],
    ],
    tests: IN_WORLDS,
  },
  {
    promise: NO_PAGE,
    what: 'a login is believed without the sign of being signed in',
    file: SIGN_IN,
    edits: [["if (sign === 'in') return true;", "if (sign !== 'out') return true;"]],
    tests: IN_WORLDS,
  },
  {
    promise: NEWEST,
    what: 'a visit replaces the jar though another one has written it',
    file: SESSION,
    edits: [
      [
        'await jars.replace(crawl, keyOf(this.account, this.#place), next);\n',
        `const key = keyOf(this.account, this.#place);
    if (await jars.replace(crawl, key, next)) return;
    const stored = await jars.load(crawl, key);
    await jars.replace(crawl, key, { ...next, version: (stored?.version ?? 0) + 1 });\n`,
      ],
    ],
    tests: OF_TURNS,
  },
  {
    promise: ONE,
    what: 'a stack stores a jar though another worker has written it',
    file: JARS,
    edits: [
      ['putItem(table, item, { ...replacing(version - 1), isOurs })', 'putItem(table, item, { isOurs })'],
    ],
    ...IN_STACKS,
  },
  {
    promise: ONE,
    what: 'a stack takes a write that was refused for its own',
    file: JARS,
    edits: [
      [
        'found.version?.N === String(version) && found.jar?.S === text && found.cookies?.S === cookies;',
        'found.version?.N === String(version);',
      ],
    ],
    ...IN_STACKS,
  },
  {
    promise: ONE,
    what: 'a login is made again and again in an hour',
    file: STATE,
    edits: [
      [
        "if (logins.length < limits.loginsPerHour) return { kind: 'login' };",
        "if (logins.length >= 0) return { kind: 'login' };",
      ],
    ],
    ...IN_STACKS,
  },
  {
    promise: NO_PAGE,
    what: 'the worker of a stack has no accounts',
    file: 'functions/worker-handler.ts',
    edits: [['accounts: deps.accounts,', 'accounts: undefined,']],
    ...IN_STACKS,
    breaks: ['signedIn'],
  },
  {
    promise: TURNS,
    what: "the last request of a login that was given up is nobody's",
    file: SIGN_IN,
    edits: [['    await underWay;\n', '']],
    ...IN_STACKS,
    breaks: ['counted', 'oneRequest', 'unhurried'],
  },
  {
    promise: TURNS,
    what: 'whether a session holds is asked at the host where it began',
    file: SIGN_IN,
    edits: [['await signAt(landing.pathname, account', 'await signAt(landing.href, account']],
    ...IN_STACKS,
    breaks: ['counted', 'oneRequest', 'unhurried'],
  },
];
