import { execFileSync } from 'node:child_process'
import { writeFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FlowJson } from '@x/flow-engine'
import { needs } from '@x/test-kit/needs'
import { describe, expect, test } from 'vitest'
import { flowDiffMarkdown, flowDiffSvg, flowDiffText, formatFlow } from '../src/code.ts'
import { changed } from './change-flow.ts'
import { supportFlow } from './flows.ts'
import { inFolder, runCli } from './run-cli.ts'

describe('differences of flows', () => {
  test('FC-60 a changed value, a changed line, an empty text, a secret and code', () => {
    const before = changed({ 'Prompt-main.template': 'One\nTwo\nThree {tone}\nFour' })
    const after = changed({
      'Prompt-main.template': 'One\nTwo\n3 {tone}\nFour',
      'Prompt-main.tone': 'calm',
      'Prompt-main.code': 'a\nb',
      'LanguageModelComponent-llm.temperature': 0.7,
      'LanguageModelComponent-llm.api_key': 'sk-secret',
    })
    const text = flowDiffText(before, after)
    expect(text.split('\n')[0]).toBe('Support: 2 nodes changed')
    expect(text).toContain(
      '    template:\n        Two\n      - Three {tone}\n      + 3 {tone}\n        Four\n    tone: "" -> calm\n',
    )
    expect(text).toContain('    temperature: 0.1 -> 0.7\n')
    expect(text).toContain('    api_key: secret changed\n')
    expect(text).toMatch(/ {4}code: changed \(2 lines added, 2 removed\)\n/)
    expect(text).not.toContain('sk-secret')
    expect(text).not.toMatch(/ $/m)
    expect(flowDiffText(before, after, { code: true })).toContain('      + a\n      + b\n')
    expect(flowDiffText(before, before)).toBe('Support: no difference\n')
  })

  test(
    'FC-60 the command reads files, stdin, an empty flow and revisions of git',
    needs('git'),
    async () => {
      await inFolder(async (cwd) => {
        const git = (...args: string[]): unknown =>
          execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd })
        await writeFile(join(cwd, 'a.json'), JSON.stringify(supportFlow()))
        const outside = await runCli(['diff', 'HEAD:a.json', 'a.json'], { cwd })
        expect([outside.code, outside.err]).toEqual([
          2,
          'x-flow diff: HEAD:a.json is neither a file nor known to git\n',
        ])
        git('init', '-q')
        git('add', '.')
        git('commit', '-qm', 'a')
        const next = changed({ 'LanguageModelComponent-llm.temperature': 0.7 })
        await writeFile(join(cwd, 'a.json'), JSON.stringify(next))
        const { code, out } = await runCli(['diff', '--exit-code', 'HEAD:a.json', 'a.json'], {
          cwd,
        })
        expect([code, out.split('\n')[0]]).toEqual([1, 'Support: 1 node changed'])
        const fresh = await runCli(['diff', '/dev/null', '-'], { cwd, stdin: JSON.stringify(next) })
        expect(fresh.out.split('\n')[0]).toBe('Support: 4 nodes added; 3 edges added')
        const json = await runCli(['diff', '--json', 'HEAD:a.json', 'a.json'], { cwd })
        expect(JSON.parse(json.out)).toMatchObject({
          nodes: { changed: [{ id: 'LanguageModelComponent-llm' }] },
        })
      })
    },
  )

  test('FC-65 a flow as text for git diff has no code, places or secrets', async () => {
    await inFolder(async (cwd) => {
      const flow = changed({ 'LanguageModelComponent-llm.api_key': 'sk-secret' })
      await writeFile(join(cwd, 'a.json'), JSON.stringify(flow))
      const { out } = await runCli(['diff', '--textconv', 'a.json'], { cwd })
      expect(out).toContain('Prompt Template (Prompt-main)\n')
      expect(out).toContain('  api_key: secret\n')
      expect(out).toContain('ChatInput-in.message -> Prompt-main.question')
      expect(out).not.toMatch(/sk-secret|position|import /)
      await writeFile(join(cwd, 'a.txt'), 'no flow')
      expect((await runCli(['diff', '--textconv', 'a.txt'], { cwd })).out).toBe('no flow')
    })
  })

  test('FC-61 no text of a flow acts in a comment', () => {
    const hostile = '```\n</details> @everyone [a](http://b.c) <img src=x> #1'
    const flow = changed({ 'Prompt-main.template': hostile })
    flow.name = '@everyone <b>'
    const [node] = flow.data?.nodes ?? []
    if (node !== undefined) node.data.node.display_name = '# [x](y) `'
    const text = flowDiffMarkdown(supportFlow(), flow)
    expect(text.split('\n')[0]).toBe('### `@everyone <b>`')
    expect(text).toContain('    ````diff\n')
    const outside = text.replaceAll(/(`+)[^`](?:.|\n)*?[^`]\1(?!`)/g, '')
    expect(outside).not.toMatch(/[@<[]/)
  })

  test('FC-61 a long difference ends with the number of further changes', () => {
    const flow = supportFlow()
    const nodes = flow.data?.nodes ?? []
    for (let at = 0; at < 2000; at += 1)
      nodes.push({
        id: `Note-${at}`,
        data: { type: 'TextInput', node: { template: {}, display_name: 'x'.repeat(60) } },
      })
    const text = flowDiffMarkdown(supportFlow(), flow)
    expect(text.length).toBeLessThanOrEqual(60_000)
    expect(text).toMatch(/\n\.\.\. and \d+ more changes\n$/)
  })

  test('FC-62 FC-63 FC-64 one picture of both flows, told by sign, border and colour, in which nothing acts', () => {
    const after = changed({ 'Prompt-main.tone': 'x'.repeat(50) })
    const [first, ...rest] = after.data?.nodes ?? []
    if (first !== undefined)
      first.data.node.display_name = '</text><script>alert(1)</script>\u0000\ud800'
    after.data = {
      ...after.data,
      nodes: rest.concat(first ?? []),
      edges: after.data?.edges?.slice(1) ?? [],
    }
    const svg = flowDiffSvg(supportFlow(), after)
    expect(svg).toBe(flowDiffSvg(supportFlow(), after))
    expect(svg).toContain('role="img" aria-labelledby="title desc"')
    expect(svg).toContain('data-node="Prompt-main" data-side="after" data-state="changed"')
    expect(svg).toContain(
      'data-edge="ChatInput-in.message -&gt; Prompt-main.question" data-state="removed"',
    )
    expect(svg).toContain('>~ Prompt Template<')
    expect(svg).toContain(`>tone: ${'x'.repeat(33)}…<`)
    expect(svg).not.toMatch(/<script|<foreignObject|<image|<a |\son\w+=|[^\P{Cc}\n]|\p{Cs}/u)
  })

  test('FC-64 a large flow shows what changed and its neighbours', () => {
    const many = (value: string): FlowJson => {
      const flow = changed({ 'Prompt-main.tone': value })
      for (let at = 0; at < 100; at += 1)
        flow.data?.nodes?.push({
          id: `T-${at}`,
          position: { x: 0, y: 9 * at },
          data: { type: 'TextInput', node: { template: {} } },
        })
      return flow
    }
    const svg = flowDiffSvg(many(''), many('calm'))
    expect(svg).toContain('101 unchanged nodes are not shown')
    expect(svg.match(/data-side="after"/g)).toHaveLength(3)
  })

  test('FC-64 FC-63 contrasts of texts are at least 4.5 and of borders 3, in light and dark', () => {
    const svg = flowDiffSvg(supportFlow(), supportFlow())
    const [light = '', dark = ''] = (/<style>([^]*)<\/style>/.exec(svg)?.[1] ?? '').split('@media')
    for (const style of [light, dark]) {
      const ground = colours(/\.ground\{fill:(#\w+)/g, style)
      const box = colours(/\.box\{fill:(#\w+)/g, style)
      for (const text of colours(
        /\.(?:name|type|note|mark)[^{]*\{[^}]*fill:(#\w+)|text\{[^}]*fill:(#\w+)/g,
        style,
      ))
        for (const under of [...ground, ...box])
          expect(contrast(text, under)).toBeGreaterThanOrEqual(4.5)
      for (const line of colours(/stroke:(#\w+)/g, style))
        for (const under of ground) expect(contrast(line, under)).toBeGreaterThanOrEqual(3)
    }
  })
})

describe('the canonical form', () => {
  test('FC-41 is reached in one step, from every order of keys, and runs the same', () => {
    const flow = supportFlow()
    const text = formatFlow(flow)
    expect(formatFlow(JSON.parse(text))).toBe(text)
    const [node] = flow.data?.nodes ?? []
    Object.assign(node ?? {}, {
      selected: true,
      position: { y: 0.4, x: -0.2 },
      measured: { width: 1 },
    })
    expect(formatFlow({ updated_at: 'now', ...flow })).toBe(text)
    expect(flowDiffText(flow, JSON.parse(text) as FlowJson)).toBe('Support: no difference\n')
  })

  test('FC-41 --check, --stdin and --json', async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, 'a.json'), JSON.stringify(supportFlow()))
      const check = await runCli(['format', '--check', 'a.json', '--quiet'], { cwd })
      expect([check.code, check.out]).toEqual([1, 'a.json\n'])
      const stdin = JSON.stringify(supportFlow())
      const { out } = await runCli(['format', '--stdin'], { cwd, stdin })
      const { out: json } = await runCli(['format', '--json', 'a.json'], { cwd })
      expect(JSON.parse(json)).toEqual({ files: ['a.json'], changed: ['a.json'] })
      expect(await readFile(join(cwd, 'a.json'), 'utf8')).toBe(out)
      expect((await runCli(['format', '--check', 'a.json'], { cwd })).code).toBe(0)
    })
  })
})

function colours(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map(([, one, other]) => one ?? other ?? '')
}

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].toSorted((x, y) => y - x)
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05)
}

function luminance(colour: string): number {
  const digits = colour.slice(1)
  const long = digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits
  const [r, g, b] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(long.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0)
}
