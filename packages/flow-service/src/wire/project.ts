import { z } from 'zod'
import { maskAuthSettings } from '../services/flows/auth-settings.ts'
import type { NewProject, ProjectChanges } from '../services/flows/projects.ts'
import type { ProjectRecord } from '../store/projects.ts'
import { FlowPage, FlowRead } from './flow.ts'
import { bool, descriptionText, dict, int, maybe, nameText, orNull, text, uuid } from './scalars.ts'

/** The create payload of a project. */
export const ProjectCreate = z
  .object({
    name: nameText(),
    description: orNull(descriptionText()),
    auth_settings: orNull(dict()),
    components_list: orNull(z.array(uuid())),
    flows_list: orNull(z.array(uuid())),
  })
  .meta({ id: 'ProjectCreate' })

/** The update payload of a project. */
export const ProjectUpdate = z
  .object({
    name: maybe(nameText()),
    description: maybe(descriptionText()),
    parent_id: maybe(uuid()),
    components: z.array(uuid()).optional(),
    flows: z.array(uuid()).optional(),
    auth_settings: maybe(dict()),
  })
  .meta({ id: 'ProjectUpdate' })

/** Filters and paging of a project's flows; 0 means the default. */
export const ProjectQuery = z.object({
  page: orNull(int({ ge: 1, zero: true })),
  size: orNull(int({ ge: 1, le: 100, zero: true })),
  is_component: bool().default(false),
  is_flow: bool().default(false),
  search: text().default(''),
})

/** A project as returned by the service. */
export const ProjectRead = z
  .strictObject({
    name: z.string(),
    description: z.string().nullable(),
    auth_settings: z.looseObject({}).nullable(),
    id: z.string().meta({ format: 'uuid' }),
    parent_id: z.string().meta({ format: 'uuid' }).nullable(),
  })
  .meta({ id: 'Project' })

/** A project with all its flows. */
export const ProjectWithFlows = ProjectRead.extend({ flows: z.array(FlowRead) }).meta({
  id: 'ProjectWithFlows',
})

/** A project with a page of its flows. */
export const ProjectPage = z
  .strictObject({ folder: ProjectRead, flows: FlowPage })
  .meta({ id: 'ProjectPage' })

/** Converts a project to its wire form. */
export function projectToWire(project: ProjectRecord): z.input<typeof ProjectRead> {
  return {
    name: project.name,
    description: project.description,
    auth_settings: maskAuthSettings(project.authSettings),
    id: project.id,
    parent_id: project.parentId,
  }
}

/** Converts a create payload to the service's form. */
export function projectFromWire(wire: z.output<typeof ProjectCreate>): NewProject {
  return {
    name: wire.name,
    description: wire.description,
    authSettings: wire.auth_settings,
    flowIds: [...(wire.components_list ?? []), ...(wire.flows_list ?? [])],
  }
}

/** Converts an update payload to the service's form. */
export function projectChangesFromWire(wire: z.output<typeof ProjectUpdate>): ProjectChanges {
  return {
    name: wire.name ?? undefined,
    description: wire.description ?? undefined,
    parentId: wire.parent_id ?? undefined,
    authSettings: wire.auth_settings,
  }
}
