import { make } from './elements.ts'
import { copyable } from './copyable.ts'
import type { ConsolePage } from './page.ts'

const origin = location.origin

/** Uses of the service, each with its first step. */
const CARDS: readonly (readonly [
  title: string,
  text: string,
  code: string,
  link: string,
  to: string,
])[] = [
  [
    'Run a flow',
    'Pick a flow, send it a message, an image or a file, and watch its nodes work.',
    `curl ${origin}/api/v1/run/echo -H "x-api-key: $KEY" -H "content-type: application/json" -d '{"input_value":"hello"}'`,
    'Open the flows',
    '#flows',
  ],
  [
    'Provision users',
    'Your identity provider creates, changes and deactivates the users of this service over SCIM 2.0.',
    `${origin}/api/v1/scim/v2`,
    'Open the directory',
    '#directory',
  ],
  [
    'Stream an interface',
    'The server sends a surface, and every press of a button comes back to it.',
    `${origin}/surfaces/demo/stream`,
    'Open the surface',
    '#surface',
  ],
  [
    'Build on the API',
    'Make a key, store the keys of model vendors as variables, and call every operation.',
    `${origin}/openapi.json`,
    'Make an API key',
    '#keys',
  ],
]

/** The four ways to begin. */
export const startPage: ConsolePage = {
  name: 'start',
  title: 'Start',
  open(section) {
    if (section.querySelector('.cards') !== null) return
    const cards = make('div', '', { class: 'cards' })
    for (const [title, text, code, link, to] of CARDS) {
      const card = make('article')
      card.append(
        make('h3', title),
        make('p', text),
        copyable(code, `Copy: ${title}`),
        make('a', link, { href: to }),
      )
      cards.append(card)
    }
    section.append(cards)
  },
}
