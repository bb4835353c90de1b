/** Where the handler is mounted, of checked options: if it is not said, the path of `baseUrl`. */
export function readBasePath({
  basePath,
  baseUrl,
}: {
  readonly basePath?: string
  readonly baseUrl: string | ((tenant: string) => string)
}): string {
  if (basePath !== undefined || typeof baseUrl === 'function') return basePath ?? ''
  return new URL(baseUrl).pathname.replace(/\/$/, '')
}
