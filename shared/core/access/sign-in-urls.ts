import { pathOf } from '../url/host-key.ts';

/** Words for signing out, as parts of a path or of a query. */
const SIGN_OUT =
  /(?:^|[/?&=_.:;-]|%2f)(?:(?:user|do)?(?:log|sign)[-_]?(?:out|off)|wsignout(?:cleanup)?1|end[-_]?session|abmelden|ausloggen|deconnexion|d%c3%a9connexion|se-deconnecter|cerrar[-_]?sesion|desconectar|uitloggen|afmelden|logga-?ut|sair|esci|disconnetti|wyloguj)(?:$|[/?&=_.#;!-])/i;

/** Whether a link leads to the end of the session: nobody who crawls by an account may follow it. */
export const isSignOutUrl = (url: string): boolean => SIGN_OUT.test(pathOf(url));

/** Words for signing in. */
const SIGN_IN =
  /(?:^|[/_.:-])(?:(?:user)?log[_-]?in|logon|sign[_-]?in|signon|sso|auth|authenticate|anmelden|anmeldung|einloggen|connexion|se-connecter|iniciar[-_]?sesion|accedi|inloggen|aanmelden|logga-?in|zaloguj|sessions?\/new)(?:[/_.?-]|$)/i;

/** Whether the URL is probably that of a page to sign in. */
export const isSignInUrl = (url: string): boolean => SIGN_IN.test(pathOf(url));

/** Whether the query of a redirect's target names the URL that redirects: sites lead back to it after a login. */
export function leadsBackTo(target: URL, url: string): boolean {
  const { href, pathname, search } = new URL(url);
  const path = pathname + search;
  if (path === '/') return false;
  return [...target.searchParams.values()].some((value) => value === href || value === path);
}
