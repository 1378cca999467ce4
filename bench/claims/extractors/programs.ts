/** Programs that find the main content of a page: Strand, and others as people use them. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { runIn } from '../peers/install.ts';

/**
 * A program that reads lines of JSON, `{ id, html, url }` (`html` in Base64), and answers each by a line: `{ id, text, cpuMs }`, the main content and
 * the CPU that it took, of all threads.
 */
export interface ExtractorProgram {
  readonly name: string;
  /** Programs that must be there, by the words that ask them for their version. */
  readonly needs: readonly (readonly [program: string, ...args: string[]])[];
  /** Installs by package name into a folder of its own. Throws if that cannot be done. */
  install(folder: string): void;
  command(folder: string): readonly [program: string, ...args: string[]];
}

const HERE = import.meta.dirname;

const onNode = (name: string, ...packages: string[]): ExtractorProgram => ({
  name,
  needs: [['npm', '--version']],
  install(folder) {
    runIn(folder, 'npm', 'init', '-y');
    runIn(folder, 'npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', ...packages);
    for (const file of ['answer-lines.mjs', `${name}.mjs`])
      copyFileSync(join(HERE, file), join(folder, file));
  },
  command: (folder) => [process.execPath, join(folder, `${name}.mjs`)],
});

export const STRAND = 'strand';

export const PROGRAMS: readonly ExtractorProgram[] = [
  {
    name: STRAND,
    needs: [],
    install() {},
    command: () => [process.execPath, join(HERE, 'strand.mjs')],
  },
  {
    name: 'trafilatura',
    needs: [['python3', '-m', 'venv', '--help']],
    install(folder) {
      runIn(folder, 'python3', '-m', 'venv', 'venv');
      const pip = join(folder, 'venv/bin/pip');
      runIn(
        folder,
        pip,
        'install',
        '--quiet',
        '--disable-pip-version-check',
        'trafilatura==2.0.0',
        'lxml_html_clean==0.4.3',
      );
    },
    command: (folder) => [join(folder, 'venv/bin/python'), join(HERE, 'trafilatura-lines.py')],
  },
  onNode('defuddle', 'defuddle@0.19.4', 'linkedom@0.18.15'),
  onNode('readability', '@mozilla/readability@0.6.0', 'linkedom@0.18.15'),
];
