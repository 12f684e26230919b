import { build, ensureBuild } from '../sandbox/demo/build'

// `npm run build`: always builds, and records the sources, so that `npm run demo` does not build again. With
// `--if-changed` an existing build of the same sources is kept.
try {
  if (process.argv.includes('--if-changed')) await ensureBuild((line) => console.log(line))
  else await build('inherit')
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
