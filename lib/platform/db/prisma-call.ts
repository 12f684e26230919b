import type { Database } from './database'
import type { PrismaClient } from './generated/client'

/** The tables of Prisma's client, without its transactions and its raw SQL. */
type Tables = Omit<PrismaClient, Extract<keyof PrismaClient, `$${string}`>>

/**
 * A function that reads or changes one table with Prisma. Decision 4 says for what. Call `prismaCall` at the top level of a module,
 * with the function's name: a test runs every call on full tables with the parameters of its entry in
 * `test/statements/entries.ts`. Nothing else in the product uses Prisma's client.
 */
export function prismaCall<Args extends readonly unknown[], Result>(
  _name: string,
  run: (tables: Tables, ...args: Args) => Promise<Result>,
): (db: Pick<Database, 'prisma'>, ...args: Args) => Promise<Result> {
  return ({ prisma }, ...args) => run(prisma, ...args)
}
