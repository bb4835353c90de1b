import { Data, type Types } from '@a2ui/lit/0.8'
import * as UI from '@a2ui/lit/ui'
import { ContextProvider } from '@lit/context'
import { html, LitElement } from 'lit'
import { renderMarkdown } from './render-markdown.ts'
import { theme } from './theme.ts'

/**
 * Shows one surface of a stream: `<surface-viewer stream="/surfaces/demo/stream"
 * events="/surfaces/demo/events" surface="demo">`. User actions are posted to `events`.
 */
export class SurfaceViewer extends LitElement {
  readonly #processor = Data.createSignalA2uiMessageProcessor()
  #source: EventSource | undefined

  constructor() {
    super()
    void new ContextProvider(this, { context: UI.Context.theme, initialValue: theme })
    void new ContextProvider(this, { context: UI.Context.markdown, initialValue: renderMarkdown })
    this.addEventListener('a2uiaction', ({ detail }) => void this.#send(detail))
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#source = new EventSource(this.getAttribute('stream') ?? '')
    this.#source.addEventListener('message', ({ data }) => {
      this.#processor.processMessages([JSON.parse(String(data)) as Types.ServerToClientMessage])
      this.requestUpdate()
    })
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#source?.close()
  }

  override render() {
    const surfaceId = this.getAttribute('surface') ?? ''
    const surface = this.#processor.getSurfaces().get(surfaceId)
    if (surface?.componentTree == null) return html`<p>Waiting for the surface ...</p>`
    return html`<a2ui-surface
      .surfaceId=${surfaceId}
      .surface=${{ ...surface }}
      .processor=${this.#processor}
    ></a2ui-surface>`
  }

  /** Posts a user action with its context resolved in the scope of its component. */
  async #send(detail: ActionDetail): Promise<void> {
    const surfaceId = this.getAttribute('surface') ?? ''
    const context: Record<string, unknown> = {}
    for (const { key, value } of detail.action.context ?? []) {
      context[key] =
        value.path === undefined
          ? (value.literalString ?? value.literalNumber ?? value.literalBoolean ?? null)
          : this.#read(detail, value.path, surfaceId)
    }
    const userAction = {
      name: detail.action.name,
      surfaceId,
      sourceComponentId: detail.sourceComponentId,
      timestamp: new Date().toISOString(),
      context,
    }
    await fetch(this.getAttribute('events') ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ userAction }),
    })
  }

  #read({ sourceComponent }: ActionDetail, path: string, surfaceId: string): unknown {
    return sourceComponent === null
      ? null
      : this.#processor.getData(sourceComponent, path, surfaceId)
  }
}

type ActionDetail = HTMLElementEventMap['a2uiaction']['detail']

/** Defines the element `<surface-viewer>`. */
export function defineSurfaceViewer(): void {
  customElements.define('surface-viewer', SurfaceViewer)
}

declare global {
  interface HTMLElementTagNameMap {
    'surface-viewer': SurfaceViewer
  }
}
