/** The cases of tiers `must` and `should` that we answer otherwise, each with its reason. */

export interface Exception {
  readonly reason: string;
  readonly ids: readonly string[];
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    reason:
      'Google alone reads `Allow: /x/index.html` as allowing `/x/` too. It would fetch what the text of RFC 9309 forbids.',
    ids: [
      'google-robotstxt/GoogleOnly_IndexHTMLisDirectory:505/72',
      'protego/test_index_html_is_directory/310',
    ],
  },
  {
    reason:
      'crawler-commons alone takes `/*` to be as long as `/`; a case of tier must says otherwise of `/*$`.',
    ids: ['crawler-commons-prefixmode/SimpleRobotRulesParserTest.testPrecedenceOfRules:1128/747'],
  },
  {
    reason:
      'A browser leaves out what stands behind frames. Whether a document has them depends on every tag and text before; a crawler that finds a link too many there does no harm, and we keep no track.',
    ids: [
      'html5lib-tests-tree/domjs-unsafe/161',
      'html5lib-tests-tree/domjs-unsafe/162',
      'html5lib-tests-tree/domjs-unsafe/163',
      'html5lib-tests-tree/pending-spec-changes/347',
      'html5lib-tests-tree/plain-text-unsafe/351',
      'html5lib-tests-tree/plain-text-unsafe/352',
      'html5lib-tests-tree/plain-text-unsafe/354',
      'html5lib-tests-tree/plain-text-unsafe/355',
      'html5lib-tests-tree/plain-text-unsafe/368',
      'html5lib-tests-tree/plain-text-unsafe/369',
      'html5lib-tests-tree/plain-text-unsafe/371',
      'html5lib-tests-tree/plain-text-unsafe/372',
      'html5lib-tests-tree/template/495',
      'html5lib-tests-tree/tests1/671',
      'html5lib-tests-tree/tests1/678',
      'html5lib-tests-tree/tests10/699',
      'html5lib-tests-tree/tests10/700',
      'html5lib-tests-tree/tests18/1004',
      'html5lib-tests-tree/tests18/1006',
      'html5lib-tests-tree/tests19/1044',
      'html5lib-tests-tree/tests19/1046',
      'html5lib-tests-tree/tests19/1047',
      'html5lib-tests-tree/tests19/1048',
      'html5lib-tests-tree/tests19/1049',
      'html5lib-tests-tree/tests19/1050',
      'html5lib-tests-tree/tests19/1051',
      'html5lib-tests-tree/tests19/1052',
      'html5lib-tests-tree/tests19/1054',
      'html5lib-tests-tree/tests19/1056',
      'html5lib-tests-tree/tests19/1068',
      'html5lib-tests-tree/tests19/1069',
      'html5lib-tests-tree/tests19/1081',
      'html5lib-tests-tree/tests19/1082',
      'html5lib-tests-tree/tests19/1083',
      'html5lib-tests-tree/tests19/1085',
      'html5lib-tests-tree/tests19/1088',
      'html5lib-tests-tree/tests2/1117',
      'html5lib-tests-tree/tests2/1118',
      'html5lib-tests-tree/tests2/1119',
      'html5lib-tests-tree/tests2/1120',
      'html5lib-tests-tree/tests6/1372',
      'html5lib-tests-tree/tests6/1374',
      'html5lib-tests-tree/tests6/1375',
      'html5lib-tests-tree/tests6/1376',
      'html5lib-tests-tree/tests6/1389',
      'html5lib-tests-tree/tests6/1390',
      'html5lib-tests-tree/tests6/1398',
      'html5lib-tests-tree/tests6/1400',
      'html5lib-tests-tree/tests6/1401',
      'html5lib-tests-tree/tests6/1402',
      'html5lib-tests-tree/tests6/1403',
      'html5lib-tests-tree/tests6/1404',
      'html5lib-tests-tree/tests9/1469',
      'html5lib-tests-tree/tests9/1470',
      'html5lib-tests-tree/webkit01/1527',
      'html5lib-tests-tree/webkit01/1547',
    ],
  },
  {
    reason:
      'A template that is never closed holds the rest of the document. For browsers nothing in it is part of the page; references that know no templates find its links.',
    ids: [
      'html5lib-tests-tree/template/462',
      'html5lib-tests-tree/template/488',
      'html5lib-tests-tree/template/494',
      'html5lib-tests-tree/template/556',
    ],
  },
  {
    reason:
      'Parts of a table end a `select` only inside a table. We do not keep track of tables, so that outside of one we find a link too many.',
    ids: [
      'html5lib-tests-tree/tests17/965',
      'html5lib-tests-tree/tests17/966',
      'html5lib-tests-tree/tests17/967',
      'html5lib-tests-tree/tests17/968',
      'html5lib-tests-tree/tests17/969',
      'html5lib-tests-tree/tests17/970',
      'html5lib-tests-tree/tests17/971',
    ],
  },
  {
    reason:
      'The host is none that the URL Standard reads: there is nothing to fetch, and so no key to find it by.',
    ids: ['surt/7', 'surt/8', 'surt/38'],
  },
  {
    reason: 'A host of dots alone has no name to resolve. The library makes of it a URL without a host.',
    ids: ['surt/63'],
  },
];
