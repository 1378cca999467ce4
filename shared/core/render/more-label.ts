/** Labels of buttons that bring more of a list, in the languages of many sites. */
const LABELS: readonly RegExp[] = [
  /^(?:load|show|view|see|display)(?: \d{1,4})? more(?: [a-z]{1,20}){0,2}$/,
  /^(?:more|older) (?:results|items|posts|articles|products|comments|entries|stories|news)$/,
  /^(?:mehr|weitere)(?: [a-zäöüß]{1,20}){0,2} (?:an)?(?:laden|zeigen)$/,
  /^(?:afficher|voir|charger) (?:plus|davantage)(?: de [a-zéè]{1,20})?$/,
  /^(?:ver|mostrar|cargar) más(?: [a-zñ]{1,20}){0,2}$/,
  /^(?:ver|mostrar|carregar) mais(?: [a-zçã]{1,20}){0,2}$/,
  /^(?:mostra|carica|vedi|visualizza) (?:altr[eio]|di più)(?: [a-z]{1,20})?$/,
  /^(?:toon|laad|bekijk) meer(?: [a-z]{1,20})?$|^meer(?: [a-z]{1,20})? (?:laden|tonen)$/,
  /^(?:pokaż|załaduj|wczytaj|zobacz) więcej(?: [a-ząćęłńóśźż]{1,20})?$/,
  /^(?:показать|загрузить) (?:ещё|еще|больше)(?: \d{1,4})?$/,
  /^(?:もっと見る|さらに(?:表示|読み込む)|(?:加载|查看|显示|載入|顯示)更多|더 ?보기)$/,
];
/** Arrows and other signs around a label. */
const SIGNS = /[^\p{L}\p{N} ]/gu;
const MAX_CHARS = 60;

/** Whether a button with this text brings more of a list. */
export const isMoreLabel = (text: string): boolean => {
  const label = text
    .slice(0, MAX_CHARS)
    .toLowerCase()
    .replace(SIGNS, ' ')
    .split(/\s/)
    .filter(Boolean)
    .join(' ');
  return LABELS.some((pattern) => pattern.test(label));
};
