/**
 * Query parameters that say nothing about the page: who sent the visitor, and which visit it is. Put together from what
 * the services say in their own manuals about the parameters that they add to links, and from the default names of the
 * session ids of servlet containers, PHP, ASP, ColdFusion and the common shops; nothing that sites use otherwise, too.
 */

const TRACKING: ReadonlySet<string> = new Set([
  // Google Analytics and Ads.
  ...['gclid', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'gad_source', 'gad_campaignid', 'srsltid'],
  ...['_ga', '_gl', '_gac'],
  // Other networks' ids of a click.
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
]);
/** Analytics, Matomo, HubSpot's ads: each has many. */
const TRACKING_PREFIX = /^(?:utm|mtm|hsa)_/;

/** Session ids, whatever their value: nothing else is called so. */
const SESSION = /^(?:jsessionid|phpsessid|phpsessionid|aspsessionid[a-z]*|oscsid|oscadminid|zenid)$/;
/** Session ids if they look like one: these are names of a site's own, too. */
const PERHAPS_SESSION: ReadonlySet<string> = new Set([
  ...['sid', 'sessid', 'session', 'sessionid', 'session_id', 'session-id', 'sess_id', 'sess'],
]);
/** Letters and digits mixed, at least 16, or a UUID. A date with a number is none, nor are words with dashes. */
const SESSION_ID = /^(?:(?=[a-z]*\d)(?=\d*[a-z])[\da-z]{16,}|[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12})$/i;

/** `pair`: a parameter as it stands in the query, `name=value`. */
export const isTrackingParameter = (pair: string): boolean => {
  const name = nameOf(pair);
  return name !== undefined && (TRACKING.has(name) || TRACKING_PREFIX.test(name));
};

/** All parameters of a query but those that name a session. ColdFusion's ids count only where both are. */
export function withoutSessions(pairs: readonly string[]): string[] {
  const names = pairs.map(nameOf);
  const hasColdFusion = names.includes('cfid') && names.includes('cftoken');
  return pairs.filter((pair, i) => {
    const name = names[i];
    if (name === undefined) return true;
    if (name === 'cfid' || name === 'cftoken') return !hasColdFusion;
    if (SESSION.test(name)) return false;
    return !(PERHAPS_SESSION.has(name) && SESSION_ID.test(pair.slice(pair.indexOf('=') + 1)));
  });
}

/**
 * In lower case, without the `amp;` of an ampersand that was escaped twice. Undefined for what may be several parameters
 * (some servers part them by `;`): a rule for one must not take the others with it.
 */
function nameOf(pair: string): string | undefined {
  const bare = pair.startsWith('amp;') ? pair.slice(4) : pair;
  if (bare.includes(';')) return undefined;
  const equals = bare.indexOf('=');
  return (equals < 0 ? bare : bare.slice(0, equals)).toLowerCase();
}
