/** Finds opening tags, which may carry attributes (SN-64). */
export interface TagFinder {
  /** The first opening tag of a text; null when there is none. */
  find(text: string, from?: number): { readonly index: number; readonly length: number } | null
  /** Number of characters at the end that may be the beginning of a tag. */
  begun(text: string): number
}

/** Characters that the attributes of a tag may have. */
const MAXIMUM = 1000

/** A finder for tags of one name. */
export function createTagFinder(tag: string): TagFinder {
  const start = `<${tag}`
  const find: TagFinder['find'] = (text, from = 0) => {
    for (let index = text.indexOf(start, from); index !== -1;) {
      const behind = text.slice(index + start.length, index + start.length + MAXIMUM)
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
      if (last === -1 || length > MAXIMUM) return 0
      const name = text.slice(last, last + start.length)
      const attributes = text.slice(last + start.length)
      const isBegun = start.startsWith(name) && /^(?:\s[^<>]*)?$/.test(attributes)
      return isBegun ? length : 0
    },
  }
}
