import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { UI_STRINGS } from './document-options'
import { parseCommandLine, readOptions } from './options'
import { uiTexts } from './ui-texts'

readOptions(UI_STRINGS, (args) => parseCommandLine(UI_STRINGS, args))

/** Every text in these files is listed. */
const PAGES = [
  ...['app', 'components', 'lib/web', 'lib/platform/http'],
  ...['sandbox/gateway', 'sandbox/shop', 'sandbox/shared/page.ts', 'sandbox/shared/site.ts'],
]
/** In these files, only sentences and the texts of errors are listed. */
const CODE = ['lib', 'packages/uma-auth-vasp/src']

const pages = sourcesIn(PAGES)
list(pages, false)
list(
  sourcesIn(CODE).filter((file) => !pages.includes(file)),
  true,
)

function list(files: readonly string[], sentencesOnly: boolean): void {
  for (const file of files)
    for (const { line, text } of uiTexts(file, readFileSync(file, 'utf8'), { sentencesOnly }))
      console.log(`${file}:${line}: ${text}`)
}

function sourcesIn(folders: readonly string[]): string[] {
  return execFileSync('git', ['ls-files', '--', ...folders], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\/generated\//.test(file))
}
