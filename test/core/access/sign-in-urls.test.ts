import { expect, test } from 'vitest';
import { isSignInUrl, isSignOutUrl } from '../../../shared/core/access/sign-in-urls.ts';

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
  ['/page/1', false],
])('%s signs out: %s', (path, expected) => {
  expect(isSignOutUrl(`https://a.test${path}`)).toBe(expected);
});

test.each([
  ['/login', true],
  ['/login?next=/page/1', true],
  ['/account/sign-in/', true],
  ['/blogin/1', false],
  ['/author/1', false],
])('%s signs in: %s', (path, expected) => {
  expect(isSignInUrl(`https://a.test${path}`)).toBe(expected);
});
