import { createRequire } from 'node:module'

// oxlint-disable-next-line no-underscore-dangle -- the name that CommonJS gives it
declare const __filename: unknown

const { url }: { readonly url?: string } = import.meta

/** This module; or the file of a CommonJS bundle, where `import.meta.url` is missing. */
export const place: string = url ?? (typeof __filename === 'string' ? __filename : 'file:///')

/** Loads a library that is installed beside this module. @throws Error of `require` */
export const loadLibrary: (name: string) => unknown = createRequire(place)
