import { readFileSync } from 'node:fs'

/** The script of the VASP's pages that shows that a form is working. The shop and the gateway simulator use the same file. */
export const BUSY_FORMS = {
  path: '/busy-forms.js',
  read: (): string => readFileSync('public/busy-forms.js', 'utf8'),
} as const
