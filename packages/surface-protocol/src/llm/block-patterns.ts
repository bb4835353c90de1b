import { decodeEntities } from '../message/html-entities.ts'
import { matchAt } from './json-tokens.ts'

export const between = /[{\uff5b"'`\u201c\u201e&</#]/g
/** What may stand between bare messages. */
export const bareGap =
  /(?:[\s,[\];\uff0c\uff3b\uff3d\u200b-\u200d\u2060]|\/\*[^]{0,500}?\*\/|<!--[^]{0,500}?-->)*/y
export const commentBegun = /\/(?:\*|$)|<(?:!|$)/y
export const encodedAhead = /["'`\u201c]\s*(?:\\[nrt]\s*)*(?:[[{]|\\+")/y

/** What a block is written in, besides plain JSON. */
export interface Encoding {
  readonly ahead: RegExp
  readonly repair: string
  readonly decode: (text: string) => string
}

/** What a block may be written in as a whole, seen at the beginning of a message, and how it is undone. */
const encodings: readonly Encoding[] = [
  {
    ahead: /[{[]\s*(?:[{[]\s*)?&(?:quot|#34|#x22);/iy,
    repair: 'html entity',
    decode: decodeEntities,
  },
  {
    ahead: /[{[]\s*(?:\\[nrt]\s*)*(?:[{[]\s*)?\\"/y,
    repair: 'encoded json',
    decode: (text: string) =>
      text.replaceAll(/\\(["\\/nrt])/g, (_, char: string) => ESCAPED[char] ?? char),
  },
]
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** The encoding of a message that begins here; undefined if it is plain. */
export function encodingAt(text: string, at: number): Encoding | undefined {
  return encodings.find(({ ahead }) => matchAt(ahead, text, at) !== null)
}
