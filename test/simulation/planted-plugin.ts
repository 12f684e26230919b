import { readFileSync } from 'node:fs'
import { PLANTED } from './planted-bugs.ts'

/** As much of a plugin of vite as is needed here. */
interface Plugin {
  readonly name: string
  readonly enforce: 'pre'
  resolveId(
    this: { resolve(source: string, importer: string | undefined, options: object): Promise<{ id: string } | null> },
    source: string,
    importer: string | undefined,
  ): Promise<string | undefined>
  load(id: string): string | undefined
}

const MARK = /\?planted=(\d+)$/

/**
 * Builds a module with a planted bug: `import('./schedule?planted=3')` is that module and everything it imports of lib and of
 * the simulation, with the source texts of bug 3 exchanged. The files themselves hold neither bug nor flag. A text that is
 * no longer found stops the build.
 */
export function plantedBugs(root: string): Plugin {
  return {
    name: 'planted-bugs',
    enforce: 'pre',
    async resolveId(source, importer) {
      const number = MARK.exec(source)?.[1] ?? MARK.exec(importer ?? '')?.[1]
      if (number === undefined) return undefined
      const resolved = await this.resolve(source.replace(MARK, ''), importer?.replace(MARK, ''), { skipSelf: true })
      if (resolved === null) return undefined
      const ours = resolved.id.startsWith(`${root}lib/`) || resolved.id.startsWith(`${root}test/`)
      return ours && !resolved.id.includes('/generated/')
        ? `${resolved.id.replace(MARK, '')}?planted=${number}`
        : undefined
    },
    load(id) {
      const number = MARK.exec(id)?.[1]
      if (number === undefined) return undefined
      const path = id.replace(MARK, '')
      let text = readFileSync(path, 'utf8')
      const bug = PLANTED.find((each) => each.number === Number(number))
      for (const { file, from, to } of bug?.patches ?? []) {
        if (path !== `${root}${file}`) continue
        if (text.split(from).length !== 2) throw new Error(`planted bug ${number}: not once in ${file}: ${from}`)
        text = text.replace(from, () => to)
      }
      return text
    },
  }
}
