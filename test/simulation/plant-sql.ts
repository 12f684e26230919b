import type { Database } from '@/lib/platform/db/database'
import type { PlantedBug } from './planted-bugs'

/** Replaces texts in the functions of a database that is thrown away afterwards, and drops the guards named. */
export async function plantSql(db: Database, { number, sql }: PlantedBug): Promise<void> {
  for (const [index, { name, changes }] of (sql?.functions ?? []).entries()) {
    const [row] = await db.query<{ definition: string }>(
      {
        name: 'planted_function',
        text: `select pg_get_functiondef(oid) as definition from pg_proc where proname = $1`,
      },
      [name],
    )
    let definition = row?.definition ?? ''
    for (const [from, to] of changes) {
      if (definition.split(from).length !== 2) throw new Error(`planted bug ${number}: not once in ${name}: ${from}`)
      definition = definition.replace(from, () => to)
    }
    await db.query({ name: `plant_${number}_${index}`, text: definition })
  }
  for (const [index, statement] of (sql?.unguarded ?? []).entries())
    await db.query({ name: `unguard_${number}_${index}`, text: statement })
}
