import { build } from '../sandbox/build'

// `npm run build`: always builds, and leaves word of what it was built from, so that `npm run demo` does not build again.
try {
  build('inherit')
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
