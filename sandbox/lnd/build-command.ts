import { ensureLnd } from './build'

// The process of `missingLnd`, which cannot wait.
try {
  await ensureLnd((line) => console.log(`  ${line}`))
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
