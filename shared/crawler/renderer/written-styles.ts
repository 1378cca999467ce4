/** Characters of rules that are written into a page, at most. */
const MAX_CHARS = 2_000_000;

/**
 * A script that writes into the document which styles its scripts have set by objects alone: rules that were inserted into an
 * empty `style`, and the adopted sheets of the document and of open shadow roots. Markup has none of them.
 */
export const WRITE_STYLES = `(() => {
  let left = ${MAX_CHARS};
  const textOf = (sheet) => {
    let text = '';
    for (const { cssText } of sheet?.cssRules ?? []) {
      left -= cssText.length;
      if (left < 0) break;
      text += cssText + '\\n';
    }
    return text.replaceAll('</', '<\\\\/');
  };
  const roots = [document];
  for (let root = roots.pop(); root; root = roots.pop()) {
    for (const style of root.querySelectorAll('style'))
      if (style.textContent.trim() === '') style.textContent = textOf(style.sheet);
    for (const sheet of root.adoptedStyleSheets ?? []) {
      const style = document.createElement('style');
      style.textContent = textOf(sheet);
      (root.head ?? root).append(style);
    }
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) roots.push(shadowRoot);
  }
})()`;
