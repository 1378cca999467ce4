/** The functions by which a project's `login` signs in. */

import type { FetchedResponse } from '../../core/outcome/fetch-outcome.ts';
import { fieldValues } from '../../core/outcome/response-head.ts';
import { hostKey } from '../../core/url/host-key.ts';
import { domainOf } from '../../core/url/registrable-domain.ts';
import type { LoginAt } from '../../crawler/turn/access/accounts.ts';
import { createPageContent, loadCheerio } from '../hooks/page-content.ts';
import type { LoginForm, LoginPage, LoginTools } from '../project/account-options.ts';

const MAX_REDIRECTS = 10;
const MAX_BYTES = 16 * 1024 * 1024;
/** RFC 9110, section 15.4: these become a GET. */
const BECOMES_GET = new Set([301, 302, 303]);
const FORM = 'application/x-www-form-urlencoded';

interface Sent {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

export interface LoginRun {
  readonly tools: LoginTools;
  /** The response of the page that was requested last. */
  readonly last: () => FetchedResponse | undefined;
}

/** `mayAsk`: whether the login may request a URL of this host. */
export async function createLoginTools(
  { fetch, origin, cookies }: LoginAt,
  secret: unknown,
  mayAsk: (url: string) => boolean,
): Promise<LoginRun> {
  await loadCheerio();
  let last: FetchedResponse | undefined;
  let base = `${origin}/`;

  async function request(given: string, first: Sent): Promise<LoginPage> {
    let url = new URL(given, base).href;
    let sent =
      first.method === 'GET' ? first : { ...first, headers: { ...sentFrom(base, url), ...first.headers } };
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      if (!mayAsk(url))
        throw new Error(`The login leads to ${domainOf(hostKey(url))}, which is none of its hosts`);
      await last?.body.dispose();
      last = undefined;
      const response = await fetch({ url, ...sent });
      last = response;
      const location = fieldValues(response.headers, 'location')[0];
      const isRedirect = response.httpStatus >= 300 && response.httpStatus < 400 && location !== undefined;
      base = url;
      if (!isRedirect) return pageOf(response);
      url = new URL(location, url).href.split('#', 1)[0] as string;
      if (BECOMES_GET.has(response.httpStatus)) sent = { method: 'GET' };
      else if (sent.method !== 'GET')
        sent = { ...sent, headers: { ...sent.headers, ...sentFrom(base, url) } };
    }
    throw new Error(`Expected at most ${MAX_REDIRECTS} redirects of a login`);
  }

  const tools: LoginTools = {
    get: (url, headers) => request(url, { method: 'GET', headers }),
    post(url, fields, headers) {
      const body = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString();
      return request(url, { method: 'POST', headers: { 'Content-Type': FORM, ...headers }, body });
    },
    form: formOf,
    jar: {
      get(name) {
        const pairs = (cookies.headerFor(base) ?? '').split('; ');
        return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
      },
    },
    secret,
  };
  return { tools, last: () => last };
}

/** Fields by which sites see that a form is their own, as a browser sends them: Django requires `Referer` by https. */
function sentFrom(page: string, url: string): Record<string, string> {
  const { origin, href } = new URL(page);
  const isSame = origin === new URL(url).origin;
  return { Origin: origin, Referer: isSame ? (href.split('#', 1)[0] as string) : `${origin}/` };
}

async function pageOf(response: FetchedResponse): Promise<LoginPage> {
  const { url, headers, httpStatus: status } = response;
  const content = createPageContent(await response.body.bytes(), { headers }, { url }, MAX_BYTES);
  return {
    url,
    status,
    headers,
    get bytes() {
      return content.body;
    },
    get html() {
      return content.html;
    },
    get $() {
      return content.$;
    },
  };
}

/** A browser does not send fields of these types, but for the button that sends the form: the first one, if somebody presses Enter. */
const UNSENT = new Set(['submit', 'button', 'image', 'reset', 'file']);
const BUTTONS = 'input[type=submit i], button:not([type]), button[type=submit i]';

function formOf({ url, $ }: LoginPage, selector?: string): LoginForm {
  const forms = selector === undefined ? $('form') : $(selector);
  const withPassword = forms.filter((_, form) => $(form).find('input[type=password i]').length > 0);
  const form = (selector === undefined && withPassword.length > 0 ? withPassword : forms).first();
  if (form.length === 0) throw new Error(`Expected a form at ${new URL(url).pathname}, found none`);
  const fields: Record<string, string> = {};
  const button = form.find(BUTTONS).first();
  for (const element of form.find('input[name], select[name], textarea[name]').toArray()) {
    const field = $(element);
    const name = field.attr('name') as string;
    const type = (field.attr('type') ?? 'text').toLowerCase();
    const isOff = ['checkbox', 'radio'].includes(type) && field.attr('checked') === undefined;
    if (field.attr('disabled') !== undefined || UNSENT.has(type) || isOff) continue;
    const value = field.val() ?? field.find('option').first().attr('value');
    fields[name] = String(
      Array.isArray(value) ? (value[0] ?? '') : (value ?? (type === 'checkbox' ? 'on' : '')),
    );
  }
  const name = button.attr('name');
  if (name && button.attr('disabled') === undefined) fields[name] = button.attr('value') ?? '';
  const base = URL.parse($('base[href]').first().attr('href') ?? '', url) ?? url;
  const action = new URL(form.attr('action') || url, form.attr('action') ? base : url).href;
  return { action, method: /^post$/i.test(form.attr('method') ?? '') ? 'POST' : 'GET', fields };
}
