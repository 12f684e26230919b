import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'

/** One execution of a statement that PostgreSQL has logged. */
export interface Executed {
  readonly atMs: number
  readonly database: string
  /** The name of a prepared statement, or the beginning of another's text. */
  readonly name: string
  readonly ms: number
}

interface Server {
  readonly url: string | undefined
  restart(): Promise<void>
}

const LINE = /^(\d+)\.(\d+) (\S*) LOG: {2}duration: ([\d.]+) ms {2}(?:execute ([^:/]+)[^:]*|statement): ?(.*)$/
const SHOWN = 40
/** Until the log's own process has written the last lines. */
const WRITTEN_AFTER_MS = 500

/** Lets a private server write a log. It restarts, so no other server may use it yet. */
export async function prepareLog(engine: Server): Promise<void> {
  await onServer(engine.url, async (run) => {
    await run('alter system set logging_collector = on')
    await run(`alter system set log_line_prefix = '%n %d '`)
    await run('alter system set log_rotation_size = 0')
  })
  await engine.restart()
}

/** The statements that are executed on the server while `work` runs. Only then are they logged. */
export async function statementsOf<Result>(
  engine: Server,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly executed: readonly Executed[] }> {
  return onServer(engine.url, async (run) => {
    const sizeOf = async (): Promise<number> =>
      Number((await run('select (pg_stat_file(pg_current_logfile())).size'))[0]?.['size'])
    const setDuration = async (value: number): Promise<void> => {
      await run(`alter system set log_min_duration_statement = ${value}`)
      await run('select pg_reload_conf()')
      await sleep(WRITTEN_AFTER_MS)
    }
    const from = await sizeOf()
    await setDuration(0)
    try {
      const result = await work()
      await sleep(WRITTEN_AFTER_MS)
      const [row] = await run(`select pg_read_file(pg_current_logfile(), ${from}, 1000000000) as text`)
      return { result, executed: parseLog(String(row?.['text'])) }
    } finally {
      await setDuration(-1)
    }
  })
}

export function parseLog(text: string): Executed[] {
  return text.split('\n').flatMap((line) => {
    const [, seconds, millis, database = '', ms, named, sql = ''] = LINE.exec(line) ?? []
    if (seconds === undefined) return []
    const isNamed = named !== undefined && !named.startsWith('<')
    const name = isNamed ? named : sql.slice(0, SHOWN)
    return [{ atMs: Number(seconds) * 1000 + Number(millis), database, name, ms: Number(ms) }]
  })
}

export function databaseOf({ url = '' }: Pick<Server, 'url'>): string {
  return URL.canParse(url) ? new URL(url).pathname.slice(1) : ''
}

type Run = (sql: string) => Promise<Record<string, unknown>[]>

export async function onServer<Result>(url: string | undefined, work: (run: Run) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 60_000 })
  await client.connect()
  try {
    return await work(async (sql) => (await client.query<Record<string, unknown>>(sql)).rows)
  } finally {
    await client.end()
  }
}
