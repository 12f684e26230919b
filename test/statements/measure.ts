import type { Statement } from '@/lib/platform/db/statement'
import type { Session } from '../databases/databases'

export interface Measured {
  readonly returned: number
  /** Rows of tables that were read, in triggers and functions too. */
  readonly read: number
  /** How often the sub-plan ran that ran most often. A sub-plan in a function is not seen; the rows that it reads are. */
  readonly loops: number
}

const READ = `select coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)::int as read
  from pg_stat_xact_all_tables where schemaname in ('public', 'lightning_node')`

interface PlanNode {
  readonly 'Parent Relationship'?: string
  readonly 'Actual Loops': number
  readonly Plans?: readonly PlanNode[]
}

/** Runs a statement twice and takes it back: once counting the rows that it reads, and once explained. */
export async function measure(session: Session, { text }: Statement, params: readonly unknown[]): Promise<Measured> {
  const takeBack = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    await session.query('begin')
    try {
      return await run()
    } finally {
      await session.query('rollback')
    }
  }
  const read = async (): Promise<number> => (await session.query(READ))[0]?.read as number
  const counted = await takeBack(async () => {
    const before = await read()
    const { length: returned } = await session.query(text, params)
    return { returned, read: (await read()) - before }
  })
  const [row] = await takeBack(() => session.query(`explain (analyze, format json) ${text}`, params))
  const [explained] = (row ?? {})['QUERY PLAN'] as readonly { readonly Plan: PlanNode }[]
  if (explained === undefined) throw new Error('the statement was not explained')
  return { ...counted, loops: loopsOf(explained.Plan) }
}

function loopsOf(node: PlanNode): number {
  const own = node['Parent Relationship'] === 'SubPlan' ? node['Actual Loops'] : 0
  return Math.max(own, ...(node.Plans ?? []).map(loopsOf))
}
