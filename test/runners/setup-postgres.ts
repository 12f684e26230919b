import type { TestProject } from 'vitest/node'
import { startTestPostgres, type SharedPostgres } from '../databases/postgres'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server that all test files of a run share. Each test creates databases of its own there. */
    readonly postgres: SharedPostgres | undefined
  }
}

/** Starts one server for a vitest project, and stops it when the project has ended. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTestPostgres()
  project.provide(
    'postgres',
    server && { adminUrl: server.adminUrl, templateUrl: await server.createMigratedDatabase() },
  )
  return async () => server?.stop()
}
