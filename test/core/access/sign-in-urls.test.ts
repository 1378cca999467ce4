import { expect, test } from 'vitest';
import { isSignInUrl, isSignOutUrl, leadsBackTo } from '../../../shared/core/access/sign-in-urls.ts';

test.each([
  ['/logout', true],
  ['/account/logout?from=page', true],
  ['/Sign_Out', true],
  ['/sign-off/', true],
  ['/index.php?action=logout', true],
  ['/index.php?logout=1', true],
  ['/user/abmelden', true],
  ['/d%C3%A9connexion', true],
  ['/cerrar-sesion', true],
  ['/blog/how-to-log-outdoors', false],
  ['/catalogout', false],
  ['/signout-of-the-rain.html', true],
  ['/logoutput', false],
  ['/index.php?title=Special:UserLogout&returnto=Main', true],
  ['/connect/endsession', true],
  ['/cerrar_sesion', true],
  ['/blog/endsessions', false],
  ['/index.php?action=logout;b0c1=d41d8cd9', true],
  ['/index.pl?Lang=en;Action=Logout', true],
  ['/index.php?route=%2Flogout', true],
  ['/secure/Logout!default.jspa?atl_token=a', true],
  ['/adfs/ls/?wa=wsignout1.0', true],
  ['/page/1', false],
])('%s signs out: %s', (path, expected) => {
  expect(isSignOutUrl(`https://a.test${path}`)).toBe(expected);
});

test.each([
  ['/login', true],
  ['/login?next=/page/1', true],
  ['/account/sign-in/', true],
  ['/wp-login.php?redirect_to=%2Fa', true],
  ['/users/sign_in', true],
  ['/realms/a/protocol/openid-connect/auth?client_id=b', true],
  ['/index.php/Special:UserLogin', true],
  ['/session/new', true],
  ['/sessions/new', true],
  ['/anmelden', true],
  ['/iniciar-sesion', true],
  ['/sessions/newer', false],
  ['/connexions/1', false],
  ['/blogin/1', false],
  ['/author/1', false],
])('%s signs in: %s', (path, expected) => {
  expect(isSignInUrl(`https://a.test${path}`)).toBe(expected);
});

test.each([
  ['https://a.test/entrar?next=/page/1%3Fa=b', '/page/1?a=b', true],
  ['https://sso.a.test/x?return=https%3A%2F%2Fa.test%2Fpage%2F1', '/page/1', true],
  ['https://a.test/page/1/?from=/page/2', '/page/1', false],
  ['https://a.test/welcome?next=/', '/', false],
  ['https://a.test/page/2', '/page/1', false],
])('a redirect to %s leads back to %s: %s', (target, path, expected) => {
  expect(leadsBackTo(new URL(target), `https://a.test${path}`)).toBe(expected);
});
