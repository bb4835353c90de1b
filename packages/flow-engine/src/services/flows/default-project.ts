import type { FlowStore } from '../../store/flow-store.ts'
import type { ProjectRecord } from '../../store/projects.ts'
import type { ServiceKit } from '../base/kit.ts'

/** Names that the default project had before it got the one of the settings. */
const EARLIER = ['My Collection', 'Starter Project']
const DESCRIPTION = 'Manage your own flows. Download and upload projects.'

/** The default project of a user, made (or renamed from an earlier name) where it is missing. */
export async function ensureDefaultProject(
  { settings, runtime }: ServiceKit,
  store: FlowStore,
  userId: string,
): Promise<ProjectRecord> {
  const name = settings.defaultFolderName
  const found = await store.projects.findByName(userId, name)
  if (found !== null) return found
  for (const earlier of EARLIER) {
    const old = await store.projects.findByName(userId, earlier)
    const renamed = old === null ? null : await store.projects.update(userId, old.id, { name })
    if (renamed !== null) return renamed
  }
  const record: ProjectRecord = {
    id: runtime.uuid(),
    userId,
    name,
    description: DESCRIPTION,
    parentId: null,
    authSettings: null,
    createdAt: runtime.now(),
  }
  await store.projects.insert(record)
  return record
}
