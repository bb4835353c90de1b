const SLASH = 0x2f

/** Removes trailing slashes. A pattern like `/\/+$/` takes quadratic time for slashes in the middle. */
export function trimSlashes(text: string): string {
  let end = text.length
  while (end > 0 && text.charCodeAt(end - 1) === SLASH) end -= 1
  return text.slice(0, end)
}
