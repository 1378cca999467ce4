/** Accounts of the operator at sites, as a project's file has them. */
import type { CheerioAPI } from 'cheerio';
import type { ResponseHead } from '../../core/outcome/response-head.ts';

export interface AccountOptions {
  /** As reports name it: letters, digits, `.`, `-` and `_`. */
  readonly name: string;
  /** Patterns of hosts, all of one registrable domain: `members.example.org`, `*.example.org`. */
  readonly hosts: readonly string[];
  /**
   * Where the secret is: `env:NAME`, `file:PATH`, `aws:ssm/NAME` or `aws:secrets/NAME`. It is read when a login begins, and never
   * stored. JSON is parsed.
   */
  readonly secret?: string;
  /** Signs in. The page that it requests last shows the sign `signedIn`. */
  readonly login?: (tools: LoginTools) => unknown;
  /** Instead of a login: where cookies in Netscape's format are, as for `secret`. */
  readonly cookies?: string;
  /** A URL whose page shows whether it is signed in. Default: the page on which the login has ended. */
  readonly check?: string;
  /** Pages show it only to those who are signed in. */
  readonly signedIn: SignOptions;
  /**
   * Responses show it only to those who are signed out, besides the usual signs: the statuses 401, 403 and 419, a redirect to a page
   * to sign in, a field for a password.
   */
  readonly signedOut?: SignOptions & {
    /** The path of a redirect's target begins with it. */
    readonly location?: string;
    readonly status?: readonly number[];
  };
  /** Links that sign out, besides the usual ones such as `/logout`: they are not followed. */
  readonly signOut?: RegExp;
  readonly limits?: {
    /** @default no limit: the site ends the session */
    readonly pagesPerSession?: number;
    /** @default no limit */
    readonly pagesPerHour?: number;
    /** @default 6 */
    readonly loginsPerHour?: number;
    /**
     * How long it rests after a login that has failed, twice as long after each further one. At least 30 s.
     * @default 3600000
     */
    readonly restMs?: number;
  };
}

export interface SignOptions {
  /** A CSS selector that matches. */
  readonly selector?: string;
  /** In the markup. */
  readonly text?: string | RegExp;
}

/** A page that a login has requested, after its redirects. */
export interface LoginPage extends Pick<ResponseHead, 'headers'> {
  readonly url: string;
  readonly status: number;
  /** The body, its content coding undone: of an image, for instance. */
  readonly bytes: Uint8Array;
  readonly html: string;
  readonly $: CheerioAPI;
}

/** A form with the values of its fields. */
export interface LoginForm {
  readonly action: string;
  readonly method: 'GET' | 'POST';
  /** With the hidden fields, such as a token against forged requests. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface LoginTools {
  /** Requests a URL, which may be relative to the site, at the host's pace; redirects are followed. */
  readonly get: (url: string, headers?: Readonly<Record<string, string>>) => Promise<LoginPage>;
  /** Sends fields as a form does; text is sent as it is. */
  readonly post: (
    url: string,
    body: Readonly<Record<string, string>> | string,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<LoginPage>;
  /** The form that the selector matches; by default the one with a field for a password, or else the first one. */
  readonly form: (page: LoginPage, selector?: string) => LoginForm;
  /** The cookies of this login. */
  readonly jar: { get(name: string): string | undefined };
  // biome-ignore lint/suspicious/noExplicitAny: the operator's own data, of whatever shape it has
  readonly secret: any;
}
