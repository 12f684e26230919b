import { build, ensureBuild } from '../sandbox/demo/build'
import { ensureTemplate } from '../sandbox/demo/template'

const say = (line: string): void => console.log(line)

// `npm run build`: always builds, and records the sources, so that `npm run demo` does not build again. With
// `--if-changed` an existing build of the same sources is kept.
try {
  const building = process.argv.includes('--if-changed') ? ensureBuild(say) : build('inherit')
  await Promise.all([building, ensureTemplate(say)])
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
