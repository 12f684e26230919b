import { readFileSync } from 'node:fs'

/** A mark and the code block after it: `<!-- code: FILE -->` for a file, `<!-- code: FILE#NAME -->` for one of its functions. */
const SHOWN = /<!-- code: ([\w./-]+)(?:#(\w+))? -->\n\n```(\w+)\n(?:[^`]|`(?!``))*```/g

/** The document with the current code in its marked blocks, so that it shows what is tested. */
export function withShownCode(text: string, read = (file: string): string => readFileSync(file, 'utf8')): string {
  return text.replaceAll(SHOWN, (_, file: string, name: string | undefined, language: string) => {
    const code = name === undefined ? read(file).trimEnd() : functionIn(read(file), name, file)
    const mark = name === undefined ? file : `${file}#${name}`
    return `<!-- code: ${mark} -->\n\n\`\`\`${language}\n${code}\n\`\`\``
  })
}

/** The whole files that a document shows from this folder, by their path in it, as a reader copies them. */
export function shownFiles(text: string, folder: string): ReadonlyMap<string, string> {
  const shown = [...text.matchAll(SHOWN)].filter(
    ([, file = '', name]) => file.startsWith(`${folder}/`) && name === undefined,
  )
  return new Map(
    shown.map(([block, file = '']) => [
      file.slice(folder.length + 1),
      block.split('\n').slice(3, -1).join('\n') + '\n',
    ]),
  )
}

/**
 * A function with its comment, without the indentation of the code around it.
 * @throws Error when the file has no function of this name.
 */
function functionIn(source: string, name: string, file: string): string {
  const lines = source.split('\n')
  const isIt = new RegExp(`^ *(?:export )?(?:async )?function ${name}\\b`)
  const start = lines.findIndex((line) => isIt.test(line))
  if (start === -1) throw new Error(`${file} has no function ${name}, which a document shows`)
  const indent = /^ */.exec(lines[start] ?? '')?.[0] ?? ''
  const end = lines.findIndex((line, index) => index > start && line.startsWith(`${indent}}`))
  let first = start
  while (/^ *(?:\/\/|\/\*|\*)/.test(lines[first - 1] ?? '')) first -= 1
  return lines
    .slice(first, end + 1)
    .map((line) => line.slice(indent.length))
    .join('\n')
}
