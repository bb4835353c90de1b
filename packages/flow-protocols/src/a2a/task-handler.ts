import type {
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  Task,
} from '@a2a-js/sdk'
import type { A2ARequestHandler } from '@a2a-js/sdk/server'
import type { PendingQuestion } from '@x/flow-engine'
import { encodeBase64, isObject } from '@x/wire'
import { asId } from '../http/check.ts'
import { digestOf } from '../http/digest.ts'
import type { DoorCall } from '../http/door-call.ts'
import { DoorError, invalid, toDoorError } from '../http/door-error.ts'
import type { DoorParts } from '../http/door-parts.ts'
import type { SentFile } from '../http/sent-file.ts'
import { decisionOfAction, userActionOf } from '../turns/decisions.ts'
import { TurnPartReader } from '../turns/turn-part-reader.ts'
import type { ChatKey, Turn } from '../turns/turn.ts'
import type { A2aSdk } from './a2a-sdk.ts'
import { agentCard } from './agent-card.ts'
import type { TaskPush } from './task-push.ts'
import { TaskWriter } from './task-writer.ts'

/** The turn of a message. @see follow for `after`: an answer's client knows what was there before */
interface BegunTurn {
  readonly turn: Turn
  readonly after?: number
  readonly isNew?: boolean
}

export interface TaskHandlerOptions {
  readonly sdk: A2aSdk
  readonly parts: DoorParts
  readonly call: DoorCall
  /** Of the endpoint. */
  readonly url: string
  /** Ends with the client's connection. */
  readonly signal: AbortSignal
  readonly push: TaskPush | undefined
}

const MAX_PAGE = 100

