import { call } from './api.ts'
import { make } from './elements.ts'
import { replaceBelowTitle, type ConsolePage } from './page.ts'
import { questionForm, type OpenQuestion } from './question-form.ts'
import { moment } from './table.ts'

const EVERY_MS = 5000

let looking: ReturnType<typeof setInterval> | undefined

/** The open questions of this user's builds, each with a form to answer it. */
export const inboxPage: ConsolePage = {
  name: 'inbox',
  title: 'Inbox',
  async open(section) {
    clearInterval(looking)
    const list = make('div')
    const said = make('p', '', { role: 'status' })
    const text = 'Flows that ask a person wait here for an answer.'
    replaceBelowTitle(section, [make('p', text, { class: 'lead' }), said, list])
    const show = (): Promise<void> => showQuestions(list, said)
    looking = setInterval(() => {
      // Does not replace a form while the user types into it.
      if (!list.contains(document.activeElement)) show().catch(() => undefined)
    }, EVERY_MS)
    await show()
  },
  leave(section) {
    clearInterval(looking)
    replaceBelowTitle(section, [])
  },
}

async function showQuestions(list: HTMLElement, said: HTMLElement): Promise<void> {
  const questions = (await (await call('/api/v2/workflows/pending')).json()) as OpenQuestion[]
  const ids = questions.map(({ request_id: id }) => id).join(' ')
  if (list.dataset['shown'] === ids && list.childElementCount > 0) return
  list.dataset['shown'] = ids
  if (questions.length === 0) {
    list.replaceChildren(make('p', 'Nothing waits for you.', { class: 'empty' }))
    return
  }
  const names = await flowNames()
  const cards = make('div', '', { class: 'cards' })
  cards.append(...questions.map((question) => cardOf(question, { names, list, said })))
  list.replaceChildren(cards)
}

async function flowNames(): Promise<ReadonlyMap<string, string>> {
  const answer = await call('/flows/?get_all=true&header_flows=true')
  const flows = (await answer.json()) as { id: string; name: string }[]
  return new Map(flows.map(({ id, name }) => [id, name]))
}

interface Place {
  readonly names: ReadonlyMap<string, string>
  readonly list: HTMLElement
  readonly said: HTMLElement
}

function cardOf(question: OpenQuestion, { names, list, said }: Place): HTMLElement {
  const { job_id: jobId, request_id: requestId, prompt, created_at, expires_at } = question
  const title = prompt ?? 'A question'
  const flow = names.get(question.flow_id) ?? 'a flow that was deleted'
  const expiry = expires_at === null ? '' : ` · until ${moment(expires_at)}`
  const card = make('article')
  card.append(
    make('h3', title),
    make('p', `${flow} · begun ${moment(created_at)}${expiry}`),
    questionForm(question, `Answer ${title}`, async (decision) => {
      const body = JSON.stringify({ request_id: requestId, decision })
      await call(`/api/v2/workflows/${jobId}/resume`, { method: 'POST', body })
      said.textContent = `Answered: ${title}`
      await showQuestions(list, said)
    }),
  )
  return card
}
