// Runs each night (.ci/night).
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { analyse } from 'scslre'
import ts from 'typescript'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDERS = [
  'internal/wire/src',
  'packages/flow-components/src',
  'packages/flow-engine/src',
  'packages/flow-python/src',
  'packages/flow-service/src',
  'packages/http-adapters/src',
  'packages/scim-core/src',
  'packages/store-kysely/src',
  'packages/surface-protocol/src',
  'examples/reference-server/console',
  'examples/reference-server/src',
]
const TESTS = /\.test\.ts$|(^|\/)(contract|testing)\//

/** Patterns that take more than linear time for some text, and what bounds theirs. */
const BOUNDED: Readonly<Record<string, string>> = {
  'agent-loop.ts: \\n\\s*([\\]}])': 'indented JSON, where every line has text',
  'api-source.ts: \\/+$': 'an address from the operator',
  'calculator.ts: 0+$': 'the digits of one number',
  'editor-page.ts: ^\\/assets\\/.*-[\\w-]{8,}\\.\\w+$': 'the names of files of the operator',
  'express-parser.ts: ^\\s*`{3,}(?!\\s*(?:json|js))[\\w-]*\\s*\\n\\s*[^[{\\s]':
    'the next 400 characters of a text',
  'find-opening.ts: ^(?:[{\\uff5b]\\s*(?:["\'`\\u201c]?\\w{0,24}["\'`\\u201d]?\\s*(?:[:\\uff1a]\\s*["\'`\\u201c]?v?)?)?)?$':
    'the last 300 characters of a text',
  'flow-settings.ts: \\/+$': 'an address from the operator',
  'format-spec.ts: \\.?0*e': 'the digits of one number',
  'format-spec.ts: ^(\\d+)(.*)$': 'the digits of one number',
  'format-spec.ts: \\B(?=(\\d{3})+$)': 'the digits of one number',
  'format-template.ts: \\[([^\\]]*)\\]|\\.([^.[]*)':
    'every bracket is closed, which is checked before',
  'html-components.ts: <[^>]*>': 'escaped HTML, where every < begins a whole tag',
  'image.ts: (\\/.*|\\.py)$': 'the names of files in a wheel of the operator',
  'keys-page.ts: \\*+$': 'a masked key from the server',
  'markdown-table.ts: \\.?0+e': 'the digits of one number',
  'mcp-auth.ts: ^bearer +(.+)$': 'a header line, at most 16 KiB',
  'parse-path.ts: \\[\\s*\\d*\\s*\\]': 'a path of at most `limits.pathLength` characters',
  'request-parts.ts: ^([^?#]*)\\??([^#]*)(#?.*)$': 'matches every text at the first attempt',
  'settings.ts: \\/+$': 'an address from the operator',
  'sleep-time.ts: (\\d+(?:\\.\\d+)?)(ms|[smhdw])': 'a duration of at most 100 characters',
  'wheels.ts: (\\/.*|\\.py)$': 'the names of files in a wheel of the operator',
}

interface Pattern {
  readonly source: string
  readonly flags: string
  readonly place: string
}

async function ownPatterns(): Promise<Pattern[]> {
  const found: Pattern[] = []
  for (const folder of FOLDERS) {
    const files = (await readdir(join(ROOT, folder), { recursive: true })).filter(
      (path) => path.endsWith('.ts') && !TESTS.test(path),
    )
    for (const path of files) {
      const place = `${folder}/${path}`
      const text = await readFile(join(ROOT, place), 'utf8')
      if (text.includes('/')) collect(ts.createSourceFile(path, text, ts.ScriptTarget.Latest))
      function collect(node: ts.Node): void {
        ts.forEachChild(node, collect)
        if (!ts.isRegularExpressionLiteral(node)) return
        const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? []
        found.push({ source, flags, place })
      }
    }
  }
  return found
}

/** True if the time of a pattern can grow faster than the text. */
function isSlow({ source, flags }: Pattern): boolean {
  // A sticky pattern begins at one place only, where somebody else has read what is before.
  const reportTypes = { Move: !flags.includes('y'), Self: true, Trade: true }
  return analyse(new RegExp(source, flags), { reportTypes, maxReports: 1 }).reports.length > 0
}

test('AB-39: own patterns take linear time, unless something else bounds their text', async () => {
  const patterns = await ownPatterns()
  expect(patterns.length).toBeGreaterThan(400)
  const slow = patterns.filter(isSlow).map(nameOf)
  expect(slow.filter((name) => !(name in BOUNDED))).toEqual([])
  expect(Object.keys(BOUNDED).filter((name) => !slow.includes(name))).toEqual([])
})

const nameOf = ({ place, source }: Pattern): string => `${basename(place)}: ${source}`
