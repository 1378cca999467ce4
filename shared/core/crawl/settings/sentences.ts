import type { Setting } from './setting.ts';

export type Said = Pick<Setting, 'doc' | 'more' | 'costs'>;

/** All sentences about a setting. */
export const sentencesOf = ({ doc, more, costs }: Said): string =>
  [`${doc}.`, more, costs && `Costs ${costs}.`].filter((text) => text !== undefined).join(' ');
