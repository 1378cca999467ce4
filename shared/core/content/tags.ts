const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Elements whose content is not text of the page. */
export const UNSEEN = names(
  'script style template title textarea select datalist object audio video canvas iframe noframes noembed svg head button input',
);

/** Classes of text for screen readers alone. */
export const FOR_SCREEN_READERS =
  /(?:^|[\s_-])(?<!not-)(?:(?:sr|screen-?reader)-(?:only|text)|visually-?hidden|screenreader|a11y-hidden|visible-sr)(?=[\s_-]|$)/i;
