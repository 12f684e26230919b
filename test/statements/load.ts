import { readFile, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import type { Statement } from '@/lib/db/database'
import type { Formula } from './uses'

type Run = (...values: readonly unknown[]) => unknown

/** Runs formulas in the files that they come from, which are bundled once, with each formula added to its file. */
export async function loadFormulas(formulas: readonly Formula[]): Promise<(formula: Formula) => Statement[]> {
  const ids = new Map<Formula, string>()
  const byFile = new Map<string, string[]>()
  const add = (formula: Formula): void => {
    if (ids.has(formula)) return
    const id = `${ids.size}`
    ids.set(formula, id)
    const { file, names, text } = formula
    byFile.set(file, [...(byFile.get(file) ?? []), `formulas.set('${id}', (${names.join()}) => (${text}));`])
    for (const value of formula.values.flat()) add(value)
  }
  for (const formula of formulas) add(formula)
  const runs = await runBundle(byFile)
  const valuesOf = (formula: Formula): unknown[] => {
    const run = runs.get(ids.get(formula) ?? '')
    if (run === undefined) throw new Error(`not bundled: ${formula.text}`)
    return combinations(formula.values.map((each) => each.flatMap(valuesOf)))
      .map((values) => run(...values))
      .flatMap((value) => read(value, formula.path))
  }
  return (formula) => valuesOf(formula).map((value) => asStatement(value, formula))
}

async function runBundle(byFile: ReadonlyMap<string, readonly string[]>): Promise<Map<string, Run>> {
  const outfile = resolve('.cache', `statements-${process.pid}.mjs`)
  const adding: Plugin = {
    name: 'formulas',
    setup(bundle) {
      bundle.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
        const added = byFile.get(path)
        if (added === undefined) return undefined
        const start = `import { formulas } from ${JSON.stringify(resolve('test/statements/formulas.ts'))};`
        return {
          contents: `${start}${await readFile(path, 'utf8')}\n${added.join('\n')}`,
          loader: path.endsWith('x') ? 'tsx' : 'ts',
        }
      })
    },
  }
  const imports = [...byFile.keys()].map((file) => `import ${JSON.stringify(file)};`)
  await build({
    stdin: { contents: `${imports.join('')}export { formulas } from './test/statements/formulas'`, resolveDir: '.' },
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    plugins: [adding],
  })
  try {
    const { formulas } = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as {
      formulas: Map<string, Run>
    }
    return formulas
  } finally {
    await rm(outfile, { force: true })
  }
}

/** Every way to take one value from each list. */
function combinations(lists: readonly (readonly unknown[])[]): unknown[][] {
  return lists.reduce<unknown[][]>(
    (found, list) => found.flatMap((before) => list.map((value) => [...before, value])),
    [[]],
  )
}

function read(value: unknown, path: readonly string[]): unknown[] {
  const [key, ...rest] = path
  if (key === undefined) return [value]
  const object = value as Record<string, unknown>
  return (key === '*' ? Object.values(object) : [object[key]]).flatMap((each) => read(each, rest))
}

function asStatement(value: unknown, formula: Formula): Statement {
  const { name, text } = (value ?? {}) as Partial<Statement>
  if (typeof name !== 'string' || typeof text !== 'string') throw new Error(`no statement: ${formula.text}`)
  return { name, text }
}
