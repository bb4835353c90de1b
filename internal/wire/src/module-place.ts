/**
 * From where a module loads libraries with `createRequire`: its own URL, or the file of the bundle that a CommonJS
 * bundler has made of it, where `import.meta.url` is missing.
 */
export function modulePlace(url: string | undefined): string {
  if (typeof url === 'string') return url
  return typeof __filename === 'string' ? __filename : 'file:///'
}

// oxlint-disable-next-line no-underscore-dangle -- the name that CommonJS gives it
declare const __filename: unknown

/** The name of the library that `require` has not found, if that is what the error says. */
export function missingLibrary(error: unknown): string | undefined {
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown }
  const isMissing = code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND'
  return isMissing ? /'([^']+)'/.exec(String(message))?.[1] : undefined
}

/** A bundle is one file; libraries of threads, and those with files of their own, stay beside it. */
export function notBeside(what: string, library: string, cause: unknown): TypeError {
  const message = `${what} need the package ${library} beside the bundle: install it there and mark it external`
  return new TypeError(message, { cause })
}
