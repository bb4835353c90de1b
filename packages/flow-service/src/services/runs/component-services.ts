import type { ComponentServices, MessageQuery, MessageRecord, MessageService } from '@x/flow-engine'
import { invalidRequest, withBudget } from '@x/flow-engine/internal'
import type { MessageStore, StoredMessage } from '../../store/messages.ts'
import { createKnowledge, createVectorStores } from '../collections/collections.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import type { BudgetService } from '../budgets/budgets.ts'
import { createOwnedFlows } from '../flows/owned-flows.ts'
import type { WriteTracker } from './write-tracker.ts'
import { createRunFiles } from './run-files.ts'
import type { RunOwnerInfo } from './run-owner-info.ts'
import type { UserFileWriter } from '../files/user-file-writer.ts'
import type { VariableService } from '../accounts/variables.ts'
import type { VisitorFiles } from '../files/visitor-files.ts'
import type { VisitorMessages } from './visitor-messages.ts'

export interface ComponentServicesOptions extends Pick<
  ServiceDependencies,
  'store' | 'files' | 'vectors' | 'secrets' | 'emit' | 'runtime' | 'settings' | 'userLimits'
> {
  readonly budgets: Pick<BudgetService, 'of'>
  readonly variables: Pick<VariableService, 'read' | 'isText' | 'forField'>
  readonly userFiles: UserFileWriter
  readonly visitorFiles: VisitorFiles
  readonly visitorMessages: VisitorMessages
  /** The host's services; they override those of the same name. */
  readonly injected: Partial<ComponentServices>
}

/** Makes the services of a run's components, bound to its owner. */
export function createServicesOfRuns(
  options: ComponentServicesOptions,
): (scope: RunOwnerInfo) => ComponentServices {
  const { store, variables, injected, settings, vectors } = options
  const { environment, mcp, ...others } = injected
  return (scope) => {
    const {
      ownerId,
      storedFlowId,
      isPublic,
      isAnonymous = false,
      runFlowId,
      pending,
      keyHash,
    } = scope
    const { isForeign = isPublic || isAnonymous } = scope
    const services: ComponentServices = {
      messages: createMessages(store.messages, options, {
        userId: isPublic ? null : ownerId,
        only: isPublic ? { flowId: runFlowId ?? '' } : {},
        pending,
        stored: async (message) => {
          if (isPublic) await options.visitorMessages.stored(storedFlowId, message)
        },
      }),
      variables: {
        get: async (name) => (isAnonymous ? null : await variables.read(ownerId, name)),
        isText: (name) => variables.isText(ownerId, name),
        forField: async (field) => (isAnonymous ? null : variables.forField(ownerId, field)),
      },
      files: createRunFiles(options, scope),
      knowledge: createKnowledge(options, store.collections, ownerId),
      vectors: createVectorStores(options, vectors, ownerId),
      flows: createOwnedFlows(store, ownerId),
      ...others,
    }
    // Work of visitors must not delay the owner or other users.
    if (isPublic) services.workOwner = `visitors of ${ownerId}`
    if (mcp !== undefined)
      services.mcp = {
        connect: (server, connecting) => mcp.connect(server, { ...connecting, isForeign }),
      }
    if (settings.fallbackToEnvVar && !isAnonymous && environment !== undefined)
      services.environment = environment
    const budget = options.budgets.of({ userId: ownerId, flowId: storedFlowId, keyHash })
    return budget === undefined ? services : withBudget(services, budget)
  }
}

function createMessages(
  store: MessageStore,
  { emit, runtime, userLimits }: Pick<ServiceDependencies, 'emit' | 'runtime' | 'userLimits'>,
  {
    userId,
    only,
    pending,
    stored,
  }: {
    readonly userId: string | null
    /** Conditions that always apply, whatever the query says. */
    readonly only: { readonly flowId?: string }
    readonly pending: WriteTracker | undefined
    /** Called with each message that was stored or changed. */
    readonly stored: (message: { readonly id: string }) => Promise<void>
  },
): MessageService {
  /** Public builds cannot see the conversations of others, whatever id they use. */
  const isSeen = async (id: string): Promise<boolean> => {
    if (only.flowId === undefined) return true
    const message = await store.get(id)
    return message !== null && message.userId === userId && message.flowId === only.flowId
  }
  const insert = async (given: MessageRecord): Promise<void> => {
    checkNames(given)
    const message = { ...given, ...only }
    await pending?.begun()
    await store.insert(toStored(message, userId))
    await stored(message)
    const { id, flowId, sessionId } = message
    emit('message.stored', {
      at: runtime.now(),
      id,
      flowId,
      sessionId,
      ...(userId === null ? {} : { userId }),
    })
  }
  return {
    async add(message) {
      if (userId !== null) await userLimits.message(userId)
      const inserted = insert(message)
      if (pending === undefined) await inserted
      else pending.add(inserted)
    },
    async update({ id, flowId: _, ...message }) {
      checkNames(message)
      await pending?.settled()
      if (!(await isSeen(id))) return
      await store.update(id, message)
      await stored({ id, ...message })
    },
    async remove(id) {
      await pending?.settled()
      if (await isSeen(id)) await store.remove([id], userId)
    },
    async list({ last, order = 'ascending', includeErrors = false, ...filters }) {
      await pending?.settled()
      if (last !== undefined && last <= 0) return []
      const descending = order === 'descending'
      // The last n in one order are the first n in the other.
      const turned = last !== undefined
      const found = await store.list({
        ...nonEmpty(filters),
        ...only,
        userId,
        errors: includeErrors,
        orderBy: 'timestamp',
        descending: turned ? !descending : descending,
        ...(last === undefined ? {} : { limit: last }),
      })
      return (turned ? found.toReversed() : found).map(toMessageRecord)
    },
  }
}

/** The maximum length of a session in requests; graphs, tweaks and models may contain any text. */
const MAX_NAME_LENGTH = 500

/**
 * Bounded, because every list of sessions and messages reads these again.
 * @throws FlowError `invalid_request`
 */
function checkNames({
  sessionId,
  contextId,
  sender,
  senderName,
}: Pick<MessageRecord, 'sessionId' | 'contextId' | 'sender' | 'senderName'>): void {
  for (const [name, text] of Object.entries({ sessionId, contextId, sender, senderName })) {
    if ((text?.length ?? 0) <= MAX_NAME_LENGTH) continue
    const shown = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    throw invalidRequest(`The ${shown} of a message has at most ${MAX_NAME_LENGTH} characters`)
  }
}

/** Drops empty filters. */
function nonEmpty({ sessionId, contextId, flowId, sender, senderName }: MessageQuery): object {
  const entries = Object.entries({ sessionId, contextId, flowId, sender, senderName })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== ''))
}

function toStored(message: MessageRecord, userId: string | null): StoredMessage {
  return { userId, ...message }
}

function toMessageRecord({ userId: _, ...record }: StoredMessage): MessageRecord {
  return { ...record, files: [...record.files], contentBlocks: [...record.contentBlocks] }
}
