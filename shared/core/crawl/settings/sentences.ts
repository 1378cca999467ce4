import type { Setting } from './setting.ts';

/** A setting of a crawl, or an option of a stack. */
export type Said = Pick<Setting, 'doc' | 'more' | 'costs' | 'only' | 'stackDefault'>;

/** All sentences about it. */
export const sentencesOf = ({ doc, more, costs, only, stackDefault }: Said): string =>
  [
    `${doc}.`,
    more,
    costs && `Costs ${costs}.`,
    stackDefault && `On a stack ${stackDefault} by default.`,
    only && `Only on ${only.place === 'stack' ? 'a stack' : 'one machine'}: ${only.reason}.`,
  ]
    .filter((text) => text !== undefined)
    .join(' ');
