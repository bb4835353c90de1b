import { call } from './api.ts'
import { attempt, byId, make } from './elements.ts'
import type { ConsolePage } from './page.ts'

/** The placeholder for a key that this page has not created. */
const NO_KEY = '<your key>'

interface Project {
  readonly id: string
  readonly name: string
}

interface Tool {
  readonly id: string
  readonly mcp_enabled: boolean
  readonly action_name: string
  readonly action_description: string
  readonly name: string
}

/** The key created on this page; it is kept in memory only. */
let key = NO_KEY

let projects: readonly Project[] = []

let ready = false

/** The user's projects as MCP servers, starting with the first. Leaving the page forgets the key. */
export const mcpPage: ConsolePage = {
  name: 'mcp',
  title: 'MCP',
  async open() {
    if (!ready) setUp()
    ready = true
    await showProjects()
  },
  leave() {
    key = NO_KEY
    byId('mcp-tools', HTMLUListElement).replaceChildren()
    byId('mcp-configuration', HTMLDivElement).replaceChildren()
  },
}

async function showProjects(): Promise<void> {
  projects = (await (await call('/projects/')).json()) as Project[]
  byId('mcp-projects', HTMLSelectElement).replaceChildren(
    ...projects.map(({ id, name }) => make('option', name, { value: id })),
  )
  await showChosen()
}

/** Shows the chosen project, and creates a key on request. */
function setUp(): void {
  const list = byId('mcp-projects', HTMLSelectElement)
  list.addEventListener('change', () => attempt(showChosen))
  byId('mcp-key', HTMLButtonElement).addEventListener('click', () =>
    attempt(async () => {
      const body = JSON.stringify({ name: 'MCP client' })
      const made = await call('/api_key/', { method: 'POST', body })
      key = ((await made.json()) as { api_key: string }).api_key
      await showChosen()
    }),
  )
}

async function showChosen(): Promise<void> {
  const chosen = byId('mcp-projects', HTMLSelectElement).value
  const project = projects.find(({ id }) => id === chosen)
  if (project !== undefined) await showProject(project)
}

async function showProject({ id, name }: Project): Promise<void> {
  const path = `/mcp/project/${id}`
  const [{ streamable_http_url: url }, { tools }] = (await Promise.all([
    call(`${path}/composer-url`).then((response) => response.json()),
    call(`${path}?mcp_enabled=false`).then((response) => response.json()),
  ])) as [{ streamable_http_url: string }, { tools: readonly Tool[] }]
  const server = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const headers = { 'x-api-key': key }
  const config = { mcpServers: { [server]: { type: 'http', url, headers } } }
  byId('mcp-configuration', HTMLDivElement).replaceChildren(
    ...copied('Address', url),
    ...copied('Clients that read JSON', JSON.stringify(config, null, 2)),
    ...copied(
      'Claude Code',
      `claude mcp add --transport http ${server} ${url} --header "x-api-key: ${key}"`,
    ),
  )
  const save = (tool: Tool): Promise<Response> =>
    call(path, { method: 'PATCH', body: JSON.stringify({ settings: [tool] }) })
  byId('mcp-tools', HTMLUListElement).replaceChildren(...tools.map((tool) => toolItem(tool, save)))
}

/** Switch, name and description of a flow; changes are saved immediately. */
function toolItem(
  { id, name, ...tool }: Tool,
  save: (tool: Tool) => Promise<Response>,
): HTMLLIElement {
  const offered = make('input', '', { type: 'checkbox', 'aria-label': `Offer ${name}` })
  offered.checked = tool.mcp_enabled
  const named = make('input', '', { 'aria-label': `Name of ${name} as a tool`, maxlength: '46' })
  named.value = tool.action_name
  const told = make('input', '', { 'aria-label': `Description of ${name}`, class: 'wide' })
  told.value = tool.action_description
  const change = (): void =>
    attempt(async () => {
      await save({
        id,
        name,
        mcp_enabled: offered.checked,
        action_name: named.value,
        action_description: told.value,
      })
    })
  for (const input of [offered, named, told]) input.addEventListener('change', change)
  const item = make('li')
  item.append(offered, make('span', name), named, told)
  return item
}

/** Text with a title and a button that copies it. */
export function copied(title: string, text: string): HTMLElement[] {
  const button = make('button', 'Copy', { type: 'button', class: 'quiet' })
  button.setAttribute('aria-label', `Copy: ${title}`)
  button.addEventListener('click', () =>
    attempt(async () => {
      await navigator.clipboard.writeText(text)
      button.textContent = 'Copied'
    }),
  )
  const head = make('h3', title)
  head.append(button)
  // Makes the scrollable element reachable by keyboard.
  return [head, make('pre', text, { tabindex: '0', role: 'group', 'aria-label': title })]
}
