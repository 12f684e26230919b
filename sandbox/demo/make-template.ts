import { makeTemplate } from '../../lib/platform/db/make-template'

// The process of `ensureTemplate`.
try {
  await makeTemplate()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
