import { role } from './forms.ts'
import { choice, integer, text } from './variable.ts'

/** Variables of several processes on one database. */
export const fleetVariables = {
  SERVICE_DRAIN_SECONDS: {
    ...integer('seconds to accept connections after SIGTERM, while /health/ready answers 503', 0),
    max: 3600,
  },
  SERVICE_DATABASE_WAIT_SECONDS: integer(
    'seconds that a start waits for a database that cannot be reached; 0: not at all',
    30,
  ),
  SERVICE_DATABASE_STATEMENT_SECONDS: {
    ...integer('seconds after which PostgreSQL cancels a statement', 10, 1),
    max: 3600,
  },
  SERVICE_ROLE: {
    ...text('what this process does: all, web (runs no builds) or worker (serves no API)', 'all'),
    form: role,
  },
  SERVICE_PROCESS_NAME: text(
    'name of this process in the list of the fleet; default: host name and process id',
  ),
  SERVICE_LEASE_SECONDS: {
    ...integer('seconds after which the builds of a process that is gone go on elsewhere', 15, 3),
    max: 3600,
  },
  SERVICE_RESUMABLE_BUILDS: choice(
    'builds go on in another process when theirs stops, unless a request says no; auto: with PostgreSQL',
    ['auto', 'true', 'false'],
  ),
}
