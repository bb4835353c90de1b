// The anchors that a Markdown page offers, spelt as GitHub spells them.

/** Ids of the headings and of `<a id>` in a page; a repeated heading gets a number. */
export function anchorsOf(text) {
  const seen = new Map()
  const anchors = new Set([...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id]) => id))
  const prose = text.replaceAll(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, '')
  for (const [, heading] of prose.matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = heading
      .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replaceAll(' ', '-')
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    anchors.add(count === 0 ? slug : `${slug}-${count}`)
  }
  return anchors
}
