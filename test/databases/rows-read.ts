import { vi } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import type { Statement } from '@/lib/platform/db/statement'

interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** How many rows the last statement of a query finds, and how many of the named tables it reads for that. */
export async function rowsRead(
  db: Database,
  tables: readonly string[],
  run: () => Promise<readonly unknown[]>,
): Promise<{ found: number; read: number }> {
  const asked = vi.spyOn(db, 'query')
  const found = (await run()).length
  const [statement, params] = asked.mock.calls.at(-1) as [Statement, readonly unknown[]]
  asked.mockRestore()
  const [row] = await db.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    { name: `explain_${statement.name}`, text: `explain (analyze, format json) ${statement.text}` },
    params,
  )
  return { found, read: row === undefined ? Infinity : rowsOf(tables, row['QUERY PLAN'][0].Plan) }
}

function rowsOf(tables: readonly string[], node: PlanNode): number {
  const own = tables.includes(node['Relation Name'] ?? '')
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : 0
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(tables, child), own)
}
