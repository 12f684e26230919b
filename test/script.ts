import { compile, compiledPath } from '../scripts/compiled.mjs'

const compiled = new Set<string>()

/**
 * What node is given to run a script of ours, compiled once for all its starts: a compiler in each process would take longer
 * than most of what they are started for.
 */
export function scriptPath(script: string): string {
  if (!compiled.has(script)) compile([script])
  compiled.add(script)
  return compiledPath(script)
}
