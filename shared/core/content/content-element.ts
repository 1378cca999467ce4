/** An element of a document. */
export interface ContentElement {
  /** Its index among all elements, in document order: a parent comes before its children. */
  readonly index: number;
  /** In lower case. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly parent: ContentElement | undefined;
  readonly children: (ContentElement | string)[];
  /** Whether readers never see it. */
  isUnseen: boolean;
  /** Whether it stands within a line if nothing in it begins one. */
  readonly isInline: boolean;
  /** Whether an element within begins a line of its own. */
  hasBlocks: boolean;
  /** Whether an element within is more than a line of code: a paragraph, a heading. */
  hasFlow: boolean;
  /** Its kind if it is read as a whole, with all that is in it: lines of code, or a formula. */
  whole: 'code' | Formula | undefined;
}

export interface Formula {
  /** TeX; the text if it is not known. */
  readonly tex: string;
  /** A line of plain text. */
  readonly text: string;
  /** Whether it stands on a line of its own. */
  readonly isDisplay: boolean;
}
