import { messageOf } from '../../core/base/error-message.ts';
import { isOriginPattern } from '../../core/url/origin-pattern.ts';
import { domainOf } from '../../core/url/registrable-domain.ts';
import type { AccountOptions } from './account-options.ts';
import { isReference } from './secret-reference.ts';

const KEYS = [
  'name',
  'hosts',
  'secret',
  'login',
  'cookies',
  'check',
  'signedIn',
  'signedOut',
  'signOut',
  'limits',
];
const SIGN = ['selector', 'text'];
const LIMITS = ['pagesPerSession', 'pagesPerHour', 'loginsPerHour', 'restMs'];
const MAX_ACCOUNTS = 100;
/** A site locks an account after a few wrong passwords. */
const MIN_REST_MS = 30_000;
const NAME = /^[\w.-]{1,64}$/;
const REFERENCES = 'env:NAME, file:PATH, aws:ssm/NAME or aws:secrets/NAME';

/** The faults of the accounts in a project's file, as sentences. No value of theirs is shown. */
export async function accountFaults(accounts: unknown): Promise<string[]> {
  if (!Array.isArray(accounts) || accounts.length > MAX_ACCOUNTS)
    return [`Expected accounts to be a list of at most ${MAX_ACCOUNTS} accounts`];
  const names = accounts.map((account) => (isRecord(account) ? account.name : undefined));
  const faults = accounts.flatMap((account: unknown, index) => {
    const at = `accounts.${index}`;
    if (!isRecord(account)) return [`Expected ${at} to be an account`];
    const own = faultsOf(account, at);
    return names.indexOf(account.name) < index
      ? [...own, `Expected ${at}.name to be no other account's`]
      : own;
  });
  return faults.length > 0 ? faults : selectorFaults(accounts);
}

async function selectorFaults(accounts: readonly AccountOptions[]): Promise<string[]> {
  const selectors = accounts.flatMap(({ signedIn, signedOut }, index) =>
    Object.entries({ signedIn, signedOut }).flatMap(([key, sign]) =>
      sign?.selector === undefined ? [] : [{ at: `accounts.${index}.${key}`, selector: sign.selector }],
    ),
  );
  if (selectors.length === 0) return [];
  // Takes 100 ms the first time, which projects without accounts do not pay.
  const { load } = await import('cheerio');
  const page = load('<p>').root();
  return selectors.flatMap(({ at, selector }) => {
    try {
      page.find(selector);
      return [];
    } catch (error) {
      return [`Expected ${at}.selector to be a CSS selector: ${messageOf(error)}`];
    }
  });
}

function faultsOf(account: Readonly<Record<string, unknown>>, at: string): string[] {
  const { name, hosts, secret, login, cookies, check, signedIn, signedOut, signOut, limits = {} } = account;
  const rules: [isRight: boolean, fault: string][] = [
    [isText(name) && NAME.test(name), `${at}.name to be a name of letters, digits, ".", "-" and "_"`],
    [areHosts(hosts), `${at}.hosts to be patterns of hosts, all of one registrable domain`],
    [secret === undefined || isReference(secret), `${at}.secret to be ${REFERENCES}`],
    [cookies === undefined || isReference(cookies), `${at}.cookies to be ${REFERENCES}`],
    [login === undefined || typeof login === 'function', `${at}.login to be a function (tools) => page`],
    [login !== undefined || cookies !== undefined, `${at} to have a login, or cookies`],
    [check === undefined || isText(check), `${at}.check to be a URL or a path`],
    [
      isSign(signedIn),
      `${at}.signedIn to be { selector } or { text }, which pages show to those alone who are signed in`,
    ],
    [
      signedOut === undefined || isSignedOut(signedOut),
      `${at}.signedOut to have selector, text, location: texts, or status: a list of statuses`,
    ],
    [signOut === undefined || signOut instanceof RegExp, `${at}.signOut to be a regular expression`],
    [
      isRecord(limits) && Object.entries(limits).every(isLimit),
      `${at}.limits to have ${LIMITS.join(', ')}: whole numbers above 0, restMs at least ${MIN_REST_MS}`,
    ],
    ...Object.keys(account).map((key): [boolean, string] => [
      KEYS.includes(key),
      `${at} to have the keys ${KEYS.join(', ')}, not ${JSON.stringify(key.slice(0, 60))}`,
    ]),
  ];
  return rules.filter(([isRight]) => !isRight).map(([, fault]) => `Expected ${fault}`);
}

function areHosts(hosts: unknown): boolean {
  if (!Array.isArray(hosts) || hosts.length === 0 || !hosts.every(isText)) return false;
  if (!hosts.every((host) => isOriginPattern(host) && host !== '*')) return false;
  return new Set(hosts.map(domainOfPattern)).size === 1;
}

/** The domain of all hosts that a pattern matches. */
const domainOfPattern = (pattern: string): string =>
  domainOf(
    pattern
      .toLowerCase()
      .replace(/^https:\/\//, '')
      .replace(/^(?:\*\.)+/, ''),
  );

function isSign(sign: unknown, keys: readonly string[] = SIGN): sign is Readonly<Record<string, unknown>> {
  if (!isRecord(sign)) return false;
  const { selector, text } = sign;
  return (
    keys.some((key) => sign[key] !== undefined) &&
    Object.keys(sign).every((key) => keys.includes(key)) &&
    (selector === undefined || isText(selector)) &&
    (text === undefined || isText(text) || text instanceof RegExp)
  );
}

function isSignedOut(sign: unknown): boolean {
  if (!isSign(sign, [...SIGN, 'location', 'status'])) return false;
  const { location, status = [] } = sign;
  return (
    (location === undefined || isText(location)) && Array.isArray(status) && status.every(Number.isInteger)
  );
}

const isLimit = ([key, value]: [string, unknown]): boolean =>
  LIMITS.includes(key) &&
  Number.isSafeInteger(value) &&
  (value as number) >= (key === 'restMs' ? MIN_REST_MS : 1);

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
