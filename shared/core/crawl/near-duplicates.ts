/** How a page is treated whose text is nearly the same as that of an earlier one. */
export const NEAR_DUPLICATES = ['mark', 'skip', 'off'] as const;
