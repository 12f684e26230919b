import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'

const BUILT_FROM = '.next/built-from'
const SOURCES = [
  'app',
  'lib',
  'public',
  'instrumentation.ts',
  'proxy.ts',
  'next.config.js',
  'postcss.config.mjs',
  'package-lock.json',
  'tsconfig.json',
  'prisma/schema.prisma',
]

/** Builds the product unless the build at hand was made from these very sources. */
export function ensureBuild(say: (line: string) => void): void {
  const wanted = hashOfSources()
  const built = existsSync('.next/BUILD_ID') && existsSync(BUILT_FROM) ? readFileSync(BUILT_FROM, 'utf8') : undefined
  if (built === wanted) return
  say('Building (half a minute) …')
  const { status, stdout, stderr } = spawnSync(process.execPath, ['node_modules/next/dist/bin/next', 'build'], {
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The build failed:\n${stdout}\n${stderr}`)
  writeFileSync(BUILT_FROM, wanted)
}

function hashOfSources(): string {
  const hash = createHash('sha256')
  for (const file of SOURCES.filter(existsSync).flatMap(filesBelow)) {
    if (!/\.test\.tsx?$/.test(file)) hash.update(file).update(readFileSync(file))
  }
  return hash.digest('hex')
}

function filesBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .toSorted()
    .flatMap((name) => filesBelow(join(path, name)))
}
