import type { RouteGroup } from '../routes/index.ts'

/** An HTML page that lists the operations, generated from the route table; it loads no resources. */
export function createDocsPage(groups: readonly RouteGroup[], openApiUrl: string): string {
  const sections = groups.map(({ name, routes }) => {
    const rows = routes.map(
      ({ method, path, summary, auth, status = 200, deprecated }) =>
        `<tr><td>${method}</td><td><code>${escaped(path)}</code></td>` +
        `<td>${escaped(summary)}${deprecated === true ? ' (deprecated)' : ''}</td>` +
        `<td>${auth}</td><td>${status}</td></tr>`,
    )
    const head =
      '<tr><th>Method</th><th>Path</th><th>Operation</th><th>Credentials</th><th>Success</th></tr>'
    return `<h2>${escaped(name)}</h2><table>${head}${rows.join('')}</table>`
  })
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Flow API</title>' +
    '<meta name="viewport" content="width=device-width"><style>' +
    'body{font:14px system-ui;margin:2rem auto;max-width:70rem;padding:0 1rem}' +
    'table{border-collapse:collapse;width:100%}' +
    'td,th{text-align:left;padding:.25rem .5rem;border-bottom:1px solid #ddd}' +
    '</style></head><body><h1>Flow API</h1>' +
    `<p>The description for machines: <a href="${escaped(openApiUrl)}">openapi.json</a>.</p>` +
    `${sections.join('')}</body></html>`
  )
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
}
