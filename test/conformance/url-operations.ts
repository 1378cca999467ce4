/** Reading, comparing and sorting URLs, and who owns a host. */
import { surt } from '../../shared/core/archive/surt.ts';
import { parseConfig } from '../../shared/core/crawl/config.ts';
import { canonicalize } from '../../shared/core/url/canonical.ts';
import { registrableDomain } from '../../shared/core/url/registrable-domain.ts';
import { createUrlRules } from '../../shared/core/url/url-rules.ts';
import { type Operation, optionalTextOf, textOf } from './question.ts';

export const URL_OPERATIONS: Readonly<Record<string, Operation>> = {
  /** The parser that our canonical form is made of; `canonical-form.test.ts` holds the one to the other. */
  url_parse(question) {
    const url = URL.parse(textOf(question, 'input'), optionalTextOf(question, 'base'));
    if (url === null) return { failure: true };
    const { href, hostname, port, pathname, search } = url;
    return { href, hostname, port, pathname, search };
  },

  same_url(question) {
    const one = canonicalize(textOf(question, 'a'));
    return { same: one !== undefined && one === canonicalize(textOf(question, 'b')) };
  },

  canon(question) {
    const url = textOf(question, 'url');
    const profile = textOf(question, 'profile');
    if (!Object.hasOwn(PROFILES, profile)) return { error: 'unsupported' };
    return { url: PROFILES[profile]?.(url) ?? null };
  },

  /**
   * The form by which a crawl knows a URL: canonical, then by the URL rules, with defaults for those not
   * given.
   */
  url_rules(question) {
    const url = canonicalize(textOf(question, 'url'));
    const { urlRules } = parseConfig({ urlRules: question.rules ?? {} });
    return { url: url === undefined ? null : createUrlRules(urlRules)(url) };
  },

  surt: (question) => ({ surt: surt(textOf(question, 'url')) }),

  /** Not used by us: the archive's indexes are sorted by `surt`. */
  ssurt: () => ({ error: 'unsupported' }),

  /** A host key is lower case; the cases have hosts as people write them. */
  registrable_domain: (question) => ({
    domain: registrableDomain(textOf(question, 'host').toLowerCase()) ?? null,
  }),
};

/** The recorded policies with our aim; the others rewrite more (or less) on purpose. */
const PROFILES: Readonly<Record<string, (url: string) => string | undefined>> = {
  basic: canonicalize,
  whatwg: (url) => URL.parse(url)?.href,
};
