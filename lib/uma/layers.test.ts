import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const HOME = 'lib/uma'
/** From the lowest to the highest. The root of lib/uma is the lowest, and its file `open.ts`, which opens UMA, the highest. */
const LAYERS = [['root'], ['messages'], ['keys'], ['client', 'server'], ['invoices'], ['open.ts']]

const sources = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => /(?<!\.test)\.tsx?$/.test(file) && !file.includes('/generated/'))

/** The files of lib/uma that a file imports, types included, without their endings. */
function importsOf(file: string): string[] {
  const names = [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    ([, name = '']) => name,
  )
  return names
    .map((name) => (name.startsWith('@/') ? name.slice(2) : name.startsWith('.') ? join(dirname(file), name) : ''))
    .filter((path) => path.startsWith(`${HOME}/`))
}

function folderOf(path: string): string {
  const [first = '', second] = path.slice(HOME.length + 1).split('/')
  return second === undefined ? (first.replace(/\.ts$/, '') === 'open' ? 'open.ts' : 'root') : first
}

const rankOf = (folder: string): number => LAYERS.findIndex((layer) => layer.includes(folder))

describe('The files of lib/uma', () => {
  it('are all in a layer', () => {
    const folders = new Set(sources(HOME).map(folderOf))
    expect([...folders].toSorted()).toEqual(LAYERS.flat().toSorted())
  })

  it('import their own folder and the layers below it, and nothing else of lib/uma', () => {
    const wrong = sources(HOME).flatMap((file) =>
      importsOf(file)
        .filter((path) => folderOf(path) !== folderOf(file) && rankOf(folderOf(path)) >= rankOf(folderOf(file)))
        .map((path) => `${file} imports ${path}`),
    )
    expect(wrong).toEqual([])
  })

  it('of the folder invoices are imported from outside through its entry file only', () => {
    const wrong = ['app', 'components', 'lib']
      .flatMap(sources)
      .filter((file) => !file.startsWith(`${HOME}/`))
      .flatMap((file) =>
        importsOf(file)
          .filter((path) => folderOf(path) === 'invoices' && path !== `${HOME}/invoices/open`)
          .map((path) => `${file} imports ${path}`),
      )
    expect(wrong).toEqual([])
  })
})
