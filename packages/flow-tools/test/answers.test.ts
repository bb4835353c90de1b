import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFlow } from '@x/flow-engine'
import { chatInput, chatOutput, humanInput } from '@x/flow-engine/components'
import { describe, expect, test } from 'vitest'
import { inFolder, runCli } from './run-cli.ts'

/** Asks whether to go on, and shows what came in if somebody approves. */
function asking(prompt = 'Send it?'): string {
  const flow = createFlow('Asking')
  const input = flow.add(chatInput, { id: 'ChatInput-in' })
  const person = flow.add(humanInput, { id: 'HumanInput-p', values: { prompt } })
  const shown = flow.add(chatOutput, { id: 'ChatOutput-out' })
  flow.connect(input.outputs.message, person.input('prompt'))
  flow.connect(person.output('branch_approve'), shown.inputs.input_value)
  return JSON.stringify(flow.toJSON())
}

async function withFlow<T>(use: (cwd: string) => Promise<T>): Promise<T> {
  return inFolder(async (cwd) => {
    await writeFile(join(cwd, 'asking.json'), asking())
    return use(cwd)
  })
}

const RECORD = ['record', 'asking.json', '--out', 't', '--input', 'Send it?']
const APPROVE = ['--answer', '{"action_id":"approve"}']

describe('questions to people', () => {
  test('FC-58 record answers questions in order, and replay gives each to its question', async () => {
    await withFlow(async (cwd) => {
      const { code, out, err } = await runCli([...RECORD, ...APPROVE], { cwd })
      expect([code, err]).toEqual([0, ''])
      expect(out).toContain('Send it?\nrecorded: succeeded, 0 model calls, 0 requests, ')
      const run = JSON.parse(await readFile(join(cwd, 't/run.json'), 'utf8')) as object
      expect(run).toMatchObject({
        answers: [
          { vertexId: 'HumanInput-p', kind: expect.any(String), answer: { action_id: 'approve' } },
        ],
      })
      expect(await runCli(['test'], { cwd })).toMatchObject({ code: 0 })
      expect(await runCli(['record', '--again', 't'], { cwd })).toMatchObject({ code: 0, err: '' })
    })
  })

  test('FC-58 without an answer nothing is written, and the question is told with an example', async () => {
    await withFlow(async (cwd) => {
      const { code, out, err } = await runCli(RECORD, { cwd })
      expect([code, out, err]).toEqual([
        1,
        '',
        `x-flow record: The flow asks: Send it? (Human Input). Give --answer '{"action_id":"approve"}'\n`,
      ])
      await expect(readFile(join(cwd, 't/run.json'))).rejects.toThrow('ENOENT')
      const wrong = await runCli([...RECORD, '--answer', '{"action_id":"maybe"}'], { cwd })
      expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('must be one of')])
      const broken = await runCli([...RECORD, '--answer', '{'], { cwd })
      expect([broken.code, broken.err]).toEqual([2, expect.stringContaining('option "--answer"')])
    })
  })

  test('FC-58 a question that is not recorded, and one that is not asked any more, are differences', async () => {
    await withFlow(async (cwd) => {
      await runCli([...RECORD, ...APPROVE], { cwd })
      const path = join(cwd, 't/run.json')
      const run = JSON.parse(await readFile(path, 'utf8')) as { answers: object[] }
      await writeFile(path, JSON.stringify({ ...run, answers: [] }))
      expect((await runCli(['test'], { cwd })).out).toContain(
        't: Human Input (HumanInput-p) asked a question that is not recorded\n+ Send it?\nNothing was sent. Record it again: x-flow record --again t\n',
      )
      const [answer] = run.answers
      await writeFile(path, JSON.stringify({ ...run, answers: [answer, answer] }))
      expect((await runCli(['test'], { cwd })).out).toContain(
        't: Human Input (HumanInput-p) did not ask its recorded question',
      )
      await writeFile(path, JSON.stringify({ ...run, answers: [answer, 5] }))
      expect(await runCli(['test'], { cwd })).toMatchObject({
        code: 2,
        err: 'x-flow test: t/run.json: answers[1] is no answer\n',
      })
    })
  })

  test('FC-58 FC-85 on a terminal a person answers, by the name of a choice', async () => {
    await withFlow(async (cwd) => {
      const lines = async function* (): AsyncGenerator<string> {
        yield ' Approve '
      }
      const run = ['run', 'asking.json', '--input', 'Send it?']
      const { code, out, err } = await runCli(run, { cwd, lines })
      expect([code, out]).toEqual([0, 'Send it?\n'])
      expect(err).toContain('The flow asks: Send it? (Human Input)\n  approve: Approve\n')
      expect(await runCli([...run, ...APPROVE], { cwd })).toMatchObject({ code: 0, err: '' })
      expect(await runCli(run, { cwd })).toMatchObject({ code: 1 })
    })
  })
})
