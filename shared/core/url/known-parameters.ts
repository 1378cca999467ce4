/**
 * Query parameters that say nothing about the page: who sent the visitor, and which visit it is. Put together
 * from what the services say in their own manuals about the parameters that they add to links, and from the
 * default names of the session ids of servlet containers, PHP, ASP, ColdFusion and the common shops; nothing
 * that sites use otherwise, too.
 */

const TRACKING = [
  // Google Analytics and Ads.
  ...['gclid', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'gad_source', 'gad_campaignid', 'srsltid'],
  ...['_ga', '_gl', '_gac'],
  // Click ids of other networks.
  ...['fbclid', 'msclkid', 'yclid', 'ysclid', 'twclid', 'ttclid', 'igshid', 'igsh', 'li_fat_id', 'epik'],
  ...['rdt_cid', 'sccid', 'irclickid', 'cjevent', 'tblci', 'dicbo', 'wickedid', 'ef_id', 's_kwcid'],
  ...['fb_action_ids', 'fb_action_types', 'fb_source', '_branch_match_id', '_branch_referrer'],
  // Mailings.
  ...['mc_cid', 'mc_eid', '_hsenc', '_hsmi', '__hstc', '__hssc', '__hsfp', 'hsctatracking', 'mkt_tok'],
  ...['vero_id', 'vero_conv', '_ke', '_kx', '_bta_tid', '_bta_c', 'oly_anon_id', 'oly_enc_id'],
  ...['ml_subscriber', 'ml_subscriber_hash', 'vgo_ee'],
  // Web statistics: Matomo, AT Internet, Openstat, Webtrends.
  ...['pk_campaign', 'pk_cid', 'pk_content', 'pk_keyword', 'pk_kwd', 'pk_medium', 'pk_source'],
  ...['piwik_campaign', 'piwik_kwd', 'piwik_keyword', 'xtor', '_openstat', 'wt.mc_id'],
];
/** Analytics, Matomo, HubSpot's ads: each has many. */
const TRACKING_PREFIXES = ['utm_', 'mtm_', 'hsa_'];

/** Session ids, whatever their value: nothing else is called so. */
const SESSION = ['jsessionid', 'phpsessid', 'phpsessionid', 'oscsid', 'oscadminid', 'zenid'];
/** ASP puts eight letters after it. */
const SESSION_PREFIX = 'aspsessionid';
/** Session ids if they look like one: these are names of a site's own, too. */
const PERHAPS_SESSION = [
  'sid',
  'sess',
  'sessid',
  'sess_id',
  'session',
  'sessionid',
  'session_id',
  'session-id',
];
/**
 * Letters and digits mixed, at least 16, or a UUID. A date with a number is not an id, nor are words with dashes.
 */
const SESSION_ID = /^(?:(?=[a-z]*\d)(?=\d*[a-z])[\da-z]{16,}|[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12})$/i;

/** The purpose of a query parameter. `cfid` and `cftoken`: ColdFusion's session, if both are there. */
export type ParameterUse = 'page' | 'tracking' | 'session' | 'cfid' | 'cftoken';

/** Returns the use of a parameter as it is written in the query, `name=value`. About 0.1 us. */
export function useOf(pair: string): ParameterUse {
  // An ampersand that was escaped twice leaves its `amp;`.
  const from = pair.startsWith('amp;') ? 4 : 0;
  const equals = pair.indexOf('=');
  const name = pair.slice(from, equals < 0 ? undefined : equals).toLowerCase();
  const use = useOfName(name);
  // Some servers part parameters by `;`: a rule for one must not take the others with it.
  if (use === 'page' || pair.includes(';', from)) return 'page';
  if (use !== 'perhapsSession') return use;
  return SESSION_ID.test(pair.slice(equals + 1)) ? 'session' : 'page';
}

const USES: ReadonlyMap<string, ParameterUse | 'perhapsSession'> = new Map([
  ...TRACKING.map((name) => [name, 'tracking'] as const),
  ...SESSION.map((name) => [name, 'session'] as const),
  ...PERHAPS_SESSION.map((name) => [name, 'perhapsSession'] as const),
  ['cfid', 'cfid'],
  ['cftoken', 'cftoken'],
]);

const NAMES = [...USES.keys(), ...TRACKING_PREFIXES, SESSION_PREFIX].map((name) => name.replace('.', '\\.'));
/**
 * A look that costs a quarter of taking a query apart; matches each one of which {@link useOf} knows a
 * parameter.
 */
// linear: a choice of fixed texts.
const PERHAPS_KNOWN = new RegExp(`[?&](?:amp;)?(?:${NAMES.join('|')})`, 'i');

/** False if all parameters of the URL's query are the page's own. */
export const mayHaveKnownParameter = (url: string): boolean => PERHAPS_KNOWN.test(url);

function useOfName(name: string): ParameterUse | 'perhapsSession' {
  const use = USES.get(name);
  if (use !== undefined) return use;
  if (TRACKING_PREFIXES.some((prefix) => name.startsWith(prefix))) return 'tracking';
  return name.startsWith(SESSION_PREFIX) ? 'session' : 'page';
}
