/** Finds opening tags, which may have attributes (SN-64). */
export interface TagFinder {
  /** The first opening tag in a text; null if there is none. */
  find(text: string, from?: number): { readonly index: number; readonly length: number } | null
  /** Number of trailing characters that may be the start of a tag. */
  begun(text: string): number
}

/** Maximum characters of a tag's attributes. */
const MAX_LENGTH = 1000

/** Creates a finder for a tag name. */
export function createTagFinder(tag: string): TagFinder {
  const start = `<${tag}`
  const find: TagFinder['find'] = (text, from = 0) => {
    for (let index = text.indexOf(start, from); index !== -1;) {
      const behind = text.slice(index + start.length, index + start.length + MAX_LENGTH)
      const end = /^(?:\s[^<>]*)?>/.exec(behind)
      if (end !== null) return { index, length: start.length + end[0].length }
      index = text.indexOf(start, index + 1)
    }
    return null
  }
  return {
    find,
    begun(text) {
      const last = text.lastIndexOf('<')
      const length = text.length - last
      if (last === -1 || length > MAX_LENGTH) return 0
      const name = text.slice(last, last + start.length)
      const attributes = text.slice(last + start.length)
      const isBegun = start.startsWith(name) && /^(?:\s[^<>]*)?$/.test(attributes)
      return isBegun ? length : 0
    },
  }
}
