const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Elements whose content is no text of the page. */
export const UNSEEN = names(
  'script style template title textarea select datalist object audio video canvas iframe noframes noembed svg head button input',
);
/** Elements within a line; all others begin one of their own (HTML standard, section 15.3). */
export const INLINE = names(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q rp rt ruby s samp slot ' +
    'small span strike strong sub sup time tt u var wbr picture source',
);
