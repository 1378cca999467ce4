/** Links that change something at a site for somebody who is signed in: sites have them though GET should be safe. */

/** Parameters by which a site sees that a request that changes something comes from its own page. */
const TOKEN =
  /^(?:_?wpnonce|_?nonce|_{0,2}(?:csrf|xsrf)[-_]?(?:token)?|csrfmiddlewaretoken|anticsrf|sectok|sesskey|_token|authenticity_token|form_?(?:token|key|hash)|my_post_key|securitytoken|__requestverificationtoken)$/i;

const ACTION = /^_?(?:action|act|do|op|cmd|task|mode|method)$/i;
const CHANGES =
  /^(?:bulk[-_]?)?(?:un)?(?:(?:delete|trash|remove|destroy|purge|erase|rollback|revert|install|approve|activate|deactivate|spam)|(?:del|rm|drop|ban|subscribe|follow|enable|disable|reset|revoke|vote|stop|restart|reboot|shutdown|markpatrolled)$)/i;

const DELETES = /^(?:delete|remove|trash|destroy|purge)$/i;
/** `/posts/12/delete`, `/posts/delete/12`. */
const PATH =
  /\/(?:[^/]{0,50}\d\/(?:delete|remove|trash|destroy|purge)|(?:delete|remove|trash|destroy|purge)\/[^/]{0,50}\d)\/?$/i;

/** `/posts/delete?id=12`. */
const PATH_OF_QUERY = /\/(?:delete|remove|trash|destroy|purge)\/?$/i;
/** There a parameter `token` is one against forged requests; elsewhere it may be the key of a file. */
const ADMIN = /\/(?:admin|administrator|manage|manager|moderate|moderator|moderation)\//i;

/** Whether a request of the URL probably changes something at the site. */
export function isChangeUrl(url: string): boolean {
  const { pathname, search } = new URL(url);
  if (PATH.test(pathname) || (search !== '' && PATH_OF_QUERY.test(pathname))) return true;
  const isAdmin = ADMIN.test(pathname);
  for (const [name, value] of new URLSearchParams(search.replaceAll(';', '&'))) {
    if (value === '') continue;
    if (isAdmin && name === 'token') return true;
    if (TOKEN.test(name) || DELETES.test(name) || (ACTION.test(name) && CHANGES.test(value))) return true;
  }
  return false;
}
