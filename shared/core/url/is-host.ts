import { canonicalize } from './canonical.ts';

/** Whether the text is a host as canonical URLs have it: in lower case, with `:port` where it is not the scheme's default. */
export function isHost(text: string): boolean {
  const url = `http://${text}/`;
  return !/[/?#@]/.test(text) && canonicalize(url) === url;
}
