import { compile, compiledPath } from '../../scripts/compiled.mjs'

const compiled = new Set<string>()

/**
 * The arguments with which node runs a script of ours, compiled once for all its starts: compiling in each process
 * would take longer than most of these processes run.
 */
export function scriptPath(script: string): string {
  if (!compiled.has(script)) compile([script])
  compiled.add(script)
  return compiledPath(script)
}
