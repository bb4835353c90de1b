import { createRouteTable } from '@x/wire'
import { connectionRoutes } from './connections.ts'
import { domainRoutes } from './domains.ts'
import { logRoutes } from './log.ts'
import { peopleRoutes } from './people.ts'
import { roleRoutes } from './roles.ts'
import { sessionRoutes } from './session.ts'

/** All routes for a signed-in person. */
export const apiRoutes = createRouteTable([
  ...sessionRoutes,
  ...connectionRoutes,
  ...logRoutes,
  ...domainRoutes,
  ...roleRoutes,
  ...peopleRoutes,
])
