/** Signs that a page's content is not in its markup. */
import type { RawAttributes } from './tag-attributes.ts';

export interface PageSigns {
  readonly hasScripts: boolean;
  /** Characters of visible text other than white space; counted up to {@link MAX_COUNTED_CHARS}. */
  readonly textChars: number;
  readonly hasPasswordField: boolean;
}

const MAX_COUNTED_CHARS = 1000;

/** Elements whose start tags {@link createPageSigns} must be given. */
export const SIGN_ELEMENTS = ['script', 'input'] as const;

export function createPageSigns() {
  let hasScripts = false;
  let hasPasswordField = false;
  let textChars = 0;
  return {
    startTag(name: string, attributes: RawAttributes): void {
      if (name === 'script') hasScripts = true;
      else if (name === 'input' && attributes.get('type')?.toLowerCase() === 'password')
        hasPasswordField = true;
    },
    text(text: string, from: number, to: number): void {
      for (let at = from; at < to && textChars < MAX_COUNTED_CHARS; at++)
        if (text.charCodeAt(at) > SPACE) textChars++;
    },
    signs: (): PageSigns => ({ hasScripts, textChars, hasPasswordField }),
  };
}

const SPACE = 0x20;
