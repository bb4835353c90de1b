import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type DefaultTheme, type MarkdownRenderer } from 'vitepress'
import { themeImages } from './themed-images.ts'

const docs = fileURLToPath(new URL('..', import.meta.url))
const root = dirname(docs.replace(/\/$/, ''))
const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  repository: { url: string }
}
const sources = repository.url.replace(/^git\+/, '').replace(/\.git$/, '')

/** The first heading of a page, without its markup. */
function titleOf(path: string): string {
  const heading = /^# (.+)$/m.exec(readFileSync(join(docs, path), 'utf8'))
  return (heading?.[1] ?? path).replaceAll('`', '')
}

function pageOf(path: string): DefaultTheme.SidebarItem {
  return { text: titleOf(path), link: `/${path.replace(/\.md$/, '')}` }
}

/** Every page of a folder, named ones first, the rest by name. */
function pagesOf(folder: string, first: readonly string[] = []): DefaultTheme.SidebarItem[] {
  const names = readdirSync(join(docs, folder)).filter((name) => name.endsWith('.md'))
  const rest = names.filter((name) => !first.includes(name)).toSorted()
  return [...first, ...rest].map((name) => pageOf(`${folder}/${name}`))
}

const sections: Readonly<Record<string, readonly string[]>> = {
  'Start here': ['quick-start', 'mount', 'storage', 'troubleshooting'],
  'Provision users': [
    'scim-mount',
    'scim-connect',
    'scim-own-tables',
    'scim-own-tables-postgres',
    'scim-authentication',
    'scim-hooks',
    'scim-own-store',
    'scim-resource-types',
    'scim-events-out',
    'scim-roll-out',
    'scim-conformance',
    'scim-verify',
    'scim-gallery',
    'directory-portal',
    'scim-agents',
  ],
  'Flows in your process': [
    'run-flows',
    'test-flows',
    'flows-as-code',
    'evaluate-flows',
    'write-a-component',
    'models',
    'human-in-the-loop',
    'durable-runs',
  ],
  'Serve flows': [
    'visual-editor',
    'openai-clients',
    'chat-front-ends',
    'ag-ui',
    'a2a',
    'mcp',
    'python-components',
  ],
  'Come from Langflow': ['newer-versions', 'migrate-from-langflow'],
  Surfaces: [
    'surfaces',
    'surfaces-lit',
    'surfaces-react',
    'surfaces-copilotkit',
    'surfaces-from-models',
    'surfaces-a2a',
    'surfaces-ag-ui',
    'surfaces-mcp',
    'surfaces-0.9',
    'surfaces-1.0',
  ],
  'In production': ['deploy', 'operate'],
}

const referenceSections: Readonly<Record<string, readonly string[]>> = {
  'The server': ['settings', 'openings', 'operation', 'operations', 'compatibility'],
  Flows: [
    'components',
    'flow-api-options',
    'events',
    'flow-errors',
    'engine-rules',
    'engine-limits',
    'flow-performance',
    'engine-performance',
  ],
  SCIM: [
    'scim-options',
    'directory-portal',
    'scim-attributes',
    'scim-errors',
    'scim-events',
    'scim-security',
    'scim-performance',
  ],
  Surfaces: [
    'surface-catalog',
    'surface-conformance',
    'surface-errors',
    'surface-limits',
    'surface-performance',
  ],
  'Adapters and stores': ['adapter-errors', 'stores'],
}

