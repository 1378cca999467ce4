/** The modules that read zip archives of XML: Office Open XML and OpenDocument. */
import { wholeTypes } from '../parser/whole-types.ts';
import { readDocx } from './docx.ts';
import type { MediaModule } from './media-module.ts';
import { readOdf } from './odf.ts';
import { readPptx } from './pptx.ts';
import { readXlsx } from './xlsx.ts';

/** Each document, then its template and the kinds with macros. */
export const OFFICE_MODULES: readonly MediaModule[] = [
  { mediaTypes: wholeTypes('docx', 'dotx', 'docm'), read: readDocx },
  { mediaTypes: wholeTypes('xlsx', 'xltx', 'xlsm'), read: readXlsx },
  { mediaTypes: wholeTypes('pptx', 'ppsx', 'potx', 'pptm'), read: readPptx },
  { mediaTypes: wholeTypes('odt', 'ott', 'ods', 'odp'), read: readOdf },
];