/** The methods of A2A over the turns of one caller and flow; the SDK does the wire. */
export function createTaskHandler(options: TaskHandlerOptions): A2ARequestHandler {
  const { sdk, parts, call, url, signal, push } = options
  const { turns } = parts
  const { userId, flow } = call
  const extension = activated(parts, call.request)

  const own = async (id: string): Promise<Turn> => {
    const turn = await turns.find({ userId, flowId: flow.id }, id)
    if (turn === undefined) throw new sdk.TaskNotFoundError(`There is no task ${id}.`)
    return turn
  }
  const writerOf = (turn: Turn, reports = false) => {
    const reader = new TurnPartReader({ parts, call, turn, reports })
    const { files } = reader
    const writer = new TaskWriter({ sdk, turn, files, surfaces: extension })
    return { writer, reader }
  }
  const toTask = async (turn: Turn, historyLength?: number, reports = false): Promise<Task> => {
    const { writer, reader } = writerOf(turn, reports)
    for (const part of await reader.read(await turns.log(turn.id))) writer.skip(part)
    return writer.task(await own(turn.id), historyLength)
  }

  /** The task as it stands, then what follows. */
  async function* follow(
    turn: Turn,
    { after, isNew = false }: Omit<BegunTurn, 'turn'> = {},
  ): AsyncGenerator<StreamResponse, void, undefined> {
    turns.checkReaders(turn.id)
    const left = turns.readers.enter(turn.id)
    try {
      const { writer, reader } = writerOf(turn, isNew)
      const until = after ?? (isNew ? -1 : await turns.position(turn.id))
      let isShown = until < 0
      const shown = async (): Promise<StreamResponse> => {
        isShown = true
        return { payload: { $case: 'task', value: writer.task(await own(turn.id)) } }
      }
      if (isShown) yield await shown()
      for await (const { events } of turns.read(turn.id, { signal })) {
        const known = events.filter(({ seq }) => seq <= until)
        for (const part of await reader.read(known)) writer.skip(part)
        if (!isShown && (events.at(-1)?.seq ?? -1) >= until) yield await shown()
        for (const part of await reader.read(events.slice(known.length))) yield* writer.write(part)
      }
      if (!isShown) yield await shown()
      yield* writer.emptied()
      yield writer.update(await own(turn.id))
    } finally {
      left()
    }
  }

  /** The turn of a message: a new one, or the one that it answers. */
  const begin = async (params: SendMessageRequest): Promise<BegunTurn> => {
    const message = messageOf(params)
    const { taskId, messageId } = message
    const given = params.configuration?.taskPushNotificationConfig
    const config = given === undefined ? undefined : pushing().check(given)
    const notify = async (turn: Turn, isNew: boolean): Promise<void> => {
      const { url: base } = call.request
      if (config !== undefined) await pushing().set(turn, config, { base, isNew })
    }
    if (taskId !== '') {
      const turn = await own(taskId)
      const answered = await answer(turn, message)
      await notify(turn, false)
      return answered
    }
    const { text, files, action } = readMessage(message)
    const contextId = message.contextId === '' ? parts.host.runtime.uuid() : message.contextId
    const key: ChatKey = { userId, flowId: flow.id, chatId: asId(contextId, 'message.contextId') }
    const { turn, isNew } = await turns.start(key, {
      flow,
      keepsRunning: true,
      note: {
        door: 'a2a',
        messageId: asId(messageId, 'message.messageId'),
        digest: await digestOf([text, files]),
      },
      run: async () => ({
        text,
        parts: [{ type: 'text', text }],
        files: await parts.storeFiles(call, key, files),
        earlier: [],
        origin: call.origin ?? {},
        keepsStates: config !== undefined,
        variables: { ...call.variables, ...(action && { A2UI_ACTION: text }) },
      }),
    })
    await notify(turn, isNew)
    return { turn, isNew }
  }
  const answer = async (turn: Turn, message: Message) => {
    const question = await turns.question(turn.id)
    if (question === undefined)
      throw new sdk.UnsupportedOperationError(`The task ${turn.id} waits for no answer.`)
    const { requestId, decision } = readDecision(message, question, parts.surfaces)
    if (requestId !== question.requestId)
      throw invalid('requestId is not that of the open question')
    const after = await turns.position(turn.id)
    await turns.answer(turn, question.requestId, decision)
    return { turn, after }
  }
  const messageOf = ({ message }: SendMessageRequest): Message => {
    if (message === undefined) throw invalid('message must be an object')
    return message
  }
  /** Errors in the words of the SDK. */
  const told = (error: unknown): unknown => {
    const shown = error instanceof sdk.A2AError ? undefined : toDoorError(error)
    if (shown === undefined) return error
    const { code, message } = shown
    return code === 'turn_running' || code === 'question_closed'
      ? new sdk.UnsupportedOperationError(message)
      : new sdk.RequestMalformedError(message)
  }
  const tell = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw told(error)
    }
  }
  async function* tellAll<T>(
    items: () => AsyncGenerator<T, void, undefined>,
  ): AsyncGenerator<T, void, undefined> {
    try {
      yield* items()
    } catch (error) {
      throw told(error)
    }
  }
  const pushing = (): TaskPush => {
    if (push !== undefined) return push
    throw new sdk.PushNotificationNotSupportedError('Push notifications are not offered.')
  }
  const pushConfig = async (taskId: string, id: string) => {
    const found = (await pushing().list((await own(taskId)).id)).find((one) => one.id === id)
    if (found === undefined) throw new sdk.TaskNotFoundError(`There is no push setting ${id}.`)
    return found
  }

  return {
    getAgentCard: async () =>
      agentCard(flow, url, { surfaces: parts.surfaces, pushes: push !== undefined }),
    async getAuthenticatedExtendedAgentCard() {
      throw new sdk.UnsupportedOperationError('There is no extended card.')
    },
    sendMessage: (params) =>
      tell(async () => {
        const { turn, isNew = false } = await begin(params)
        const { returnImmediately = false, historyLength } = params.configuration ?? {}
        if (!returnImmediately) await turns.wait(turn.id, signal)
        return await toTask(turn, historyLength, isNew && !returnImmediately)
      }),
    sendMessageStream: (params) =>
      tellAll(async function* () {
        const { turn, ...known } = await begin(params)
        yield* follow(turn, known)
      }),
    getTask: ({ id, historyLength }) => tell(async () => toTask(await own(id), historyLength)),
    cancelTask: ({ id }) =>
      tell(async () => {
        const turn = await own(id)
        if (!(await turns.cancel(turn.id)))
          throw new sdk.TaskNotCancelableError(`The task ${id} has ended.`)
        return await toTask(turn)
      }),
    resubscribe: ({ id }) =>
      tellAll(async function* () {
        const turn = await own(id)
        if (turn.job.finishedAt !== null)
          throw new sdk.UnsupportedOperationError(`The task ${id} has ended.`)
        yield* follow(turn)
      }),
    listTasks: (params) => tell(() => list(params)),
    createTaskPushNotificationConfig: (params) =>
      tell(async () => {
        const config = pushing().check(params)
        return await pushing().set(await own(params.taskId), config, { base: call.request.url })
      }),
    getTaskPushNotificationConfig: ({ taskId, id }) => tell(() => pushConfig(taskId, id)),
    listTaskPushNotificationConfigs: ({ taskId }) =>
      tell(async () => ({
        configs: await pushing().list((await own(taskId)).id),
        nextPageToken: '',
      })),
    deleteTaskPushNotificationConfig: ({ taskId, id }) =>
      tell(async () => {
        await pushConfig(taskId, id)
        await pushing().remove(taskId, id)
      }),
  }

  async function list(params: ListTasksRequest): Promise<ListTasksResponse> {
    const { contextId, status, pageSize = 50, pageToken, historyLength, includeArtifacts } = params
    if (!(Number.isInteger(pageSize) && pageSize >= 1 && pageSize <= MAX_PAGE))
      throw invalid(`pageSize must be an integer from 1 to ${MAX_PAGE}`)
    const offset = pageToken === '' ? 0 : Number(pageToken)
    if (!(Number.isInteger(offset) && offset >= 0)) throw invalid('pageToken is unknown')
    const found = await turns.list({ userId, flowId: flow.id, chatId: contextId || undefined })
    const tasks: Task[] = []
    for (const turn of found) {
      if (turn.note.door !== 'a2a') continue
      const task = await toTask(turn, historyLength ?? 0)
      if (status === sdk.TaskState.TASK_STATE_UNSPECIFIED || task.status?.state === status)
        tasks.push(includeArtifacts === true ? task : { ...task, artifacts: [] })
    }
    const page = tasks.slice(offset, offset + pageSize)
    const next = offset + page.length
    return {
      tasks: page,
      nextPageToken: next < tasks.length ? String(next) : '',
      pageSize,
      totalSize: tasks.length,
    }
  }
}

