import { PORTAL_PROVIDERS, PROVIDER_FACTS } from './providers.ts'

const WIDTH = 320
const ROW = 52
const TOP = 44

const STYLE = `text{font:12px system-ui,sans-serif;fill:#24292f}.box{fill:#fff;stroke:#6e7781}
.mark{fill:#ddf4ff;stroke:#0969da}@media(prefers-color-scheme:dark){text{fill:#f0f6fc}
.box{fill:#161b22;stroke:#8b949e}.mark{fill:#0c2d6b;stroke:#58a6ff}}`

/** Our drawing of the form that takes the values of a directory; null for a name without one. */
export function figureOf(name: string): string | null {
  const id = PORTAL_PROVIDERS.find((one) => one === name)
  const step = id === undefined ? undefined : PROVIDER_FACTS[id].steps.find(isForm)
  if (step === undefined || id === undefined) return null
  const height = TOP + step.fields.length * ROW + 12
  const rows = step.fields.map(([label, value], index) => {
    const y = TOP + index * ROW
    const isOurs = value === 'address' || value === 'secret'
    const shown = isOurs ? '' : `<text x="24" y="${y + 36}">${escaped(value)}</text>`
    const box = `<rect class="${isOurs ? 'mark' : 'box'}" x="16" y="${y + 20}" width="288" height="24" rx="4"/>`
    return `<text x="16" y="${y + 14}">${escaped(label)}</text>${box}${shown}`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}">`,
    `<style>${STYLE}</style>`,
    `<rect class="box" x="1" y="1" width="${WIDTH - 2}" height="${height - 2}" rx="8"/>`,
    `<text x="16" y="24">${escaped(PROVIDER_FACTS[id].name)}</text>`,
    ...rows,
    '</svg>',
  ].join('')
}

const isForm = ({ fields }: { readonly fields: readonly unknown[] }): boolean => fields.length > 0

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
