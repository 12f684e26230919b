// `compile.mjs FILE.ts …`: the process that `compile` of compiled.mjs starts.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { build, stop } from 'esbuild'
import { COMPILED } from './compiled.mjs'

const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
try {
  const { outputFiles } = await build({
    entryPoints: process.argv.slice(2),
    outbase: '.',
    outdir: COMPILED,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // Every package, except those of this repository.
    external: Object.keys({ ...dependencies, ...devDependencies }),
    conditions: ['uma-auth-source'],
    platform: 'node',
    target: 'node20',
    format: 'esm',
    keepNames: true,
    write: false,
  })
  for (const { path, text } of outputFiles) writeWhole(path, text)
} catch {
  // The compiler has printed the error and its position to stderr.
  process.exitCode = 1
} finally {
  await stop()
}

/**
 * Another command may be loading the same file: it sees the old or the new one, never half of one.
 * @param {string} path @param {string} text
 */
function writeWhole(path, text) {
  if (readIfThere(path) === text) return
  mkdirSync(dirname(path), { recursive: true })
  const unfinished = `${path}.${process.pid}`
  writeFileSync(unfinished, text)
  renameSync(unfinished, path)
}

/** @param {string} path */
function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