/** The extension for surfaces, if the request asks for it. */
export function activated({ surfaces }: Pick<DoorParts, 'surfaces'>, { headers }: Request) {
  const asked = headers.get('a2a-extensions') ?? headers.get('x-a2a-extensions')
  const uri = surfaces?.negotiate(asked) ?? null
  if (surfaces === undefined || uri === null) return undefined
  return { uri, dataParts: (messages: readonly object[]) => surfaces.dataParts(messages) }
}

interface ReadMessage {
  readonly text: string
  readonly files: SentFile[]
  /** What the user did on a surface, instead of the text. */
  readonly action?: Readonly<Record<string, unknown>>
}

/** The texts and files of a message; text parts are joined with a line feed. */
function readMessage({ parts }: Message): ReadMessage {
  const action = actionIn(parts)
  const texts: string[] = []
  const files: SentFile[] = []
  for (const [n, { content, mediaType, filename }] of parts.entries()) {
    const param = `message.parts[${n}]`
    if (content?.$case === 'text') texts.push(content.value)
    else if (content?.$case === 'data') {
      texts.push(JSON.stringify(content.value))
    } else if (content?.$case === 'raw') {
      const data = encodeBase64(new Uint8Array(content.value))
      const url = `data:${mediaType};base64,${data}`
      files.push({ param, url, mediaType, ...(filename === '' ? {} : { filename }) })
    } else if (content?.$case === 'url')
      throw new DoorError(
        'invalid_request',
        `${param}.url: addresses are not fetched; send the content`,
      )
  }
  if (action !== undefined) return { text: JSON.stringify(action), files, action }
  return { text: texts.join('\n'), files }
}

/** The user's action among the data parts: `userAction`, or the `action` of a list of messages. */
function actionIn(parts: Message['parts']): Record<string, unknown> | undefined {
  for (const { content, mediaType } of parts) {
    if (content?.$case !== 'data') continue
    for (const value of [content.value].flat() as unknown[]) {
      if (!isObject(value)) continue
      const isSurface = mediaType.includes('a2ui') && isObject(value['action'])
      if (isObject(value['userAction']) || isSurface) return userActionOf(value)
    }
  }
  return undefined
}

/** What a message says to a question. */
function readDecision(
  message: Message,
  question: PendingQuestion,
  surfaces: DoorParts['surfaces'],
) {
  const action = actionIn(message.parts)
  const acted = action && decisionOfAction(surfaces, question, action)
  if (acted !== undefined) return { requestId: question.requestId, ...acted }

  for (const { content } of message.parts) {
    if (content?.$case !== 'data' || !isObject(content.value)) continue
    const { requestId = question.requestId, decision } = content.value
    if (decision !== undefined) return { requestId, decision }
  }
  const { text } = readMessage(message)
  const { requestId, options, schema } = question
  const said = text.trim().toLowerCase()
  const option = options.find(
    ({ actionId, label }) => actionId.toLowerCase() === said || label.toLowerCase() === said,
  )
  if (option !== undefined) return { requestId, decision: { action_id: option.actionId } }
  if (options.length > 0) return { requestId, decision: { action_id: text } }
  const names = isObject(schema?.['properties']) ? Object.keys(schema['properties']) : []
  const isForm = names.length === 1 && names[0] === 'answer'
  return { requestId, decision: isForm ? { answer: text } : text }
}
