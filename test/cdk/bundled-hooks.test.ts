/** Hooks as a function runs them: one file, in a folder where no package is installed. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleFunction } from '../../cdk/bundle-function.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Runs the module of the repository bundled, and returns what it has printed. */
function runBundled(text: string): string {
  // Within the repository, so that its imports are found; the bundle is outside.
  const source = mkdtempSync(join(ROOT, 'node_modules/.strand-bundle-'));
  const outdir = mkdtempSync(join(tmpdir(), 'strand-bundled-'));
  try {
    const entry = join(source, 'entry.ts');
    writeFileSync(entry, text);
    bundleFunction('worker', { entry, outdir, sourcemap: false });
    const { stdout, stderr } = spawnSync(process.execPath, [join(outdir, 'index.mjs')], { encoding: 'utf8' });
    return stdout + stderr;
  } finally {
    rmSync(source, { recursive: true, force: true });
    rmSync(outdir, { recursive: true, force: true });
  }
}

test('a hook has all views of its page in a function', () => {
  const printed = runBundled(`
    import { createHooks } from '${ROOT}/shared/services/hooks/create-hooks.ts';
    import { madePage } from '${ROOT}/test/services/hooks/made-page.ts';
    const config = { blockTimeoutMs: 60_000, hookTimeoutMs: 120_000, maxDecodedBytes: 100_000, maxLinksPerPage: 5 };
    const onPage = ({ $, language, mainText }) => ({ heading: $('h1').text(), language, has: mainText.length > 50 });
    const hooks = createHooks({ onPage }, { config, clock: { now: () => 0, sleep: () => new Promise(() => {}) } });
    const sentence = 'Alle Menschen sind frei und gleich an Würde und Rechten geboren, und sie haben alle eine Meinung. ';
    const body = '<meta charset=utf-8><html lang=en><h1>Titel</h1><main><p>' + sentence.repeat(5) + '</main>';
    const { items, error } = await hooks.onPage(await madePage({ body }));
    console.log(error ?? items.join());
  `);
  expect(printed).toBe('{"heading":"Titel","language":"de","has":true}\n');
});

test('a function reads documents in its second file', () => {
  const printed = runBundled(`
    import { createDocumentReading } from '${ROOT}/shared/services/hooks/document-reading.ts';
    import { makePdf, pdfText } from '${ROOT}/test/core/media/made-documents.ts';
    const bytes = makePdf([{ content: pdfText(['hello']) }]);
    const response = { headers: [], body: { bytes: async () => bytes } };
    const page = { url: 'https://a.test/', mediaType: 'application/pdf', response, crawl: { config: { maxDecodedBytes: 1e6 } } };
    const { content, fault } = await createDocumentReading().read(page);
    console.log(fault ?? content.text);
  `);
  expect(printed).toBe('hello\n');
});

test('behave of a project is given to the browser as it is, with functions and classes of its own', () => {
  const printed = runBundled(`
    import { runInNewContext } from 'node:vm';
    import { behaviourSource } from '${ROOT}/shared/services/project/behaviour-source.ts';
    const project = {
      async *behave({ click }) {
        const press = (selector) => click(selector);
        class Buttons {
          all = ['#a', '#b'];
        }
        function isShown(selector) {
          return selector !== '#b';
        }
        for (const button of new Buttons().all.filter(isShown)) yield press(button);
        yield press.name + isShown.name + Buttons.name;
      },
    };
    const steps = runInNewContext(behaviourSource(project.behave))({ click: (selector) => 'clicked ' + selector });
    for await (const step of steps) console.log(step);
  `);
  expect(printed).toMatch(/^clicked #a\n/);
});
