import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** Words of a translation, and the word to write instead. */
const INSTEAD: readonly (readonly [RegExp, string])[] = [
  [/\bsomebody\b/i, 'someone, the user, another program'],
  [/\banybody\b/i, 'anyone'],
  [/\bnobody\b/i, 'no one, no user'],
  [/\bwhoever\b/i, 'anyone who, the caller'],
  [/\banew\b|\bonce more\b/i, 'again'],
  [/\bunder way\b/i, 'in progress'],
  [/\bin earnest\b/i, 'leave it out'],
  [/\bstand-ins?\b/i, 'simulator'],
  [/\bthe house\b(?! accounts?)/i, 'the operator'],
  [/\btheir side\b/i, 'their provider, the remote VASP'],
  [/(?<!\bthere )\bis no (?:UMA|Lightning|valid|invoice|address|number|currency)\b/i, 'is not a'],
]

/** Texts, comments and documents. Tests may use the words as data, and licences are not ours. */
const FILES = ['*.md', '*.ts', '*.tsx', '*.mjs', '*.js', ':!*.test.ts', ':!*.spec.ts', ':!test', ':!docs/licences.md']

it('pages, messages, comments and documents use plain words', () => {
  const files = execFileSync('git', ['ls-files', '--', ...FILES], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
  const found = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        INSTEAD.filter(([word]) => word.test(withoutStoredValues(line))).map(
          ([word, instead]) => `${file}:${index + 1}: ${word.source}, write: ${instead}`,
        ),
      ),
  )
  expect(found).toEqual([])
})

/**
 * `payments.lease_owner` is `nobody` while no worker is working on a payment; functions of the database depend on it. `$nobody` is the
 * address of a test recipient.
 */
function withoutStoredValues(line: string): string {
  return line.replaceAll(/['`]nobody['`]|\$nobody\b/g, '')
}
