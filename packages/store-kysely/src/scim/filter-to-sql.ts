import type { AttributePath, ResolvedFilter } from '@x/scim-core'
import { sql } from 'kysely'
import { elementList, type ElementList, type ElementScope } from './element-lists.ts'
import { pushDownNegation } from './push-down-negation.ts'
import { INDEXED_OPERATORS } from './selectivity.ts'
import { jsonSql } from './json-sql.ts'
import { operandOf } from './operands.ts'
import {
  joinConditions,
  comparison,
  negation,
  isPresentFilter,
  type Condition,
  type Operand,
} from './filter-operators.ts'

/**
 * Translates a filter to a condition on the row `r` of a resource, with the same semantics as the core. @throws InvalidFilterError for excessive nesting. Everything is pushed down; values are
 * parameters, and names come from the schema. In mode `sets`, indexed parts become a set of rows
 * computed once; in mode `rows` each row is tested individually, which is faster if most rows match and
 * only the first are needed; mode `ranges` reads its indexes one after another, until enough are found.
 */
export function filterToSql(filter: ResolvedFilter, scope: ElementScope): Condition {
  return toSql(pushDownNegation(filter), scope)
}

function toSql(filter: ResolvedFilter, scope: ElementScope): Condition {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return joinConditions(
        filter.kind,
        filter.terms.map((term) => toSql(term, scope)),
      )
    case 'not':
      return negation(toSql(filter.term, scope))
    case 'present':
      return resourcePresence(filter.path, scope)
    case 'compare': {
      const operand = operandOf(filter.path, scope.resource, scope.dialect)
      const { dialect } = scope
      return indexSet(operand, filter.operator, {
        scope,
        condition: comparison(operand, filter.operator, { value: filter.value, dialect }),
      })
    }
    case 'element': {
      const list = elementList(filter.path, scope)
      return list.some(elementToSql(filter.where, list, scope))
    }
  }
}

function indexSet(
  operand: Operand,
  operator: string,
  { scope, condition }: { readonly scope: ElementScope; readonly condition: Condition },
): Condition {
  const { mode, resource, tenant } = scope
  if (mode === 'rows' || !operand.indexed || !INDEXED_OPERATORS.has(operator)) return condition
  if (mode === 'ranges') return sql`(r.tenant = ${tenant} and ${condition})`
  const own = resource.table === 'scim_resource' ? sql` and ${resource.alive}` : sql``
  return sql`r.seq in (select r.seq from ${sql.table(resource.table)} as r
    where r.tenant = ${tenant}${own} and ${condition})`
}

function resourcePresence(path: AttributePath, scope: ElementScope): Condition {
  if (path.multiValued) {
    const list = elementList(path, scope)
    return list.some(list.present)
  }
  if (path.type !== 'complex' && path.name !== '') {
    return isPresentFilter(operandOf(path, scope.resource, scope.dialect))
  }
  const parts = [path.urn, path.name, path.sub].filter((part) => part !== null && part !== '')
  return jsonSql(scope.dialect).present(sql.ref('r.data'), parts as string[])
}

function elementToSql(where: ResolvedFilter, list: ElementList, scope: ElementScope): Condition {
  switch (where.kind) {
    case 'and':
    case 'or':
      return joinConditions(
        where.kind,
        where.terms.map((term) => elementToSql(term, list, scope)),
      )
    case 'not':
      return negation(elementToSql(where.term, list, scope))
    case 'present':
      return where.path.sub === null && where.path.type === 'complex'
        ? list.present
        : isPresentFilter(list.operand(where.path))
    case 'compare':
      return comparison(list.operand(where.path), where.operator, {
        value: where.value,
        dialect: scope.dialect,
      })
    case 'element':
      throw new TypeError('Value filters cannot be nested')
  }
}
