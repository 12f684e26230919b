import { afterAll } from 'vitest'
import { dropDatabases } from '../databases/databases'

// Runs for each test file, also where files share the modules of a process.
afterAll(dropDatabases)
