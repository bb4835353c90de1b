import { createDataFrame, errorText } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import type { SqlConnection } from '@x/flow-engine'

/** Runs a query on a database that the host makes available to flows. */
export const sql = defineComponent({
  type: 'SQLComponent',
  displayName: 'SQL Database',
  description: 'Runs an SQL query on a database.',
  icon: 'database',
  category: 'data_source',
  module: 'lfx.components.data_source.sql_executor.SQLComponent',
  inputs: {
    database_url: field.text({ displayName: 'Database URL', required: true }),
    query: field.multiline({ displayName: 'SQL Query', required: true, toolMode: true }),
    include_columns: field.bool({
      displayName: 'Include Columns',
      default: true,
      advanced: true,
      toolMode: true,
    }),
    add_error: field.bool({
      displayName: 'Add Error',
      default: false,
      advanced: true,
      toolMode: true,
    }),
  },
  outputs: {
    run_sql_query: output.dataFrame({
      displayName: 'Result Table',
      method: 'run_sql_query',
      async run({ database_url, query }, ctx) {
        const connection = await connect(database_url, ctx)
        try {
          const { columns, rows } = await connection.query(query, { signal: ctx.signal })
          return createDataFrame(rows, columns)
        } catch (error) {
          ctx.signal.throwIfAborted()
          throw new TypeError(
            `An error occurred while running the SQL Query: ${errorText(error)}`,
            { cause: error },
          )
        } finally {
          await connection.close()
        }
      },
    }),
  },
})

async function connect(url: string, ctx: ComponentContext): Promise<SqlConnection> {
  const about = 'An error occurred while connecting to the database'
  const { sql: connections } = ctx.services
  if (connections === undefined) {
    throw new TypeError(`${about}: this server has no databases for flows`)
  }
  try {
    return await connections.connect(url)
  } catch (error) {
    throw new TypeError(`${about}: ${errorText(error)}`, { cause: error })
  }
}
