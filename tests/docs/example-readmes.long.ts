import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { inFolder } from '../server/start-server.ts'
import { blocksOf } from './blocks.ts'
import { runBlock, statusesIn, withBlock } from './commands.ts'

const EXAMPLES = new URL('../../examples/', import.meta.url)

/** Examples with a start command that needs no build. */
const names = readdirSync(EXAMPLES).filter(
  (name) =>
    ![
      'deploy',
      'flows-as-code',
      'in-process-tests',
      'next-app',
      'reference-server',
      'surface-viewer',
    ].includes(name),
)

test('the examples with a server are found', () => expect(names.length).toBeGreaterThan(7))

test.each(names)('the commands of examples/%s/README.md work as they stand', (name) =>
  inFolder(async (scratch) => {
    const [start = '', ...further] = await blocksOf(`examples/${name}/README.md`, 'sh')
    const folder = fileURLToPath(new URL(`${name}/`, EXAMPLES))
    expect(start).toContain(`cd examples/${name}\n`)
    const { start: program } = (
      (await import(join(folder, 'package.json'), { with: { type: 'json' } })) as {
        default: { scripts: { start: string } }
      }
    ).default.scripts
    const options = {
      folder,
      environment: { JOURNAL: join(scratch, 'journal.jsonl') },
      replaced: {
        [`cd examples/${name}\n`]: '',
        'npm start': program,
        'DATABASE=app.db': `DATABASE=${join(scratch, 'app.db')}`,
        'PORT=3000': 'PORT=0',
        'PORT=3001': 'PORT=0',
      },
    }
    await withBlock(start, options, async (url) => {
      for (const block of further) {
        const replaced = { 'http://127.0.0.1:3000': url }
        const { code, stderr, statuses } = await runBlock(block, { folder, replaced })
        expect([code, stderr]).toEqual([0, ''])
        expect(statuses.map(String)).toEqual(
          statusesIn(block).map((status) => expect.stringMatching(status)),
        )
      }
    })
  }),
)
