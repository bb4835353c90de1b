import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type DefaultTheme } from 'vitepress'

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

const guides = (names: readonly string[]): DefaultTheme.SidebarItem[] =>
  names.map((name) => pageOf(`guides/${name}.md`))

const sections: Readonly<Record<string, readonly string[]>> = {
  'Start here': ['quick-start', 'mount', 'storage', 'deploy', 'operate', 'troubleshooting'],
  Provisioning: [
    'scim-mount',
    'scim-connect',
    'scim-own-tables',
    'scim-own-store',
    'scim-authentication',
    'scim-hooks',
    'scim-events-out',
    'scim-resource-types',
    'scim-roll-out',
    'scim-conformance',
  ],
  Flows: [
    'run-flows',
    'test-flows',
    'evaluate-flows',
    'visual-editor',
    'write-a-component',
    'python-components',
    'newer-versions',
    'migrate-from-langflow',
    'human-in-the-loop',
    'durable-runs',
    'mcp',
    'openai-clients',
  ],
  Surfaces: ['surfaces', 'surfaces-0.9', 'surfaces-1.0', 'surfaces-from-models'],
}

/** Guides that no section names come last, so that a new one is never lost. */
function guideSections(): DefaultTheme.SidebarItem[] {
  const named = Object.values(sections).flat()
  const others = readdirSync(join(docs, 'guides'))
    .map((name) => name.replace(/\.md$/, ''))
    .filter((name) => !named.includes(name))
  return [...Object.entries(sections), ['More', others] as const]
    .filter(([, names]) => names.length > 0)
    .map(([text, names]) => ({ text, items: guides(names) }))
}

function apiPages(): DefaultTheme.SidebarItem[] {
  try {
    return pagesOf('api', ['index.md'])
  } catch {
    return []
  }
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
    search: { provider: 'local' },
    nav: [
      { text: 'Guides', link: '/guides/quick-start', activeMatch: '/guides/' },
      { text: 'Reference', link: '/reference/compatibility', activeMatch: '/reference/' },
      { text: 'API', link: '/api/', activeMatch: '/api/' },
      { text: 'Specification', link: '/spec/README', activeMatch: '/spec/' },
    ],
    sidebar: {
      '/guides/': guideSections(),
      '/reference/': [{ text: 'Reference', items: pagesOf('reference') }],
      '/api/': [{ text: 'Exports', items: apiPages() }],
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
