import { pathOf } from '../url/host-key.ts';

/** Words for signing out, as parts of a path or of a query. */
const SIGN_OUT =
  /(?:^|[/?&=_.-])(?:(?:log|sign)[-_]?(?:out|off)|abmelden|ausloggen|deconnexion|d%c3%a9connexion|se-deconnecter|cerrar-?sesion|desconectar|uitloggen|afmelden|logga-?ut|sair|esci|disconnetti|wyloguj)(?:$|[/?&=_.#-])/i;

/** Whether a link leads to the end of the session: nobody who crawls by an account may follow it. */
export const isSignOutUrl = (url: string): boolean => SIGN_OUT.test(pathOf(url));

/** Words for signing in. */
const SIGN_IN = /(?:^|[/_.-])(?:log[_-]?in|logon|sign[_-]?in|signon|sso|auth|authenticate)(?:[/_.?-]|$)/i;

/** Whether the URL is probably that of a page to sign in. */
export const isSignInUrl = (url: string): boolean => SIGN_IN.test(pathOf(url));
