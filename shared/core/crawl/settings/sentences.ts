import type { Setting } from './setting.ts';

/** All sentences about the setting. */
export const sentencesOf = ({ doc, more, costs }: Setting): string =>
  [`${doc}.`, more, costs && `Costs ${costs}.`].filter((text) => text !== undefined).join(' ');
