import type { FlowStore } from '../../store/flow-store.ts'
import type { ProjectRecord } from '../../store/projects.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'

/** Former names of the default project, before it used the one from the settings. */
const EARLIER = ['My Collection', 'Starter Project']
const DESCRIPTION = 'Manage your own flows. Download and upload projects.'

/** Returns the default project of a user, creating it or renaming a former one if missing. */
export async function ensureDefaultProject(
  { settings, runtime }: ServiceDependencies,
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