/** The sections of a folder. Pages that no section names come last, so that a new one is never lost. */
function sectionsOf(
  folder: string,
  named: Readonly<Record<string, readonly string[]>>,
): DefaultTheme.SidebarItem[] {
  const listed = Object.values(named).flat()
  const others = readdirSync(join(docs, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.replace(/\.md$/, ''))
    .filter((name) => !listed.includes(name))
  return [...Object.entries(named), ['More', others] as const]
    .filter(([, names]) => names.length > 0)
    .map(([text, names]) => ({ text, items: names.map((name) => pageOf(`${folder}/${name}.md`)) }))
}

function apiPages(): DefaultTheme.SidebarItem[] {
  try {
    return pagesOf('api', ['index.md'])
  } catch {
    return []
  }
}

/** Lets long names break after an underscore or a slash, and keeps options such as `--help` whole. */
function breakable(html: string): string {
  return html.replace(/^(<code[^>]*>)(.*)(<\/code>)$/s, (_whole, open, text, close) => {
    const broken = String(text)
      .replaceAll(/(?<=\w[_/])(?=\w)/g, '<wbr>')
      .replaceAll(/(?<=^| )--?[\w-]+/g, '<span class="option">$&</span>')
    return `${open}${broken}${close}`
  })
}

type Tokens = Parameters<NonNullable<MarkdownRenderer['renderer']['rules'][string]>>[0]

/** Gives each cell of a table the title of its column: narrow screens show rows as lists. */
function labelCells(tokens: Tokens): void {
  let titles: string[] = []
  let column = 0
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'table_open') titles = []
    if (token.type === 'tr_open') column = 0
    if (token.type === 'th_open') titles.push(tokens[index + 1]?.content ?? '')
    if (token.type === 'td_open') token.attrSet('data-label', titles[column++] ?? '')
  }
}

/** The parts of a rendered page that search finds. Of an export these are its name and its description. */
function searchable(path: string, html: string): string {
  if (!path.startsWith('api/')) return html
  return html
    .replaceAll(/<(h[456])\b.*?(?=<h[123]\b|$)/gs, '')
    .replaceAll(/<(table|pre)\b.*?<\/\1>/gs, '')
}

export default defineConfig({
  title: 'x',
  description:
    'SCIM provisioning, flows and A2UI surfaces as handlers in your own Node application.',
  lang: 'en',
  cleanUrls: true,
  lastUpdated: false,
  // Pages link to sources and tests of the repository; `npm run check:docs` checks those links.
  ignoreDeadLinks: false,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    html: false,
    config(md) {
      // Pages are prose, not Vue templates: two braces are two braces.
      for (const kind of ['text', 'code_inline']) {
        const rule = md.renderer.rules[kind]
        md.renderer.rules[kind] = (...given) =>
          (rule?.(...given) ?? '').replaceAll('{{', '&#123;&#123;')
      }
      const inline = md.renderer.rules['code_inline']
      md.renderer.rules['code_inline'] = (...given) => breakable(inline?.(...given) ?? '')
      md.core.ruler.push('labelled-cells', ({ tokens }) => labelCells(tokens))
      themeImages(md)
      const open = md.renderer.rules['link_open']
      md.renderer.rules['link_open'] = (tokens, index, options, env, self) => {
        const token = tokens[index]
        const href = token?.attrGet('href') ?? ''
        const page = (env as { path?: string }).path
        if (page !== undefined && href.startsWith('.')) {
          const target = relative(root, join(dirname(page), href))
          if (!target.startsWith('docs/')) token?.attrSet('href', `${sources}/blob/main/${target}`)
        }
        return open?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options)
      }
    },
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        _render(source, env, md) {
          const { path = '' } = env as { path?: string }
          return searchable(relative(docs, path), md.render(source, env))
        },
        miniSearch: {
          searchOptions: {
            boostDocument: (id: string) =>
              /^\/(guides|frameworks)\//.test(id)
                ? 3
                : /^\/(api|spec|decisions)\//.test(id)
                  ? 0.5
                  : 1,
          },
        },
      },
    },
    nav: [
      { text: 'Guides', link: '/guides/quick-start', activeMatch: '/guides/' },
      { text: 'Frameworks', link: '/frameworks/express', activeMatch: '/frameworks/' },
      { text: 'Reference', link: '/reference/settings', activeMatch: '/reference/' },
      { text: 'TypeScript API', link: '/api/', activeMatch: '/api/' },
      { text: 'Specification', link: '/spec/README', activeMatch: '/spec/' },
    ],
    sidebar: {
      '/guides/': sectionsOf('guides', sections),
      '/frameworks/': [{ text: 'Your framework', items: pagesOf('frameworks') }],
      '/reference/': sectionsOf('reference', referenceSections),
      '/api/': [{ text: 'TypeScript API', items: apiPages() }],
      '/spec/': [
        { text: 'Specification', items: pagesOf('spec', ['README.md']) },
        { text: 'The flow API', items: pagesOf('spec/flow-api', ['base.md']) },
      ],
      '/decisions/': [{ text: 'Decisions', items: pagesOf('decisions') }],
    },
    outline: [2, 3],
    socialLinks: [],
  },
})
