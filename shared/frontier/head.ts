export interface Head { readonly version: number }
